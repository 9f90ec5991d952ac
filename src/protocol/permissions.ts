/** The words of a permission question: what a tool wants, what the rules say, what the user answers. */

/**
 * In the order in which they are listed. `auto`: a judge decides what would be asked; `dontAsk`: it is denied.
 * Aliases (autoEdit, yolo, manual) are resolved by `config`.
 */
export const permissionModes = [
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** What a mode is called on screen. */
export const modeLabels: Readonly<Record<PermissionMode, string>> = {
  default: 'default',
  acceptEdits: 'accept edits',
  plan: 'plan',
  auto: 'auto',
  dontAsk: "don't ask",
  bypassPermissions: 'bypass permissions',
};

/** What a call wants to do, in the terms that rules are written in. Paths are absolute, not yet resolved. */
export type Access =
  /** Nothing outside the session is touched. */
  | { readonly type: 'none' }
  /** What the call does cannot be known here: a tool of another program, such as an MCP server. */
  | { readonly type: 'unknown' }
  | ({ readonly type: 'read' | 'write' } & AccessPaths)
  | { readonly type: 'command'; readonly command: string; readonly cwd: string }
  /** A request to a host on the web; `domain` is that host in lower case, without port and without a dot at the end. */
  | { readonly type: 'web'; readonly url: string; readonly domain: string }
  | { readonly type: 'plan' }
  /** Something that a rule can name: `Skill(review)`. By itself it touches nothing outside the session. */
  | { readonly type: 'named'; readonly name: string };

export interface AccessPaths {
  readonly paths: readonly string[];
  /**
   * Where each of them led when the call was prepared. It is decided about these, and the call touches nothing else.
   * Absent: looked up when it is decided.
   */
  readonly realPaths?: readonly string[];
}

/** Exactly what will happen, for the eyes of the user. A `realPath` is given where a path leads elsewhere. */
export type Preview =
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly realPath?: string;
      readonly diff: string;
      readonly isNew: boolean;
    }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly cwd: string;
      readonly description?: string;
      /** Where it would run: in which sandbox, or why in none. */
      readonly confinement?: string;
    }
  | ({ readonly type: 'paths'; readonly verb: string } & AccessPaths)
  | { readonly type: 'plan'; readonly plan: string }
  | { readonly type: 'text'; readonly text: string };

/** A rule that "always" would save: its text, and where it goes. */
export interface RuleSuggestion {
  readonly rules: readonly string[];
  readonly destination: 'session' | 'local' | 'mode';
  /** Absolute path of the file for `local`. */
  readonly file?: string;
  /** What the choice says, e.g. "Yes, and don't ask again for Bash(npm test)". */
  readonly label: string;
  /** How far it goes, e.g. "saved to .clawdcode.local.json". */
  readonly detail?: string;
}

/** What the user is asked: whether a call may run, or whether the turn may go on. */
export type PermissionQuestion = CallQuestion | TurnQuestion;

interface QuestionHead {
  readonly id: string;
  /** The agent that asks; the answer is an op for this one. */
  readonly agentId: string;
  readonly title: string;
  readonly preview: Preview;
  /** Why it is asked: the rule, the mode or the built-in caution that led here. */
  readonly reason: string;
  readonly suggestion?: RuleSuggestion;
  /** A command that would run in the sandbox: the user may let all of these run without a question. */
  readonly canAutoAllow?: boolean;
  /** What is asked, where it is not whether the call may run: whether a host may be reached, or a run leave the sandbox. */
  readonly headline?: string;
}

export interface CallQuestion extends QuestionHead {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}

/** About no single call: the model repeats itself, and the turn ends unless the user lets it continue. */
export interface TurnQuestion extends QuestionHead {
  readonly headline: string;
  readonly callId?: never;
  readonly tool?: never;
  readonly input?: never;
}

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      readonly remember?: boolean;
      /** From now on commands in the sandbox run without a question, in this session. */
      readonly autoAllow?: boolean;
    }
  | {
      readonly behavior: 'deny';
      readonly comment?: string;
      readonly interrupt?: boolean;
      /** The user was not asked: the run is not interactive, or the mode never asks. */
      readonly unasked?: true;
    };

/**
 * What lets a call run: it only looks, so the user was not asked; the sandbox that it runs in (`sandbox.autoAllow`); a rule;
 * the mode; the judge of the mode `auto`; the user's answer; or it is the user's own command (`!`).
 */
export type PermissionBasis = 'read-only' | 'sandbox' | 'rule' | 'mode' | 'judge' | 'user' | 'own';

/** How an allowed call came to run; handed to the tool and recorded with the result. */
export interface Grant {
  readonly basis: PermissionBasis;
  /** Why it was asked, or what allowed it. */
  readonly reason?: string;
  /** The rule that allowed it, as written, with its source. */
  readonly rule?: { readonly text: string; readonly source: string };
}

/** What an `ask` is about, for code that acts on it. In the mode `auto` a `limit` is never a judge's to lift. */
export type AskCause =
  /** An ordinary file of the workspace would change; its path with links resolved. */
  | { readonly type: 'edit'; readonly path: string }
  /** A part of a command that is known to work on the workspace only; as written. */
  | { readonly type: 'command'; readonly text: string }
  | { readonly type: 'web'; readonly domain: string }
  /** `isSecret`: something would be read or written that may hold secrets. */
  | { readonly type: 'limit'; readonly reason: string; readonly isSecret?: true };

/** What the rules and the mode say of one access. */
export interface PermissionDecision {
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  /** With `allow`. */
  readonly basis?: Exclude<PermissionBasis, 'user' | 'own'>;
  /** The rule that decided, as written, with its source. */
  readonly rule?: { readonly text: string; readonly source: string };
  /** With `ask`: everything that asks, not only what the reason names. Absent = unknown, which counts as a limit. */
  readonly causes?: readonly AskCause[];
  readonly suggestion?: RuleSuggestion;
  /** With `ask`: the command would run in the sandbox, so that the user may stop these questions. */
  readonly canAutoAllow?: boolean;
}

// Why a call is allowed, asked about or denied, as plain data: for `/permissions why` and `clawdcode permissions test`.

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
  /** The folders that it may run in, absolute; null = unknown. */
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
