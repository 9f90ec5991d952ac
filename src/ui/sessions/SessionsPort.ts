/** The port to sessions that are not open; implemented in `cli`. Nothing here ever throws. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SearchHit, SessionQuery, SessionRecord } from '../../protocol/sessions.ts';

export interface SessionsPort {
  /** The project in which the program was started: its folder in `projects/`. */
  readonly project: string;
  /** True for sessions that are listed only because their folder, now gone, had the same git remote. */
  isLikely(project: string): boolean;
  /** Newest first, from the index: opens no files. */
  list(query: SessionQuery): Promise<readonly SessionRecord[]>;
  /** Updates the index from disk; calls `onChange` whenever `list` would return something new. */
  refresh(onChange: () => void): Promise<void>;
  /** Full-text search, newest hits first. */
  search(text: string, options: SearchOptions): Promise<SearchAnswer>;
  /**
   * The entries around a position, or the last ones without it, oldest first. If aborted, returns what was read so far.
   */
  preview(
    session: SessionRecord,
    aroundSeq: number | undefined,
    signal: AbortSignal,
  ): Promise<readonly JSONLEntry[]>;
  rename(session: SessionRecord, title: string): Promise<ActionResult>;
  archive(session: SessionRecord): Promise<ActionResult>;
  unarchive(session: SessionRecord): Promise<ActionResult>;
  /** Deletes permanently. */
  remove(session: SessionRecord): Promise<ActionResult>;
}

interface SearchOptions {
  /** Searches only this folder in `projects/`. */
  readonly project?: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

type SearchAnswer =
  | { readonly type: 'found'; readonly hits: readonly SearchHit[] }
  /** The reason, ready to show. */
  | { readonly type: 'failed'; readonly message: string };

/** The result of an action on a session; messages are ready to show. */
export type ActionResult =
  | {
      readonly type: 'done';
      readonly message: string;
      /** The updated record, if its file or size has changed. */
      readonly session?: SessionRecord;
    }
  | { readonly type: 'failed'; readonly message: string };
