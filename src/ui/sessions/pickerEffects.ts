/** What the picker does through its port: reads lists, hits and previews; renames, archives and deletes. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import {
  MAX_HITS,
  type PickerState,
  queryOf,
  searchedText,
  typed,
  withHits,
  withSession,
  withSessions,
} from './pickerState.ts';
import type { ActionResult, SessionsPort } from './SessionsPort.ts';

/** Fills the picker's two lists: sessions page by page from the index, hits after a pause in typing. */
interface PickerLists {
  /** Lists the sessions, then again after each change found on disk. */
  load(): Promise<void>;
  /** Lists the sessions of the current scope. */
  list(): Promise<void>;
  /** The first page fills the screen; each page after it takes about one frame. */
  searchSoon(): void;
  dispose(): void;
}

/** The first page fills the screen; each further page takes about one frame. */
const FIRST_PAGE = 100;
const PAGE = 1000;
/** Milliseconds without a key before a full-text search. */
const SEARCH_AFTER_MS = 150;
/** Minimum milliseconds between listings while the index is updated. */
const RELIST_MS = 400;
/** Maximum share of the time spent on listing. */
const RELIST_SHARE = 0.1;

export function createPickerLists(port: SessionsPort, store: PickerStore): PickerLists {
  let listing = 0;
  let relistMs = RELIST_MS;
  let relistTimer: ReturnType<typeof setTimeout> | undefined;
  let searchTimer: ReturnType<typeof setTimeout> | undefined;
  let searching: AbortController | undefined;
  const inScope = () => (store.get().scope === 'project' ? { project: port.project } : {});

  /** A newer listing cancels an older one. */
  const list = async (): Promise<void> => {
    listing += 1;
    const started = performance.now();
    const mine = listing;
    const query = inScope();
    const all: SessionRecord[] = [];
    for (let limit = FIRST_PAGE; ; limit = PAGE) {
      const page = await port.list({ ...query, offset: all.length, limit });
      if (store.isDisposed() || mine !== listing) return;
      // Prepares the text for filtering page by page, so that the first letter need not wait for it.
      for (const session of page) searchedText(session);
      all.push(...page);
      const isWhole = page.length < limit;
      // Except for the first page, the list is replaced only when complete.
      if (isWhole || store.get().list.items.length === 0)
        store.set(withSessions(store.get(), [...all], store.rows()));
      if (isWhole) {
        relistMs = Math.max(RELIST_MS, (performance.now() - started) / RELIST_SHARE);
        return;
      }
    }
  };

  const search = async (text: string, query: string): Promise<void> => {
    const mine = new AbortController();
    searching = mine;
    const answer = await port.search(query, { ...inScope(), limit: MAX_HITS, signal: mine.signal });
    if (mine.signal.aborted || store.isDisposed()) return;
    if (answer.type === 'found') store.set(withHits(store.get(), text, answer.hits));
    else
      store.set({
        ...withHits(store.get(), text, []),
        message: { level: 'error', text: answer.message },
      });
  };

  const searchSoon = (): void => {
    clearTimeout(searchTimer);
    searching?.abort();
    const state = store.get();
    if (!state.isSearch) return;
    const text = typed(state);
    if (text === '') {
      store.set(withHits(state, '', []));
      return;
    }
    store.set({ ...state, isSearching: true });
    searchTimer = setTimeout(() => void search(text, queryOf(state)), SEARCH_AFTER_MS);
  };

  return {
    list,
    async load() {
      await list();
      await port.refresh(() => {
        relistTimer ??= setTimeout(() => {
          relistTimer = undefined;
          void list();
        }, relistMs);
      });
      clearTimeout(relistTimer);
      relistTimer = undefined;
      if (store.isDisposed()) return;
      await list();
      store.set({ ...store.get(), isLoading: false });
      // Repeats the search on the updated index, unless the user is already moving through the hits.
      if (store.get().isSearch && store.get().hits.selected === 0) searchSoon();
    },
    searchSoon,
    dispose() {
      clearTimeout(relistTimer);
      clearTimeout(searchTimer);
      searching?.abort();
    },
  };
}

/** Renames, archives and deletes sessions that are not open, reports the result, and undoes the last change. */
interface PickerActions {
  rename(session: SessionRecord, title: string): Promise<void>;
  /** Archives or unarchives. */
  archive(session: SessionRecord): Promise<void>;
  remove(session: SessionRecord): Promise<void>;
  /** Undoes the last rename or archive. */
  undo(): Promise<void>;
}

/** The open session, which is renamed through its own log. */
export interface CurrentSession {
  readonly id: string;
  rename(title: string): void;
}

export function createPickerActions(
  port: SessionsPort,
  store: PickerStore,
  current: CurrentSession | undefined,
): PickerActions {
  let undo: (() => Promise<ActionResult>) | undefined;

  const tell = ({ type, message }: ActionResult): void =>
    store.set({ ...store.get(), message: { level: type === 'done' ? 'info' : 'error', text: message } });
  const replace = (session: SessionRecord, now: SessionRecord | undefined): void =>
    store.set(withSession(store.get(), session, now, store.rows()));

  const setTitle = async (session: SessionRecord, title: string): Promise<ActionResult> => {
    if (current?.id === session.id) current.rename(title);
    else {
      const result = await port.rename(session, title);
      if (result.type === 'failed') return result;
    }
    const renamed: SessionRecord = { ...session, title, titleSource: 'user' };
    replace(session, renamed);
    undo = () => setTitle(renamed, session.title);
    return { type: 'done', message: `Renamed to “${title}” · Ctrl+Z to undo` };
  };
  const setArchived = async (session: SessionRecord, isArchived: boolean): Promise<ActionResult> => {
    const result = await (isArchived ? port.archive(session) : port.unarchive(session));
    if (result.type === 'failed') return result;
    const moved: SessionRecord = { ...(result.session ?? session), isArchived };
    replace(session, moved);
    undo = () => setArchived(moved, !isArchived);
    return { ...result, message: `${result.message} · Ctrl+Z to undo` };
  };

  return {
    async rename(session, title) {
      if (title !== '' && title !== session.title) tell(await setTitle(session, title));
    },
    async archive(session) {
      if (current?.id === session.id) tell(openHere('archived'));
      else tell(await setArchived(session, !session.isArchived));
    },
    async remove(session) {
      const result = current?.id === session.id ? openHere('deleted') : await port.remove(session);
      if (result.type === 'done') replace(session, undefined);
      tell(result);
    },
    async undo() {
      const last = undo;
      undo = undefined;
      tell(last === undefined ? { type: 'failed', message: 'Nothing to undo.' } : await last());
    },
  };
}

function openHere(done: string): ActionResult {
  return { type: 'failed', message: `It is open here, so it cannot be ${done}.` };
}

/** Reads previews once the cursor has rested on an item, and caches them. */
interface Previews {
  /** The entries, or undefined until they have been read. */
  of(session: SessionRecord, aroundSeq: number | undefined): readonly JSONLEntry[] | undefined;
  dispose(): void;
}

/** Milliseconds that the cursor must rest before a preview is read. */
const REST_MS = 60;
/** Maximum cached previews. */
const MAX_KEPT = 32;

/** `onRead` is called when `of` would return something new. */
export function createPreviews(port: Pick<SessionsPort, 'preview'>, onRead: () => void): Previews {
  const kept = new Map<string, readonly JSONLEntry[]>();
  let wanted: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading: AbortController | undefined;

  const read = async (key: string, session: SessionRecord, seq: number | undefined): Promise<void> => {
    const mine = new AbortController();
    reading = mine;
    const entries = await port.preview(session, seq, mine.signal);
    if (mine.signal.aborted) return;
    kept.set(key, entries);
    for (const [oldest] of kept) if (kept.size > MAX_KEPT) kept.delete(oldest);
    if (wanted === key) onRead();
  };
  return {
    of(session, seq) {
      const key = `${session.project}/${session.id}/${session.bytes}/${seq ?? 'end'}`;
      const known = kept.get(key);
      if (wanted === key) return known;
      wanted = key;
      clearTimeout(timer);
      reading?.abort();
      if (known !== undefined) return known;
      timer = setTimeout(() => void read(key, session, seq), REST_MS);
      return undefined;
    },
    dispose() {
      clearTimeout(timer);
      reading?.abort();
    },
  };
}

/** The picker's state, shared by keys, lists and actions. */
interface PickerStore {
  get(): PickerState;
  /** Ignored after `dispose`. */
  set(next: PickerState): void;
  /** Visible items of the list at the last key. */
  rows(): number;
  isDisposed(): boolean;
}
