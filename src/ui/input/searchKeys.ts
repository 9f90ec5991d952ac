/** What each key does while the history search is open. Pure. */
import {
  type ComposerState,
  type Outcome,
  type Surroundings,
  send,
  setUnits,
  sourcesOf,
} from './composerState.ts';
import { again, editQuery, type HistorySearch, moveMatch, nextScope } from './historySearch.ts';
import type { Command } from './keys.ts';
import { unitsOfRecall } from './paste.ts';
import type { Edit } from './textBuffer.ts';

/** Does what a key asks for in the search; the draft stays as it was until a match is taken. */
export function pressInSearch(
  state: ComposerState,
  search: HistorySearch,
  command: Command,
  around: Surroundings,
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

/** Text and edits belong to the query. */
export function typeInSearch(
  state: ComposerState,
  search: HistorySearch,
  edit: Edit,
  around: Surroundings,
): ComposerState {
  return { ...state, search: editQuery(search, edit, sourcesOf(state, around)) };
}

/** Looks again, after more prompts were loaded. */
export function refreshSearch(state: ComposerState, around: Surroundings): ComposerState {
  if (state.search === undefined) return state;
  return { ...state, search: again(state.search, sourcesOf(state, around)) };
}

const leave = ({ search, ...rest }: ComposerState): ComposerState => rest;
