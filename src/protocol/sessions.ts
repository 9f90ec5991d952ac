/** Sessions in lists and searches: the catalogue's facts about each, available without opening it. */

/** One session in a list. */
export interface SessionRecord {
  readonly id: string;
  /** Absolute path of the log, or of its compressed archive. */
  readonly file: string;
  /** Its folder name in `projects/`. */
  readonly project: string;
  /** The project's root as last recorded in the session; undefined if the log has lost it. */
  readonly root: string | undefined;
  /** True if that root no longer exists, or is a different folder now. */
  readonly isMoved: boolean;
  readonly title: string;
  /** The source of the title: the user, the model, or the first prompt. */
  readonly titleSource: 'user' | 'model' | 'prompt';
  readonly createdAt: Date;
  /** Time of the last change other than to the title. */
  readonly updatedAt: Date;
  readonly bytes: number;
  readonly gitBranch: string | undefined;
  /** Number of entries in the log. */
  readonly messageCount: number;
  readonly promptCount: number;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; undefined if the price is unknown. */
  readonly costUsd: number | undefined;
  readonly isArchived: boolean;
  /** True if not all of it could be read for lists and searches: it is damaged, or exceeds a limit. */
  readonly isPartial: boolean;
  /** The session that it was forked from. */
  readonly forkedFrom: string | undefined;
  /** The last few messages, oldest first; the user's start with "> ". */
  readonly lastLines: readonly string[];
}

/** Selects the sessions to list. */
export interface SessionQuery {
  /** Only sessions in these folders of `projects/`; absent = all projects. */
  readonly project?: string | readonly string[];
  /** Includes archived sessions; true by default. */
  readonly archived?: boolean;
  /** Part of a title, branch or id, ignoring case. */
  readonly filter?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** A search result. */
export interface SearchHit {
  readonly session: SessionRecord;
  /** Position of the entry in its session. */
  readonly seq: number;
  readonly timestamp: Date;
  /** The author or the tool: "you", "model", "Bash". */
  readonly who: string;
  /** One line of text around the match. */
  readonly snippet: string;
  /** Positions of the matches in the snippet, in UTF-16 units: [start, end). */
  readonly marks: readonly (readonly [number, number])[];
}
