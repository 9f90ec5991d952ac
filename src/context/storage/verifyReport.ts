/** What `verifySession` finds; plain data, to be printed or counted. */
import type { DamagedLine, SeqRange } from './damage.ts';

/** Something that an entry points to and that is not there, or not what it was. */
export interface BlobProblem {
  /** Position of the first entry that points to it. */
  readonly seq: number;
  readonly hash: string;
  readonly problem: 'missing' | 'wrong size' | 'wrong content';
}

export interface VerifyReport {
  /** Absolute path of the log. */
  readonly file: string;
  readonly bytes: number;
  /** Entries that can be read, each counted once. */
  readonly entries: number;
  /** The same by `subtype`, or `type` where there is none. */
  readonly counts: Readonly<Record<string, number>>;
  /** Lines that could not be read as they were written, with their places in the file. */
  readonly damaged: readonly DamagedLine[];
  /** Positions below that of the last entry that no entry has. */
  readonly gaps: readonly SeqRange[];
  /** Uuids that the file has more than once; harmless, each is read once. */
  readonly duplicates: readonly string[];
  /** False when lines stand in another order than they were written in; harmless too. */
  readonly isSorted: boolean;
  /** Entries whose `parentUuid` is not the entry before them. */
  readonly brokenLinks: readonly BrokenLink[];
  /** Calls without a result: of a session that is not open, cut short by a crash, and closed when it is resumed. */
  readonly unansweredCalls: readonly UnansweredCall[];
  /** Contents beside the log that the session points to. */
  readonly blobs: number;
  readonly blobProblems: readonly BlobProblem[];
  /** True when a list above ends before all was listed. */
  readonly isShortened: boolean;
  /** True when a repair would change something. */
  readonly isDamaged: boolean;
}

export interface BrokenLink {
  readonly seq: number;
  readonly parentUuid: string | null;
}

export interface UnansweredCall {
  readonly seq: number;
  readonly callId: string;
  readonly tool: string;
}
