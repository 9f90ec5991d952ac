/** Where the keys of the picker are read, and which of its own actions do what. Letters are for the filter. */
import { choicesPlace } from '../components/choices.ts';
import type { DialogPlace, PlaceAction } from '../keys/keymap.ts';
import type { PickerState } from './pickerState.ts';

export type PickerAct = 'search' | 'preview' | 'rename' | 'fork' | 'archive' | 'delete' | 'undo';

/** What an action asks for that acts on a session or on the list; undefined for others. */
export function pickerActOf(name: PlaceAction): PickerAct | undefined {
  return acts[name];
}

/** What is in front takes the keys. On an empty line a character may be a key of the picker's own. */
export function pickerPlace({ dialog, text }: Pick<PickerState, 'dialog' | 'text'>): DialogPlace {
  if (dialog?.type === 'delete') return choicesPlace;
  if (dialog?.type === 'rename') return renamePlace;
  if (dialog?.type === 'help') return { contexts: [], typing: 'answer' };
  return text.units.length === 0 ? emptyPlace : filterPlace;
}

/** Where something is typed already: for the lines of keys, where every key is named that works there. */
export const filterPlace: DialogPlace = { contexts: ['Sessions', 'Select'], typing: 'text' };
export const emptyPlace: DialogPlace = { contexts: ['Sessions', 'Select'], typing: 'start' };
export const renamePlace: DialogPlace = { contexts: ['Select'], typing: 'text' };

const acts: Partial<Record<PlaceAction, PickerAct>> = {
  'sessions:search': 'search',
  'sessions:preview': 'preview',
  'sessions:rename': 'rename',
  'sessions:fork': 'fork',
  'sessions:archive': 'archive',
  'sessions:delete': 'delete',
  'sessions:undo': 'undo',
};
