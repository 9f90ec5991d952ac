/** What each key does to the composer: pure but for asking the owner for a queued message to take back. */

import type { Command, Intent } from '../keys/actions.ts';
import { findTrigger, type Suggestion, type Trigger } from './completion.ts';
import { type HistoryWalk, remember, startWalk, walkBy } from './history.ts';
import { type HistorySearch, type SearchSources, startSearch } from './historySearch.ts';
import { unitsOfPaste, unitsOfRecall } from './paste.ts';
import { applyEdit, createBuffer, type Edit, moveVertically, type TextBuffer } from './textBuffer.ts';
import { abbreviate, expand, type Unit } from './units.ts';
import type { VimState } from './vim/parseVim.ts';

/** A prompt to send: the whole text, and how it was shown (folded pastes as their labels). */
export type Draft = { readonly text: string; readonly display: string };

/** The suggestions on screen, never empty. */
export type Popup = {
  readonly trigger: Trigger;
  readonly suggestions: readonly Suggestion[];
  readonly selected: number;
};

export type ComposerState = {
  readonly buffer: TextBuffer;
  readonly walk: HistoryWalk<TextBuffer>;
  /** A completion asked for; its suggestions may still be loading. */
  readonly wanted?: Trigger | undefined;
  readonly popup?: Popup | undefined;
  /** Where the user closed a popup with Esc: it stays closed until that word is left. */
  readonly dismissedAt?: number | undefined;
  /** The history search, while it is open; the draft waits below it. */
  readonly search?: HistorySearch | undefined;
  /** Drafts that were put aside, newest first. */
  readonly stashes: readonly (readonly Unit[])[];
  /** What was sent in this run, oldest first. */
  readonly sent: readonly string[];
  /** Absent while vim keys are off. */
  readonly vim?: VimState | undefined;
  /** What has been pressed of a chord. */
  readonly pending?: string | undefined;
};

/** Drafts that can be put aside at once. */
const MAX_STASHES = 20;

/** What a key needs besides the state. */
export type Surroundings = {
  /** Cells for the text, as the layout has them. */
  readonly width: number;
  suggest(trigger: Trigger): readonly Suggestion[] | undefined;
  takeBackQueued(): string | undefined;
  /** Prompts of all projects, oldest first; undefined until they are loaded. */
  everyPrompt?(): readonly string[] | undefined;
};

/** The next state, and what the owner has to hear of. */
export type Outcome = {
  readonly state: ComposerState;
  readonly effect?:
    | { readonly type: 'submit'; readonly draft: Draft }
    | { readonly type: 'intent'; readonly intent: Intent }
    | undefined;
};

/** An empty composer, or one that holds `text`. */
export function createComposerState(text = ''): ComposerState {
  const buffer = applyEdit(createBuffer(), { type: 'set', units: unitsOfRecall(text) });
  return { buffer: { ...buffer, undo: [] }, walk: startWalk([]), stashes: [], sent: [] };
}

/** Does what a key asks for. */
export function press(state: ComposerState, command: Command, around: Surroundings): Outcome {
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

/** What the history search may look through. */
export function sourcesOf({ walk, sent }: ComposerState, around: Surroundings): SearchSources {
  const everyPrompt = around.everyPrompt?.();
  const all = everyPrompt === undefined ? undefined : [...everyPrompt, ...sent];
  return { session: sent, project: walk.entries, all };
}

/** Inserts a paste, folded if it is long. */
export function paste(state: ComposerState, text: string, around: Surroundings): ComposerState {
  return pasteUnits(state, unitsOfPaste(text, state.buffer.units), around);
}

/** Inserts what stands for a paste. */
export function pasteUnits(
  state: ComposerState,
  units: readonly Unit[],
  around: Surroundings,
): ComposerState {
  return edit(state, { type: 'insert_units', units }, around);
}

/** Replaces the whole draft; undo brings the old one back. */
export function setUnits(state: ComposerState, units: readonly Unit[]): ComposerState {
  return { ...closed(state), buffer: applyEdit(state.buffer, { type: 'set', units }) };
}

/** Empties it; ↑ begins with the newest prompt again. Undo brings the draft back. */
export function clearDraft(state: ComposerState): ComposerState {
  return { ...setUnits(state, []), walk: startWalk(state.walk.entries) };
}

/** Asks again for the suggestions of a completion that was still loading. */
export function refresh(state: ComposerState, around: Surroundings): ComposerState {
  return state.wanted === undefined ? state : open(state, state.wanted, around);
}

export const isEmpty = (state: ComposerState): boolean => state.buffer.units.length === 0;

function enter(state: ComposerState, around: Surroundings): Outcome {
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

/** Hands a draft over and begins a new one: what was put aside, if anything was. */
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

/** Puts the draft aside; on an empty line brings the newest one back. */
function stash(state: ComposerState): ComposerState {
  const [aside, ...older] = state.stashes;
  if (!isEmpty(state)) {
    return { ...setUnits(state, []), stashes: [state.buffer.units, ...state.stashes].slice(0, MAX_STASHES) };
  }
  return aside === undefined ? state : { ...setUnits(state, aside), stashes: older };
}

function accept(state: ComposerState, around: Surroundings): ComposerState {
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

function vertical(state: ComposerState, by: -1 | 1, around: Surroundings): ComposerState {
  if (state.popup !== undefined) {
    const count = state.popup.suggestions.length;
    return { ...state, popup: { ...state.popup, selected: (state.popup.selected + by + count) % count } };
  }
  const moved = moveVertically(state.buffer, by, around.width);
  if (moved !== undefined) return follow({ ...state, buffer: moved }, around, false);
  const queued = by === -1 && isEmpty(state) ? around.takeBackQueued() : undefined;
  if (queued !== undefined) return setUnits(state, unitsOfRecall(queued));

  const step = walkBy(state.walk, by, state.buffer);
  if (step === undefined) return state;
  const buffer =
    'draft' in step.show
      ? { ...step.show.draft, killRing: state.buffer.killRing }
      : { ...createComposerState(step.show.entry).buffer, killRing: state.buffer.killRing };
  return { ...closed(state), buffer, walk: step.walk };
}

function edit(state: ComposerState, change: Edit, around: Surroundings): ComposerState {
  const buffer = applyEdit(state.buffer, change);
  return follow({ ...state, buffer }, around, change.type !== 'move');
}

/** A terminal without bracketed paste delivers a paste as if it were typed. */
function foldIfLarge(state: ComposerState, change: Edit): Edit {
  if (change.type !== 'insert' || change.text.length === 1) return change;
  const units = unitsOfPaste(change.text, state.buffer.units);
  return units.some((unit) => typeof unit !== 'string') ? { type: 'insert_units', units } : change;
}

/** Keeps the popup in step with the text. Only typing opens one: ↑ onto an old `/command` must not. */
function follow(state: ComposerState, around: Surroundings, mayOpen: boolean): ComposerState {
  const trigger = findTrigger(state.buffer.units, state.buffer.cursor);
  if (trigger === undefined) return closed(state);
  if (trigger.from === state.dismissedAt) return { ...closed(state), dismissedAt: state.dismissedAt };
  return mayOpen || state.wanted !== undefined ? open(state, trigger, around) : closed(state);
}

function open(state: ComposerState, trigger: Trigger, around: Surroundings): ComposerState {
  const suggestions = around.suggest(trigger) ?? [];
  const popup = suggestions.length === 0 ? undefined : { trigger, suggestions, selected: 0 };
  return { ...closed(state), wanted: trigger, popup };
}

/** Without the popup and the wish for one. */
export const closed = ({ wanted, popup, dismissedAt, ...rest }: ComposerState): ComposerState => rest;
