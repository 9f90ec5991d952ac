import type { PickerState } from './pickerState.ts';

/** The picker's one state, as its parts share it: keys, lists and deeds all change it, each at its own time. */
export interface PickerStore {
  get(): PickerState;
  /** Ignored once the picker is gone. */
  set(next: PickerState): void;
  /** Items of the list that were on screen when the last key came. */
  rows(): number;
  isDisposed(): boolean;
}
