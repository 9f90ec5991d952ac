/** Types of permissions: what a tool wants to do, the decision of the rules, and the user's answer. */
import type { FieldAnswer, Form } from './forms.ts';

/**
 * In display order. `auto`: a judge decides what would need approval; `dontAsk`: it is denied. Aliases (autoEdit, yolo,
 * manual) are resolved by `config`.
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

/** Display names of the modes. */
export const modeLabels: Readonly<Record<PermissionMode, string>> = {
  default: 'default',
  acceptEdits: 'accept edits',
  plan: 'plan',
  auto: 'auto',
  dontAsk: "don't ask",
  bypassPermissions: 'bypass permissions',
};

/** What a call wants to do, in the terms of permission rules. Paths are absolute, links not yet resolved. */
export type Access =
  /** Touches nothing outside the session. */
  | { readonly type: 'none' }
  /** The effects of the call are unknown: a tool of another program, such as an MCP server. */
  | { readonly type: 'unknown'; readonly definition?: McpToolDefinition }
  | ({ readonly type: 'read' | 'write' } & AccessPaths)
  | { readonly type: 'command'; readonly command: string; readonly cwd: string }
  /** A request to a web host; `domain` is the host in lower case, without port and trailing dot. */
  | { readonly type: 'web'; readonly url: string; readonly domain: string }
  | { readonly type: 'plan' }
  /** Asks the user for answers: only the user can allow that. */
  | { readonly type: 'question' }
  /** Named by a rule, for example `Skill(review)`. Touches nothing outside the session. */
  | { readonly type: 'named'; readonly name: string };

export interface AccessPaths {
  readonly paths: readonly string[];
  /**
   * The resolved paths at the time the call was prepared. The decision is about these, and the call touches nothing
   * else. Absent: resolved at the time of the decision.
   */
  readonly realPaths?: readonly string[];
}

/** Shows the user exactly what will happen. `realPath` is given if a link leads elsewhere. */
export type Preview =
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly realPath?: string;
      /** A carriage return in it is a change, not the usual end of the file's lines. */
      readonly diff: string;
      readonly isNew: boolean;
      /** All lines of a new file end with `\r\n`, which the diff does not show. */
      readonly endsLinesWithPairs?: true;
    }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly cwd: string;
      readonly description?: string;
      /** The sandbox of the command, or the reason why there is none. */
      readonly confinement?: string;
      /** Before it is run again: what the first run has changed, a sentence per file, not sanitized. */
      readonly changed?: readonly string[];
    }
  | ({ readonly type: 'paths'; readonly verb: string } & AccessPaths)
  | { readonly type: 'plan'; readonly plan: string }
  /** Questions that the user answers; an `allow` carries the answers. */
  | ({ readonly type: 'form' } & Form)
  | { readonly type: 'text'; readonly text: string };

/** The rule that "always" would save, and where. */
export interface RuleSuggestion {
  readonly rules: readonly string[];
  readonly destination: 'session' | 'local' | 'mode';
  /** The mode for `mode`; absent = acceptEdits. */
  readonly mode?: 'default';
  /** Absolute path of the file for `local`. */
  readonly file?: string;
  /** The text of the choice; for example "Yes, and don't ask again for Bash(npm test)". */
  readonly label: string;
  /** The scope of the choice; for example "saved to .clawdcode.local.json". */
  readonly detail?: string;
  /** The rule is bound to this. */
  readonly binds?: McpToolDefinition;
  /** There is such a rule already; it is only bound again. */
  readonly isOnlyBound?: true;
}

/** A question to the user: whether a call may run, or whether the turn may continue. */
export type PermissionQuestion = CallQuestion | TurnQuestion;

interface QuestionHead {
  readonly id: string;
  /** The agent that asks; the op with the answer goes to it. */
  readonly agentId: string;
  /** The subagent that asks, on behalf of the agent `agentId`; absent if that agent asks itself. */
  readonly from?: string;
  /** The worktree that the subagent works in: an absolute path. */
  readonly worktree?: string;
  readonly title: string;
  readonly preview: Preview;
  /** Why approval is needed: the rule, the mode or the built-in limit behind the question. */
  readonly reason: string;
  readonly suggestion?: RuleSuggestion;
  /** The command would run in the sandbox: the user may let all such commands run without approval. */
  readonly canAutoAllow?: boolean;
  /**
   * The user may approve it without having seen all of the preview, if they were told: a plan, or a change to an ordinary
   * file of the workspace, which nothing runs yet and a rewind undoes.
   */
  readonly canSkim?: true;
  /**
   * The question, if it is not whether the call may run: whether a host may be reached, or a command may leave the
   * sandbox.
   */
  readonly headline?: string;
}

export interface CallQuestion extends QuestionHead {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}

/** Not about a single call: the model repeats itself, and the turn ends unless the user lets it continue. */
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
      /** With `remember`: saves only this, which is a part of what the question offers. */
      readonly remembered?: Pick<RuleSuggestion, 'rules' | 'destination'>;
      /** Runs the call with this input instead; it is checked and decided like one of the model. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      /** Sandboxed commands run without approval for the rest of this session. */
      readonly autoAllow?: boolean;
      /** The answers to a form, one for each field. */
      readonly answers?: readonly FieldAnswer[];
      /** The name of the choice on the form's last page. */
      readonly choice?: string;
    }
  | {
      readonly behavior: 'deny';
      readonly comment?: string;
      readonly interrupt?: boolean;
      /** The name of the choice on the form's last page; absent if the form was dismissed. */
      readonly choice?: string;
      /** The user did not decide: the run is headless, the mode never asks, or a host could not answer. */
      readonly unasked?: true;
      /** Not an answer: another answer has changed the rules, so they decide about the call again. */
      readonly outdated?: true;
    };

/**
 * Why a call may run: it is read-only; it runs in the sandbox (`sandbox.autoAllow`); a rule, the mode, the judge of
 * mode `auto` or the user allowed it; or it is the user's own command (`!`).
 */
export type PermissionBasis = 'read-only' | 'sandbox' | 'rule' | 'mode' | 'judge' | 'user' | 'own';

/** How a call was approved; passed to the tool and recorded with the result. */
export interface Grant {
  readonly basis: PermissionBasis;
  /** Why approval was needed, or what allowed the call. */
  readonly reason?: string;
  /** The rule that allowed it, as written, with its source. */
  readonly rule?: { readonly text: string; readonly source: string };
  /** The user has approved no part of the command: it runs in the environment of read-only commands. */
  readonly isGuarded?: true;
  /** A rule has approved only a part of the command, and another part shows files: the output is redacted. */
  readonly showsUnapproved?: true;
  /** A read-only command searches folders: it gets no output to the model if a secret appears in them meanwhile. */
  readonly searches?: true;
  /**
   * Absolute paths of files that the sandbox must hide from the command, which runs like a read-only one; without a
   * sandbox it must not run.
   */
  readonly hiding?: readonly string[];
}

/** True if a command gets no more than a read-only one: also with hidden files, even if the user has approved it. */
export const runsReadOnly = ({ basis, hiding }: Grant): boolean =>
  basis === 'read-only' || hiding !== undefined;

/** The cause of an `ask`, for code that acts on it. In mode `auto` the judge can never lift a `limit`. */
export type AskCause =
  /** An ordinary file of the workspace would change. The path has its links resolved. */
  | { readonly type: 'edit'; readonly path: string }
  /** A part of a command, verbatim, that is known to affect only the workspace. */
  | { readonly type: 'command'; readonly text: string }
  | { readonly type: 'web'; readonly domain: string }
  /** `isSecret`: the call would read or write something that may hold secrets. */
  | { readonly type: 'limit'; readonly reason: string; readonly isSecret?: true };

/** The decision of the rules and the mode about one access. */
/** What the model should do in plan mode instead of a change. */
export const PLAN_ADVICE = 'Investigate, then present the plan with ExitPlanMode.';

export interface PermissionDecision {
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  /** With `deny`: what the model should do instead. */
  readonly modelAdvice?: string;
  /** With `allow`, and with what the judge has denied. */
  readonly basis?: Exclude<PermissionBasis, 'user' | 'own'>;
  /** The rule that decided, as written, with its source. */
  readonly rule?: { readonly text: string; readonly source: string };
  /** With `allow`: see `Grant`. */
  readonly isGuarded?: true;
  /** With `allow`: see `Grant`. */
  readonly showsUnapproved?: true;
  /** With `allow`: see `Grant`. */
  readonly searches?: true;
  /**
   * With `allow`: what the call removes or replaces because the mode allows edits, absolute. It may not run unasked if
   * something there exists and could not be restored.
   */
  readonly replaces?: readonly string[];
  /**
   * With `ask` and `deny`: a read-only command that would need no approval if it could not see these files, which it does
   * not name. With `allow`: see `Grant`. Absolute, links resolved.
   */
  readonly hiding?: readonly string[] | undefined;
  /** With `ask`: files that stay hidden from the command if it is approved and runs in a sandbox; see `Grant.hiding`. */
  readonly staysHidden?: readonly string[] | undefined;
  /** With `ask`: every cause, not only the one in `reason`. Absent = unknown, which counts as a limit. */
  readonly causes?: readonly AskCause[];
  readonly suggestion?: RuleSuggestion;
  /** With `ask`: shown above the preview, because the user approves it too. */
  readonly shown?: string;
  /** With `ask`: the command would run in the sandbox, so the user may choose to allow all such commands. */
  readonly canAutoAllow?: boolean;
}

/** How many hidden files a question names. */
const MAX_NAMED = 3;

/** A question about a call from which files stay hidden; it names them. */
export function keepingHidden(asked: PermissionDecision, hiding: readonly string[]): PermissionDecision {
  const more = hiding.length > MAX_NAMED ? ` and ${hiding.length - MAX_NAMED} more` : '';
  const names = hiding.slice(0, MAX_NAMED).map((path) => JSON.stringify(path).slice(1, -1));
  const reason = `${asked.reason} Secrets stay hidden from it: ${names.join(', ')}${more}.`;
  return { ...asked, reason, staysHidden: hiding };
}

// Why a call is allowed, needs approval or is denied, as plain data: for `/permissions why` and `clawdcode permissions
// test`.

export interface PermissionExplanation {
  readonly tool: string;
  readonly mode: PermissionMode;
  /** The command, path or URL. */
  readonly call: string;
  /** The command's working directory; absolute. */
  readonly cwd?: string;
  readonly behavior: PermissionDecision['behavior'];
  /** One line per reason. */
  readonly reason: string;
  readonly rule?: PermissionDecision['rule'];
  readonly hiding?: PermissionDecision['hiding'];
  /** The rules that "always" would save; empty if it is not offered. */
  readonly saves: readonly string[];
  /** True if the whole command could be parsed. */
  readonly isUnderstood: boolean;
  readonly parts: readonly ExplainedPart[];
}

/** One command of a command line, one redirection target, or one path. */
export interface ExplainedPart {
  readonly text: string;
  /** The words of the command, verbatim and with their values; null = only the shell can know the value. */
  readonly words: readonly { readonly source: string; readonly value: string | null }[];
  /** Possible working directories, absolute; null = unknown. */
  readonly folders: readonly string[] | null;
  /** Absent if the mode or a rule decided the whole call, so that its parts were not decided individually. */
  readonly verdict?: ExplainedVerdict;
}

export interface ExplainedVerdict {
  readonly behavior: PermissionDecision['behavior'];
  readonly reason: string;
  readonly rule?: PermissionDecision['rule'];
  /** The entry of a built-in table that allowed it; for example "read-only commands: ls". */
  readonly row?: string;
  /** Rules that name the command but do not cover this call. */
  readonly stopped: readonly {
    readonly text: string;
    readonly source: string;
    /** Why the rule does not apply, as the end of a sentence. */
    readonly reason: string;
    readonly row?: string;
  }[];
}

/** What "always" would save, as Claude Code's `PermissionUpdate`, for hooks and driving programs. */
export function permissionUpdateOf({ rules, destination, mode }: RuleSuggestion): object {
  if (destination === 'mode') return { type: 'setMode', mode: mode ?? 'acceptEdits', destination: 'session' };
  return {
    type: 'addRules',
    behavior: 'allow',
    rules: rules.map((rule) => {
      const [, toolName = rule, ruleContent] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? [];
      return { toolName, ...(ruleContent === undefined ? {} : { ruleContent }) };
    }),
    destination: destination === 'local' ? 'localSettings' : 'session',
  };
}

/** What a server says about one of its tools. Allow rules are bound to it. */
export interface McpToolDefinition {
  /** Its name for the model and in rules. */
  readonly tool: string;
  readonly server: string;
  /** What is started or connected to, or the plugin that contains the server. */
  readonly target: string;
  /** The server is defined by the project, or for it. */
  readonly isOfProject: boolean;
  readonly title?: string | undefined;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /** Of all that is bound. */
  readonly digest: string;
  /** The digests of all tools that the server offers now, by name. */
  readonly offered: Readonly<Record<string, string>>;
}
