/** What the picker reads and does through its port: lists, hits, previews; renaming, archiving, deleting. */
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

/** Fills the picker's two lists: sessions page by page from the index, hits once the keys pause. */
interface PickerLists {
  /** The first list, then what has changed on disk since the index was written. */
  load(): Promise<void>;
  /** The sessions of the scope as it is now. */
  list(): Promise<void>;
  /** Searches for the text as it is now, soon; what was asked before is no longer of interest. */
  searchSoon(): void;
  dispose(): void;
}

/** Enough for the first screen; the rest follows in pages of a frame's work each. */
const FIRST_PAGE = 100;
const PAGE = 1000;
/** Milliseconds without a key before everything is searched. */
const SEARCH_AFTER_MS = 150;
/** Milliseconds between two looks at the list while the index is being brought up to date. */
const RELIST_MS = 400;
/** A look may take this share of the time. */
const RELIST_SHARE = 0.1;

export function createPickerLists(port: SessionsPort, store: PickerStore): PickerLists {
  let listing = 0;
  let relistMs = RELIST_MS;
  let relistTimer: ReturnType<typeof setTimeout> | undefined;
  let searchTimer: ReturnType<typeof setTimeout> | undefined;
  let searching: AbortController | undefined;
  const inScope = () => (store.get().scope === 'project' ? { project: port.project } : {});

  /** A later listing takes the place of an earlier one. */
  const list = async (): Promise<void> => {
    listing += 1;
    const started = performance.now();
    const mine = listing;
    const query = inScope();
    const all: SessionRecord[] = [];
    for (let limit = FIRST_PAGE; ; limit = PAGE) {
      const page = await port.list({ ...query, offset: all.length, limit });
      if (store.isDisposed() || mine !== listing) return;
      // What a filter looks at is worked out here, page by page, so that the first letter need not wait for it.
      for (const session of page) searchedText(session);
      all.push(...page);
      const isWhole = page.length < limit;
      // What is on screen stays until all of it is there, but for the first time.
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
      // What was looked for meanwhile may be found now; but who is on the way through the hits is left alone.
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

/** What the picker does to a session that is not open: renames, archives and deletes it, says so, takes it back. */
interface PickerActions {
  rename(session: SessionRecord, title: string): Promise<void>;
  /** Into the archive, or out of it. */
  archive(session: SessionRecord): Promise<void>;
  remove(session: SessionRecord): Promise<void>;
  /** Takes the last renaming or archiving back. */
  undo(): Promise<void>;
}

/** The open session, whose log is its own: its title is changed through it. */
export interface CurrentSession {
  readonly id: string;
  rename(title: string): void;
}

export function createPickerActions(
  port: SessionsPort,
  store: PickerStore,
  current: CurrentSession | undefined,
): PickerActions {
  let takeBack: (() => Promise<ActionResult>) | undefined;

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
    takeBack = () => setTitle(renamed, session.title);
    return { type: 'done', message: `Renamed to “${title}” · Ctrl+Z to undo` };
  };
  const setArchived = async (session: SessionRecord, isArchived: boolean): Promise<ActionResult> => {
    const result = await (isArchived ? port.archive(session) : port.unarchive(session));
    if (result.type === 'failed') return result;
    const moved: SessionRecord = { ...(result.session ?? session), isArchived };
    replace(session, moved);
    takeBack = () => setArchived(moved, !isArchived);
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
      const last = takeBack;
      takeBack = undefined;
      tell(last === undefined ? { type: 'failed', message: 'Nothing to undo.' } : await last());
    },
  };
}

function openHere(done: string): ActionResult {
  return { type: 'failed', message: `It is open here, so it cannot be ${done}.` };
}

/** What the preview shows: read a moment after the cursor has come to rest, and kept for when it comes back. */
interface Previews {
  /** What is known by now; undefined while it is being read. */
  of(session: SessionRecord, aroundSeq: number | undefined): readonly JSONLEntry[] | undefined;
  dispose(): void;
}

/** Milliseconds that the cursor rests before anything is read. */
const REST_MS = 60;
/** Previews that are kept. */
const MAX_KEPT = 32;

/** `onRead` is called when `of` has something new to say. */
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

/** The picker's one state, as its parts share it: keys, lists and actions all change it, each at its own time. */
interface PickerStore {
  get(): PickerState;
  /** Ignored once the picker is gone. */
  set(next: PickerState): void;
  /** Items of the list that were on screen when the last key came. */
  rows(): number;
  isDisposed(): boolean;
}
