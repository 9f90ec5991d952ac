/** Sessions as they are listed, found and shown: what the catalogue knows of each, without opening it. */

/** One session in a list. */
export interface SessionRecord {
  readonly id: string;
  /** Absolute path of the log, or of the archive that it was compressed into. */
  readonly file: string;
  /** The folder below `projects/` that it lies in. */
  readonly project: string;
  /** The project's root as the session last knew it; absent in a log that has lost it. */
  readonly root: string | undefined;
  /** True when that root is no longer there, or is another folder now. */
  readonly isMoved: boolean;
  readonly title: string;
  /** Where the title comes from: the user, the model, or the first request. */
  readonly titleSource: 'user' | 'model' | 'prompt';
  readonly createdAt: Date;
  /** When something other than a title was written last. */
  readonly updatedAt: Date;
  readonly bytes: number;
  readonly gitBranch: string | undefined;
  /** Entries in the log. */
  readonly messageCount: number;
  readonly promptCount: number;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; undefined when the price is unknown. */
  readonly costUsd: number | undefined;
  readonly isArchived: boolean;
  /** The session that it was forked from. */
  readonly forkedFrom: string | undefined;
  /** The last few things said, oldest first; what the user said begins with "> ". */
  readonly lastLines: readonly string[];
}

/** Which sessions to list. */
export interface SessionQuery {
  /** Only this folder below `projects/`, or these; all projects without it. */
  readonly project?: string | readonly string[];
  /** Also those in the archive; true unless said otherwise. */
  readonly archived?: boolean;
  /** Part of a title, branch or id, whatever the case. */
  readonly filter?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** A place where something was said or seen. */
export interface SearchHit {
  readonly session: SessionRecord;
  /** Position of the entry in its session. */
  readonly seq: number;
  readonly timestamp: Date;
  /** Who said it, or which tool showed it: "you", "model", "Bash". */
  readonly who: string;
  /** One line around the words. */
  readonly snippet: string;
  /** Where the words are in the snippet, in UTF-16 units: [start, end). */
  readonly marks: readonly (readonly [number, number])[];
}
