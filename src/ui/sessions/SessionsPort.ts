/** What the screen may ask about sessions that are not open; plugged in `cli`. Nothing here ever throws. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SearchHit, SessionQuery, SessionRecord } from '../../protocol/sessions.ts';

export interface SessionsPort {
  /** The folder below `projects/` of the project in which the program was started. */
  readonly project: string;
  /** Newest first, from the index: nothing is opened. */
  list(query: SessionQuery): Promise<readonly SessionRecord[]>;
  /** Looks at what has changed on disk since; `onChange` is called whenever `list` has something new to say. */
  refresh(onChange: () => void): Promise<void>;
  /** Where the words were said or seen, newest first. */
  search(text: string, options: SearchOptions): Promise<SearchAnswer>;
  /** The entries around a position, oldest first; of the end without one. What was read so far when it is stopped. */
  preview(
    session: SessionRecord,
    aroundSeq: number | undefined,
    signal: AbortSignal,
  ): Promise<readonly JSONLEntry[]>;
  rename(session: SessionRecord, title: string): Promise<ActionResult>;
  archive(session: SessionRecord): Promise<ActionResult>;
  unarchive(session: SessionRecord): Promise<ActionResult>;
  /** For good: nothing brings it back. */
  remove(session: SessionRecord): Promise<ActionResult>;
}

export interface SearchOptions {
  /** Only this folder below `projects/`. */
  readonly project?: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export type SearchAnswer =
  | { readonly type: 'found'; readonly hits: readonly SearchHit[] }
  /** Why not, ready to show. */
  | { readonly type: 'failed'; readonly message: string };

/** What became of something that was done to a session; messages are ready to show. */
export type ActionResult =
  | {
      readonly type: 'done';
      readonly message: string;
      /** As it is now, where it lies in another file or has another size. */
      readonly session?: SessionRecord;
    }
  | { readonly type: 'failed'; readonly message: string };
