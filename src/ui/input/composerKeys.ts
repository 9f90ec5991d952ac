/** Maps a keystroke to its effect: history search and popup take precedence, then the keymap. Pure. */

import type { Command, KeyContext } from '../keys/actions.ts';
import { type Keymap, readStroke } from '../keys/keymap.ts';
import type { Stroke } from '../keys/strokes.ts';
import {
  type ComposerContext,
  type ComposerState,
  isEmpty,
  type Outcome,
  paste,
  press,
  send,
  setUnits,
  sourcesOf,
} from './composerState.ts';
import { again, editQuery, type HistorySearch, moveMatch, nextScope } from './historySearch.ts';
import { unitsOfRecall } from './paste.ts';
import type { Edit } from './textBuffer.ts';
import { adjustForVim, handleVimKey } from './vim/vimKeys.ts';

export interface ComposerKeyContext extends ComposerContext {
  readonly keymap: Keymap;
}

/** Handles a keystroke. */
export function handleKey(state: ComposerState, stroke: Stroke, around: ComposerKeyContext): Outcome {
  const plain = (from: ComposerState, one: Stroke): Outcome => handlePlainKey(from, one, around);
  if (state.vim === undefined) return plain(state, stroke);
  if (state.search !== undefined || state.pending !== undefined) return adjustForVim(plain(state, stroke));
  return handleVimKey(state, state.vim, stroke, around, plain);
}

function handlePlainKey(state: ComposerState, stroke: Stroke, around: ComposerKeyContext): Outcome {
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

/** Inserts a paste at the cursor. */
export function pasteText(state: ComposerState, text: string, around: ComposerContext): ComposerState {
  const { pending, ...settled } = state;
  if (settled.search === undefined) return paste(settled, text, around);
  const edit: Edit = { type: 'insert', text: text.slice(0, MAX_QUERY) };
  return typeInSearch(settled, settled.search, edit, around);
}

/** Maximum characters of a paste used as a search query. */
const MAX_QUERY = 200;

/** The contexts in which keys are looked up, innermost first. */
function contextsOf(state: ComposerState): readonly KeyContext[] {
  if (state.search !== undefined) return ['HistorySearch', 'Chat'];
  return state.popup === undefined ? ['Chat', 'Global'] : ['Autocomplete', 'Chat', 'Global'];
}

function command(state: ComposerState, wanted: Command, around: ComposerContext): Outcome {
  if (state.search !== undefined) return pressInSearch(state, state.search, wanted, around);
  return press(state, wanted, around);
}

// Keys while the history search is open. Pure.

/** Handles a command in the search. The draft stays unchanged until a match is accepted. */
function pressInSearch(
  state: ComposerState,
  search: HistorySearch,
  command: Command,
  around: ComposerContext,
): Outcome {
  if (command.type === 'edit') return { state: typeInSearch(state, search, command.edit, around) };
  if (command.type !== 'search') return { state };
  const match = search.matches[search.selected];
  switch (command.step) {
    case 'older':
      return { state: { ...state, search: moveMatch(search, 1) } };
    case 'newer':
      return { state: { ...state, search: moveMatch(search, -1) } };
    case 'scope':
      return { state: { ...state, search: nextScope(search, sourcesOf(state, around)) } };
    case 'cancel':
      return { state: leave(state) };
    case 'take':
      return { state: match === undefined ? leave(state) : setUnits(leave(state), unitsOfRecall(match)) };
    case 'send':
      if (match === undefined) return { state };
      return send(leave(state), { text: match, display: match });
  }
}

/** Text and edits change the query. */
function typeInSearch(
  state: ComposerState,
  search: HistorySearch,
  edit: Edit,
  around: ComposerContext,
): ComposerState {
  return { ...state, search: editQuery(search, edit, sourcesOf(state, around)) };
}

/** Repeats the search after more prompts were loaded. */
export function refreshSearch(state: ComposerState, around: ComposerContext): ComposerState {
  if (state.search === undefined) return state;
  return { ...state, search: again(state.search, sourcesOf(state, around)) };
}

const leave = ({ search, ...rest }: ComposerState): ComposerState => rest;
