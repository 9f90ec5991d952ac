/** State transitions of the composer. Pure, except that a queued message may be requested from the owner. */

import type { Command, Intent } from '../keys/actions.ts';
import { findTrigger, type Suggestion, type Trigger } from './completion.ts';
import { type HistoryWalk, moveInHistory, remember, startWalk } from './history.ts';
import { type HistorySearch, type SearchSources, startSearch } from './historySearch.ts';
import { unitsOfPaste, unitsOfRecall } from './paste.ts';
import { applyEdit, createBuffer, type Edit, moveVertically, type TextBuffer } from './textBuffer.ts';
import { abbreviate, expand, type Unit } from './units.ts';
import type { VimState } from './vim/parseVim.ts';

/** A prompt to send: the full text, and the text as displayed, with folded pastes as labels. */
export type Draft = {
  readonly text: string;
  readonly display: string;
  /** It came from the command line, so the user has not seen it on screen yet. */
  readonly isArgument?: true;
};

/** The suggestions on screen; never empty. */
export type Popup = {
  readonly trigger: Trigger;
  readonly suggestions: readonly Suggestion[];
  readonly selected: number;
};

export type ComposerState = {
  readonly buffer: TextBuffer;
  readonly walk: HistoryWalk<TextBuffer>;
  /** The requested completion; its suggestions may still be loading. */
  readonly wanted?: Trigger | undefined;
  readonly popup?: Popup | undefined;
  /** Start of the word whose popup was closed with Esc; it stays closed until the cursor leaves that word. */
  readonly dismissedAt?: number | undefined;
  /** The history search while it is open; the draft is kept. */
  readonly search?: HistorySearch | undefined;
  /** Stashed drafts, newest first. */
  readonly stashes: readonly (readonly Unit[])[];
  /** Prompts sent since the program started, oldest first. */
  readonly sent: readonly string[];
  /** Absent while vim keys are off. */
  readonly vim?: VimState | undefined;
  /** Keys pressed of an incomplete chord. */
  readonly pending?: string | undefined;
};

/** Maximum number of stashed drafts. */
const MAX_STASHES = 20;

/** Inputs of a transition besides the state. */
export type ComposerContext = {
  /** Columns for the text, as in the layout. */
  readonly width: number;
  suggest(trigger: Trigger): readonly Suggestion[] | undefined;
  popQueued(): string | undefined;
  /** Prompts of all projects, oldest first; undefined until they are loaded. */
  everyPrompt?(): readonly string[] | undefined;
};

/** The next state, and an effect for the owner. */
export type Outcome = {
  readonly state: ComposerState;
  readonly effect?:
    | { readonly type: 'submit'; readonly draft: Draft }
    | { readonly type: 'intent'; readonly intent: Intent }
    | undefined;
};

/** Creates a composer that contains `text`. */
export function createComposerState(text = ''): ComposerState {
  const buffer = applyEdit(createBuffer(), { type: 'set', units: unitsOfRecall(text) });
  return { buffer: { ...buffer, undo: [] }, walk: startWalk([]), stashes: [], sent: [] };
}

/** Runs a command. */
export function press(state: ComposerState, command: Command, around: ComposerContext): Outcome {
  switch (command.type) {
    case 'edit':
      return { state: edit(state, foldIfLarge(state, command.edit), around) };
    case 'newline':
      return { state: edit(state, { type: 'insert', text: '\n' }, around) };
    case 'delete_or_eof':
      if (isEmpty(state)) return { state, effect: { type: 'intent', intent: 'eof' } };
      return { state: edit(state, { type: 'delete_forward' }, around) };
    case 'enter':
      return enter(state, around);
    case 'tab':
      return { state: accept(state, around) };
    case 'escape':
      if (state.popup === undefined) return { state, effect: { type: 'intent', intent: 'escape' } };
      return { state: { ...closed(state), dismissedAt: state.popup.trigger.from } };
    case 'up':
      return { state: vertical(state, -1, around) };
    case 'down':
      return { state: vertical(state, 1, around) };
    case 'history_search':
      return { state: { ...closed(state), search: startSearch(sourcesOf(state, around)) } };
    case 'stash':
      return { state: stash(state) };
    case 'search':
      return { state };
    case 'intent':
      return { state, effect: { type: 'intent', intent: command.intent } };
  }
}

/** The sources that the history search can search. */
export function sourcesOf({ walk, sent }: ComposerState, around: ComposerContext): SearchSources {
  const everyPrompt = around.everyPrompt?.();
  const all = everyPrompt === undefined ? undefined : [...everyPrompt, ...sent];
  return { session: sent, project: walk.entries, all };
}

/** Inserts a paste, folded if it is long. */
export function paste(state: ComposerState, text: string, around: ComposerContext): ComposerState {
  return pasteUnits(state, unitsOfPaste(text, state.buffer.units), around);
}

/** Inserts the units that represent a paste. */
export function pasteUnits(
  state: ComposerState,
  units: readonly Unit[],
  around: ComposerContext,
): ComposerState {
  return edit(state, { type: 'insert_units', units }, around);
}

/** Replaces the whole draft; undo restores the old one. */
export function setUnits(state: ComposerState, units: readonly Unit[]): ComposerState {
  return { ...closed(state), buffer: applyEdit(state.buffer, { type: 'set', units }) };
}

/** Clears the draft. Undo restores it, and so does ↑: it may hold a secret, so it is not saved. */
export function clearDraft(state: ComposerState): ComposerState {
  const { entries } = state.walk;
  const text = expand(state.buffer.units).trimEnd();
  const isKnown = text === '' || entries.includes(text);
  return { ...setUnits(state, []), walk: isKnown ? startWalk(entries) : remember(state.walk, text) };
}

/** Requests the suggestions of a completion that was still loading. */
export function refresh(state: ComposerState, around: ComposerContext): ComposerState {
  return state.wanted === undefined ? state : open(state, state.wanted, around);
}

export const isEmpty = (state: ComposerState): boolean => state.buffer.units.length === 0;

function enter(state: ComposerState, around: ComposerContext): Outcome {
  const { units, cursor } = state.buffer;
  if (units[cursor - 1] === '\\') {
    return { state: edit(state, { type: 'replace', from: cursor - 1, to: cursor, text: '\n' }, around) };
  }
  const chosen = state.popup?.suggestions[state.popup.selected];
  if (chosen !== undefined && !chosen.isComplete) return { state: accept(state, around) };
  const text = expand(units).trimEnd();
  if (text === '') return { state: closed(state) };
  return send(state, { text, display: abbreviate(units).trimEnd() });
}

/** Submits a draft and starts the next one: the newest stashed draft, or an empty one. */
export function send(state: ComposerState, draft: Draft): Outcome {
  const { killRing } = state.buffer;
  const [aside, ...stashes] = state.stashes;
  const empty = { ...createBuffer(), killRing };
  const buffer =
    aside === undefined ? empty : { ...applyEdit(empty, { type: 'set', units: aside }), undo: [] };
  const walk = remember(state.walk, draft.text);
  const sent = [...state.sent, draft.text];
  return {
    state: { ...closed(state), buffer, walk, sent, stashes },
    effect: { type: 'submit', draft },
  };
}

/** Stashes the draft; on an empty line restores the newest stashed one. */
function stash(state: ComposerState): ComposerState {
  const [aside, ...older] = state.stashes;
  if (!isEmpty(state)) {
    return { ...setUnits(state, []), stashes: [state.buffer.units, ...state.stashes].slice(0, MAX_STASHES) };
  }
  return aside === undefined ? state : { ...setUnits(state, aside), stashes: older };
}

function accept(state: ComposerState, around: ComposerContext): ComposerState {
  const { popup } = state;
  const chosen = popup?.suggestions[popup.selected];
  if (popup === undefined || chosen === undefined) return state;
  const { from, to } = popup.trigger;
  const isSpaceNext = state.buffer.units[to] === ' ';
  const text = isSpaceNext ? chosen.insert.trimEnd() : chosen.insert;
  const next = edit(state, { type: 'replace', from, to, text }, around);
  if (!isSpaceNext) return next;
  return { ...closed(next), buffer: applyEdit(next.buffer, { type: 'move', to: 'right' }) };
}

function vertical(state: ComposerState, by: -1 | 1, around: ComposerContext): ComposerState {
  if (state.popup !== undefined) {
    const count = state.popup.suggestions.length;
    return { ...state, popup: { ...state.popup, selected: (state.popup.selected + by + count) % count } };
  }
  const moved = moveVertically(state.buffer, by, around.width);
  if (moved !== undefined) return follow({ ...state, buffer: moved }, around, false);
  const queued = by === -1 && isEmpty(state) ? around.popQueued() : undefined;
  if (queued !== undefined) return setUnits(state, unitsOfRecall(queued));

  const step = moveInHistory(state.walk, by, state.buffer);
  if (step === undefined) return state;
  const buffer =
    'draft' in step.show
      ? { ...step.show.draft, killRing: state.buffer.killRing }
      : { ...createComposerState(step.show.entry).buffer, killRing: state.buffer.killRing };
  return { ...closed(state), buffer, walk: step.walk };
}

function edit(state: ComposerState, change: Edit, around: ComposerContext): ComposerState {
  const buffer = applyEdit(state.buffer, change);
  return follow({ ...state, buffer }, around, change.type !== 'move');
}

/** Without bracketed paste, a terminal delivers a paste as if it were typed. */
function foldIfLarge(state: ComposerState, change: Edit): Edit {
  if (change.type !== 'insert' || change.text.length === 1) return change;
  const units = unitsOfPaste(change.text, state.buffer.units);
  return units.some((unit) => typeof unit !== 'string') ? { type: 'insert_units', units } : change;
}

/** Updates the popup after a change. Only typing opens it; recalling an old `/command` with ↑ must not. */
function follow(state: ComposerState, around: ComposerContext, mayOpen: boolean): ComposerState {
  const trigger = findTrigger(state.buffer.units, state.buffer.cursor);
  if (trigger === undefined) return closed(state);
  if (trigger.from === state.dismissedAt) return { ...closed(state), dismissedAt: state.dismissedAt };
  return mayOpen || state.wanted !== undefined ? open(state, trigger, around) : closed(state);
}

function open(state: ComposerState, trigger: Trigger, around: ComposerContext): ComposerState {
  const suggestions = around.suggest(trigger) ?? [];
  const popup = suggestions.length === 0 ? undefined : { trigger, suggestions, selected: 0 };
  return { ...closed(state), wanted: trigger, popup };
}

/** Closes the popup and cancels a requested completion. */
export const closed = ({ wanted, popup, dismissedAt, ...rest }: ComposerState): ComposerState => rest;
