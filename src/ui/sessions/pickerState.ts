/** The picker of sessions as it changes under the cursor: two lists (sessions, hits), one line of text. Pure. */
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { choicesPlace } from '../dialog/choices.ts';
import { fieldText } from '../dialog/field.ts';
import {
  createSelection,
  filterSelection,
  moveSelection,
  type Selection,
  windowAround,
} from '../dialog/selection.ts';
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogPlace, PlaceAction } from '../keys/keymap.ts';

export type Scope = 'project' | 'all';

/** Hits that a search asks for: who wants more had better say more. */
export const MAX_HITS = 100;

/** What covers the list for a moment. */
export type PickerDialog =
  | { readonly type: 'help' }
  | { readonly type: 'rename'; readonly session: SessionRecord; readonly buffer: TextBuffer }
  | { readonly type: 'delete'; readonly session: SessionRecord; readonly selected: number };

export interface PickerState {
  readonly scope: Scope;
  /** The text is looked for in everything that was said, and not in titles. */
  readonly isSearch: boolean;
  readonly text: TextBuffer;
  readonly list: Selection<SessionRecord>;
  readonly hits: Selection<SearchHit>;
  /** Of the hits: what was looked for; empty before the first search. */
  readonly searched: string;
  readonly isSearching: boolean;
  /** The list is not complete yet. */
  readonly isLoading: boolean;
  /** No key was pressed yet: nobody has chosen the session under the cursor. */
  readonly isUntouched: boolean;
  readonly isPreviewLarge: boolean;
  /** Lines of the large preview that have scrolled away above. */
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

/** What was typed, without blanks around it. */
export function typed({ text }: PickerState): string {
  return fieldText(text).trim();
}

/**
 * What is looked for: while a word is still being typed, its beginning; behind a blank or in quotes, the whole word. A
 * single letter is no beginning of use.
 */
export function queryOf({ text }: PickerState): string {
  const whole = fieldText(text);
  const isOpen = /[\p{L}\p{N}]{2}$/u.test(whole) && whole.split('"').length % 2 === 1;
  return isOpen ? `${whole.trim()}*` : whole.trim();
}

export function hitAtCursor({ isSearch, hits }: PickerState): SearchHit | undefined {
  return isSearch ? hits.visible[hits.selected] : undefined;
}

/** The session under the cursor, be it itself in the list or the session of a hit. */
export function sessionAtCursor(state: PickerState): SessionRecord | undefined {
  return state.isSearch ? hitAtCursor(state)?.session : state.list.visible[state.list.selected];
}

/** Moves the cursor by rows; `rows` of the list are visible at once. */
export function moved(state: PickerState, by: number, rows: number): PickerState {
  const still = { ...state, previewTop: 0 };
  return state.isSearch
    ? { ...still, hits: moveSelection(state.hits, by, rows) }
    : { ...still, list: moveSelection(state.list, by, rows) };
}

/** Another text in the line: titles are filtered at once, a search follows by itself. */
export function withText(state: PickerState, text: TextBuffer): PickerState {
  const filter = fieldText(text);
  if (state.isSearch || filter === state.list.filter) return { ...state, text };
  return { ...state, text, previewTop: 0, list: filterSelection(state.list, filter, searchedText) };
}

/** Titles or everything; the text stays and means the other thing from now on. */
export function withSearch(state: PickerState, isSearch: boolean): PickerState {
  return withText({ ...state, isSearch, previewTop: 0, isPreviewLarge: false }, state.text);
}

/**
 * Other sessions in the list. The cursor stays on the session on which it stood, and its row stays where it was
 * on screen; when that session is gone, on what took its place. Before the first key it is on the newest one.
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

/** The session as it is now, in both lists; undefined takes it out of them. */
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

/**
 * What a search found. The first hit is under the cursor; when the same was looked for before, the one that was.
 */
export function withHits(state: PickerState, searched: string, found: readonly SearchHit[]): PickerState {
  const before = state.searched === searched ? hitAtCursor(state) : undefined;
  const at = found.findIndex((hit) => hit.seq === before?.seq && isSame(hit.session, before.session));
  const hits = { ...createSelection(found), selected: Math.max(0, at), top: at === -1 ? 0 : state.hits.top };
  const kept = at === -1 ? { previewTop: 0 } : {};
  return { ...state, searched, hits, isSearching: false, ...kept };
}

/** Ids are unique in a project only as far as nobody copies files about. */
function isSame(a: SessionRecord, b: SessionRecord): boolean {
  return a.id === b.id && a.project === b.project;
}

const texts = new WeakMap<SessionRecord, string>();

/** What a filter looks at; worked out once for each session. */
export function searchedText(session: SessionRecord): string {
  const known = texts.get(session);
  if (known !== undefined) return known;
  const { title, gitBranch = '', id, root } = session;
  const text = `${title} ${gitBranch} ${id} ${projectName(session)}${root === undefined ? '' : ` ${root}`}`;
  const made = text.toLowerCase();
  texts.set(session, made);
  return made;
}

/** The last part of the project's path, or of its folder's name when the log has lost the path. */
export function projectName({ root, project }: Pick<SessionRecord, 'root' | 'project'>): string {
  return root?.split(/[\\/]/).findLast((part) => part !== '') ?? project.replace(/-[0-9a-f]{8}$/, '');
}

/** Where the keys of the picker are read, and which of its own actions do what. Letters are for the filter. */
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
