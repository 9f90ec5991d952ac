/** Fills the picker's two lists: sessions page by page from the index, hits once the keys pause. */
import type { SessionRecord } from '../../protocol/sessions.ts';
import { MAX_HITS, queryOf, searchedText, typed, withHits, withSessions } from './pickerState.ts';
import type { PickerStore } from './pickerStore.ts';
import type { SessionsPort } from './SessionsPort.ts';

export interface PickerLists {
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
