/** Why a call is allowed, asked about or denied, as plain data: for `/permissions why` and `clawdcode permissions test`. */
import type { PermissionDecision, PermissionMode } from './permissions.ts';

export interface PermissionExplanation {
  readonly tool: string;
  readonly mode: PermissionMode;
  /** The command, the path or the address. */
  readonly call: string;
  /** Where a command would run; absolute. */
  readonly cwd?: string;
  readonly behavior: PermissionDecision['behavior'];
  /** A line for each reason. */
  readonly reason: string;
  readonly rule?: PermissionDecision['rule'];
  /** The rules that "always" would save; empty where it is not offered. */
  readonly saves: readonly string[];
  /** Whether a command was understood to the last character. */
  readonly isUnderstood: boolean;
  readonly parts: readonly ExplainedPart[];
}

/** One command of a line, one file that it is redirected to or from, or one path. */
export interface ExplainedPart {
  readonly text: string;
  /** The words as written, with their values; null = only the shell knows. */
  readonly words: readonly { readonly source: string; readonly value: string | null }[];
  /** The folders that it may run in, absolute; null = nobody can say. */
  readonly folders: readonly string[] | null;
  /** Absent where the mode or a rule settled the whole call, so that the parts were not decided one by one. */
  readonly verdict?: ExplainedVerdict;
}

export interface ExplainedVerdict {
  readonly behavior: PermissionDecision['behavior'];
  readonly reason: string;
  readonly rule?: PermissionDecision['rule'];
  /** The row of a built-in table that let it pass, e.g. "commands that only look: ls". */
  readonly row?: string;
  /** Rules that name the command and do not reach this call. */
  readonly stopped: readonly {
    readonly text: string;
    readonly source: string;
    /** What the rule does not cover, as the end of a sentence. */
    readonly reason: string;
    readonly row?: string;
  }[];
}
