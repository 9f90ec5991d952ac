/** The list of items, its filter and the selected item, as it changes under the cursor. Pure. */
import type { ContextItem, Steering } from '../../protocol/contextReport.ts';
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { fieldText } from './field.ts';
import { createSelection, filterSelection, type Selection, windowAround } from './selection.ts';

export interface ItemsState {
  readonly selection: Selection<ContextItem>;
  readonly filter: TextBuffer;
  /** Keys go into the filter rather than being commands. */
  readonly isFiltering: boolean;
  /** What became of the last command. */
  readonly message: string;
}

/** Newest first; the newest is selected. */
export function createItemsState(items: readonly ContextItem[]): ItemsState {
  const selection = createSelection(items.toReversed());
  return { selection, filter: createBuffer(), isFiltering: false, message: '' };
}

export function selectedItem({ selection }: ItemsState): ContextItem | undefined {
  return selection.visible[selection.selected];
}

/** Other items under the same filter; the cursor stays on the item on which it stood. */
export function withItems(state: ItemsState, items: readonly ContextItem[], rows: number): ItemsState {
  const { uuid } = selectedItem(state) ?? {};
  const { selected, top } = state.selection;
  const filtered = filterSelection(createSelection(items.toReversed()), fieldText(state.filter), textOf);
  const found = uuid === undefined ? -1 : filtered.visible.findIndex((item) => item.uuid === uuid);
  const place = found === -1 ? Math.min(selected, Math.max(0, filtered.visible.length - 1)) : found;
  // New items come in above: the row of the cursor on screen stays where it was.
  const selection = { ...filtered, selected: place, top: Math.max(0, top + place - selected) };
  return { ...state, selection: windowAround(selection, rows) };
}

export function withFilter(state: ItemsState, filter: TextBuffer): ItemsState {
  const text = fieldText(filter);
  const { selection } = state;
  return {
    ...state,
    filter,
    selection: text === selection.filter ? selection : filterSelection(selection, text, textOf),
  };
}

/** What can be asked for; to pin what is pinned is to unpin it. */
export type SteeringWish = 'pin' | 'drop' | 'restore';

export function steeringFor(wish: SteeringWish, { uuid, isPinned }: ContextItem): Steering {
  return { action: wish === 'pin' && isPinned ? 'unpin' : wish, uuid };
}

const done: Readonly<Record<Steering['action'], string>> = {
  pin: 'Pinned',
  unpin: 'Unpinned',
  drop: 'Dropped',
  restore: 'Restored',
};

/** E.g. "Dropped #12 · r brings it back", where a key does. */
export function doneText({ action }: Steering, { seq }: ContextItem, restoreKey: string | undefined): string {
  const back = action === 'drop' && restoreKey !== undefined ? ` · ${restoreKey} brings it back` : '';
  return `${done[action]} #${seq}${back}`;
}

/** What a filter looks at: "masked reply #12 …". */
function textOf({ seq, kind, state, title, isPinned }: ContextItem): string {
  return `#${seq} ${kind} ${state}${isPinned ? ' pinned' : ''} ${title}`;
}
