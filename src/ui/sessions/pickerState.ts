/** The state of the session picker: two lists (sessions, hits) and one line of text. Pure. */
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { choicesFocus } from '../dialog/choices.ts';
import { fieldText } from '../dialog/field.ts';
import {
  createSelection,
  filterSelection,
  moveSelection,
  type Selection,
  windowAround,
} from '../dialog/selection.ts';
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogFocus, DialogFocusAction } from '../keys/keymap.ts';

export type Scope = 'project' | 'all';

/** Maximum hits of a search; more call for a better query. */
export const MAX_HITS = 100;

/** A dialog in front of the list. */
export type PickerDialog =
  | { readonly type: 'help' }
  | { readonly type: 'rename'; readonly session: SessionRecord; readonly buffer: TextBuffer }
  | { readonly type: 'delete'; readonly session: SessionRecord; readonly selected: number };

export interface PickerState {
  readonly scope: Scope;
  /** True if the text is searched in the content of sessions, false if it filters their titles. */
  readonly isSearch: boolean;
  readonly text: TextBuffer;
  readonly list: Selection<SessionRecord>;
  readonly hits: Selection<SearchHit>;
  /** The query of the current hits; empty before the first search. */
  readonly searched: string;
  readonly isSearching: boolean;
  /** True until the list is complete. */
  readonly isLoading: boolean;
  /** True until the first key: the cursor is not the user's choice yet. */
  readonly isUntouched: boolean;
  readonly isPreviewLarge: boolean;
  /** Lines by which the large preview is scrolled down. */
  readonly previewTop: number;
  readonly dialog: PickerDialog | undefined;
  readonly message: { readonly level: 'info' | 'error'; readonly text: string } | undefined;
}

export function createPickerState(scope: Scope = 'project'): PickerState {
  return {
    scope,
    isSearch: false,
    text: createBuffer(),
    list: createSelection([]),
    hits: createSelection([]),
    searched: '',
    isSearching: false,
    isLoading: true,
    isUntouched: true,
    isPreviewLarge: false,
    previewTop: 0,
    dialog: undefined,
    message: undefined,
  };
}

/** The typed text, trimmed. */
export function typed({ text }: PickerState): string {
  return fieldText(text).trim();
}

/**
 * The query: a prefix match for the word being typed, if it has two characters or more; an exact match for a word
 * followed by a space or in quotes.
 */
export function queryOf({ text }: PickerState): string {
  const whole = fieldText(text);
  const isOpen = /[\p{L}\p{N}]{2}$/u.test(whole) && whole.split('"').length % 2 === 1;
  return isOpen ? `${whole.trim()}*` : whole.trim();
}

export function hitAtCursor({ isSearch, hits }: PickerState): SearchHit | undefined {
  return isSearch ? hits.visible[hits.selected] : undefined;
}

/** The session under the cursor, or that of the hit under the cursor. */
export function sessionAtCursor(state: PickerState): SessionRecord | undefined {
  return state.isSearch ? hitAtCursor(state)?.session : state.list.visible[state.list.selected];
}

/** Moves the cursor by `by` items; `rows` items are visible. */
export function moved(state: PickerState, by: number, rows: number): PickerState {
  const still = { ...state, previewTop: 0 };
  return state.isSearch
    ? { ...still, hits: moveSelection(state.hits, by, rows) }
    : { ...still, list: moveSelection(state.list, by, rows) };
}

/** Sets the text and filters the titles; searching is up to the caller. */
export function withText(state: PickerState, text: TextBuffer): PickerState {
  const filter = fieldText(text);
  if (state.isSearch || filter === state.list.filter) return { ...state, text };
  return { ...state, text, previewTop: 0, list: filterSelection(state.list, filter, searchedText) };
}

/** Switches between titles and full-text search, keeping the text. */
export function withSearch(state: PickerState, isSearch: boolean): PickerState {
  return withText({ ...state, isSearch, previewTop: 0, isPreviewLarge: false }, state.text);
}

/**
 * Replaces the sessions. The cursor stays on its session, and on the same row of the screen; if that session is gone,
 * it stays on its position. Before the first key it stays on the newest session.
 */
export function withSessions(
  state: PickerState,
  sessions: readonly SessionRecord[],
  rows: number,
): PickerState {
  const { list } = state;
  const before = list.visible[list.selected];
  const filtered = filterSelection(createSelection(sessions), list.filter, searchedText);
  const same =
    before === undefined || state.isUntouched ? -1 : filtered.visible.findIndex((one) => isSame(one, before));
  const place = same === -1 ? Math.min(list.selected, Math.max(0, filtered.visible.length - 1)) : same;
  const top = Math.max(0, list.top + place - list.selected);
  return { ...state, list: windowAround({ ...filtered, selected: place, top }, rows) };
}

/** Updates a session in both lists, or removes it if `now` is undefined. */
export function withSession(
  state: PickerState,
  session: SessionRecord,
  now: SessionRecord | undefined,
  rows: number,
): PickerState {
  const sessions = state.list.items.flatMap((one) => (isSame(one, session) ? (now ?? []) : one));
  const hits = state.hits.items.flatMap((hit) =>
    isSame(hit.session, session) ? (now === undefined ? [] : { ...hit, session: now }) : hit,
  );
  const selected = Math.min(state.hits.selected, Math.max(0, hits.length - 1));
  return {
    ...withSessions(state, sessions, rows),
    hits: windowAround({ ...createSelection(hits), selected, top: state.hits.top }, rows),
  };
}

/** Sets the hits of a search. The cursor goes to the first hit, or stays on its hit if the query is the same. */
export function withHits(state: PickerState, searched: string, found: readonly SearchHit[]): PickerState {
  const before = state.searched === searched ? hitAtCursor(state) : undefined;
  const at = found.findIndex((hit) => hit.seq === before?.seq && isSame(hit.session, before.session));
  const hits = { ...createSelection(found), selected: Math.max(0, at), top: at === -1 ? 0 : state.hits.top };
  const kept = at === -1 ? { previewTop: 0 } : {};
  return { ...state, searched, hits, isSearching: false, ...kept };
}

/** Compares projects as well: copied files can give two sessions the same id. */
function isSame(a: SessionRecord, b: SessionRecord): boolean {
  return a.id === b.id && a.project === b.project;
}

const texts = new WeakMap<SessionRecord, string>();

/** The text that the filter matches, cached per session. */
export function searchedText(session: SessionRecord): string {
  const known = texts.get(session);
  if (known !== undefined) return known;
  const { title, gitBranch = '', id, root } = session;
  const text = `${title} ${gitBranch} ${id} ${projectName(session)}${root === undefined ? '' : ` ${root}`}`;
  const made = text.toLowerCase();
  texts.set(session, made);
  return made;
}

/** The last part of the project's path; if the log does not contain the path, the name of the project's folder. */
export function projectName({ root, project }: Pick<SessionRecord, 'root' | 'project'>): string {
  return root?.split(/[\\/]/).findLast((part) => part !== '') ?? project.replace(/-[0-9a-f]{8}$/, '');
}

/** The picker's own actions, and where its keys are read. Letters belong to the filter. */
export type PickerAct = 'search' | 'preview' | 'rename' | 'fork' | 'archive' | 'delete' | 'undo';

/** The picker's own action for a key; undefined for others. */
export function pickerActOf(name: DialogFocusAction): PickerAct | undefined {
  return acts[name];
}

/** The front dialog gets the keys. On an empty line, a character may be a key. */
export function pickerFocus({ dialog, text }: Pick<PickerState, 'dialog' | 'text'>): DialogFocus {
  if (dialog?.type === 'delete') return choicesFocus;
  if (dialog?.type === 'rename') return renameFocus;
  if (dialog?.type === 'help') return { contexts: [], typing: 'answer' };
  return text.units.length === 0 ? emptyFilterFocus : filterFocus;
}

/** The place while a text is typed; also used for hints, since every key it names works there. */
export const filterFocus: DialogFocus = { contexts: ['Sessions', 'Select'], typing: 'text' };
export const emptyFilterFocus: DialogFocus = { contexts: ['Sessions', 'Select'], typing: 'start' };
export const renameFocus: DialogFocus = { contexts: ['Select'], typing: 'text' };

const acts: Partial<Record<DialogFocusAction, PickerAct>> = {
  'sessions:search': 'search',
  'sessions:preview': 'preview',
  'sessions:rename': 'rename',
  'sessions:fork': 'fork',
  'sessions:archive': 'archive',
  'sessions:delete': 'delete',
  'sessions:undo': 'undo',
};
