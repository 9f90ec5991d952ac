/** From a stroke to what it does: the history search and the popup have the first word, then the keymap. Pure. */
import type { KeyContext } from '../keys/actions.ts';
import { type Keymap, readStroke } from '../keys/keymap.ts';
import type { Stroke } from '../keys/strokes.ts';
import {
  type ComposerState,
  isEmpty,
  type Outcome,
  paste,
  press,
  type Surroundings,
} from './composerState.ts';
import type { Command } from './keys.ts';
import { pressInSearch, typeInSearch } from './searchKeys.ts';
import type { Edit } from './textBuffer.ts';
import { settle, strikeVim } from './vimKeys.ts';

export interface KeySurroundings extends Surroundings {
  readonly keymap: Keymap;
}

/** Does what a stroke asks for. */
export function strike(state: ComposerState, stroke: Stroke, around: KeySurroundings): Outcome {
  const plain = (from: ComposerState, one: Stroke): Outcome => strikePlain(from, one, around);
  if (state.vim === undefined) return plain(state, stroke);
  if (state.search !== undefined || state.pending !== undefined) return settle(plain(state, stroke));
  return strikeVim(state, state.vim, stroke, around, plain);
}

function strikePlain(state: ComposerState, stroke: Stroke, around: KeySurroundings): Outcome {
  const { pending, ...settled } = state;
  const reading = readStroke(around.keymap, stroke, {
    contexts: contextsOf(state),
    pending,
    isEmpty: state.search === undefined && isEmpty(state),
  });
  switch (reading.type) {
    case 'nothing':
      return { state: settled };
    case 'pending':
      return { state: { ...settled, pending: reading.keys } };
    case 'text':
      return command(settled, { type: 'edit', edit: { type: 'insert', text: reading.text } }, around);
    case 'command':
      return command(settled, reading.command, around);
  }
}

/** Inserts a paste where the cursor stands. */
export function pasteText(state: ComposerState, text: string, around: Surroundings): ComposerState {
  const { pending, ...settled } = state;
  if (settled.search === undefined) return paste(settled, text, around);
  const edit: Edit = { type: 'insert', text: text.slice(0, MAX_QUERY) };
  return typeInSearch(settled, settled.search, edit, around);
}

/** Characters of a paste that a search looks for. */
const MAX_QUERY = 200;

/** The contexts that keys are read in, innermost first. */
function contextsOf(state: ComposerState): readonly KeyContext[] {
  if (state.search !== undefined) return ['HistorySearch', 'Chat'];
  return state.popup === undefined ? ['Chat', 'Global'] : ['Autocomplete', 'Chat', 'Global'];
}

function command(state: ComposerState, wanted: Command, around: Surroundings): Outcome {
  if (state.search !== undefined) return pressInSearch(state, state.search, wanted, around);
  return press(state, wanted, around);
}
