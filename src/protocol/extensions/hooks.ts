/**
 * Hooks: commands and URLs of the user, and functions of a driving program, that are notified of events and may block
 * or change what happens.
 */
import type { Access } from '../permissions.ts';
import { visibleLine } from '../text/visible.ts';

/** The events that hooks can be set for, named as in Claude Code. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Notification',
  'CwdChanged',
  'FileChanged',
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** Events of Claude Code that hooks cannot be set for here. */
const otherEvents: ReadonlySet<string> = new Set([
  ...['ConfigChange', 'DirectoryAdded', 'Elicitation', 'ElicitationResult'],
  ...['InstructionsLoaded', 'MessageDisplay', 'PostModelSwitch', 'PreModelSwitch', 'Setup'],
  ...['TaskCompleted', 'TaskCreated', 'TeammateIdle', 'UserPromptExpansion'],
  ...['WorktreeCreate', 'WorktreeRemove'],
]);

/** Events that are named in one message. */
const MAX_NAMED = 10;

/** Why hooks for these events, which may be any text, never run: the ends of sentences, ready to show. */
export function whyNeverRun(events: readonly string[]): readonly string[] {
  const sentence = (found: readonly string[], why: string): readonly string[] => {
    const names = found.slice(0, MAX_NAMED).map((name) => visibleLine(name, 40));
    const more = found.length > MAX_NAMED ? ' and more' : '';
    return found.length === 0 ? [] : [`hooks for ${names.join(', ')}${more} never run: ${why}.`];
  };
  return [
    ...sentence(
      events.filter((event) => otherEvents.has(event)),
      'ClawdCode does not support these Claude Code events',
    ),
    ...sentence(
      events.filter((event) => !otherEvents.has(event)),
      'there is no such event',
    ),
  ];
}

/** The settings that may contain hooks; the hooks of all of them apply. */
export type HookScope = 'user' | 'project' | 'local' | 'flag' | 'managed';

interface HookBasics {
  readonly event: HookEvent;
  /** As written; empty = everything. */
  readonly matcher: string;
  /** A permission rule such as `Bash(git *)`: the hook runs only for tool calls that the rule covers. */
  readonly rule?: string;
  readonly timeoutSeconds?: number;
  /** Runs in the background; its answer changes nothing. */
  readonly isAsync?: true;
  /** Runs once per session. */
  readonly isOnce?: true;
  /** A failure of the hook blocks, as exit code 2 would. */
  readonly blocksOnFailure?: true;
}

/** One hook, as configured. */
export type HookDefinition = HookBasics &
  (
    | {
        readonly type: 'command';
        readonly command: string;
        /** Present: `command` is a program that is started with these arguments, without a shell. */
        readonly args?: readonly string[];
      }
    | {
        readonly type: 'http';
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** The environment variables that header values may contain. */
        readonly allowedEnvVars: readonly string[];
      }
    /** A model, or a read-only agent, decides. */
    | (HookQuestion & {
        /** After a call, an objection is fed back to the model instead of ending the turn. */
        readonly continuesOnBlock?: true;
      })
    /** A tool of an MCP server. */
    | {
        readonly type: 'mcp_tool';
        readonly server: string;
        readonly tool: string;
        readonly arguments: Readonly<Record<string, unknown>>;
      }
    /** A function of the driving program. */
    | { readonly type: 'callback'; readonly id: string }
  );

/** What a model, or a read-only agent, is asked. */
export interface HookQuestion {
  readonly type: 'prompt' | 'agent';
  readonly prompt: string;
  /** Absent = the session's. */
  readonly model?: string;
}

type HookReply =
  | { readonly ok: true; readonly text: string }
  /** `isMissing`: nothing answered, since there is no such server or it cannot be reached. */
  | { readonly ok: false; readonly problem: string; readonly isMissing?: true };

/** Asks a model, or an agent, for a hook. Never rejects; an abort ends it. */
export type JudgeHook = (question: HookQuestion, signal: AbortSignal) => Promise<HookReply>;

/** Calls a tool of an MCP server for a hook. Never rejects; an abort ends it. */
export type CallTool = (
  call: {
    readonly server: string;
    readonly tool: string;
    readonly input: unknown;
    readonly timeoutMs: number;
  },
  signal: AbortSignal,
) => Promise<HookReply>;

/**
 * Calls a function of the driving program. Resolves to its answer, unchecked, or why there is none; never rejects. An
 * abort withdraws the call.
 */
export type CallBack = (
  id: string,
  input: HookCall['input'],
  signal: AbortSignal,
) => Promise<
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }
>;

/** A hook and the file that it comes from. */
export interface HookSource {
  readonly hook: HookDefinition;
  readonly scope: HookScope;
  /** The file to display. */
  readonly source: string;
  /** The plugin that contains it. */
  readonly plugin?: HookPlugin;
  /** Why it does not run; absent = it runs. */
  readonly ignored?: string;
}

/** An installed plugin, as its hooks see it. */
export interface HookPlugin {
  readonly name: string;
  /** Absolute path of the approved copy. */
  readonly folder: string;
  /** Absolute path of the folder in which it may keep data. */
  readonly data: string;
}

/**
 * Fills in the plugin's folders. A shell does that itself from the environment, except in single quotes; a path that
 * means something to a shell is left to it.
 */
export function inPlugin(
  { command, args }: { readonly command: string; readonly args?: readonly string[] },
  { folder, data }: HookPlugin,
): { readonly command: string; readonly args?: readonly string[] } {
  const fill = (text: string): string =>
    text.replace(/\$\{CLAUDE_PLUGIN_(ROOT|DATA)\}/g, (_, which) => (which === 'ROOT' ? folder : data));
  if (args !== undefined) return { command: fill(command), args: args.map(fill) };
  return { command: /^[\w@%+:,./-]+$/.test(folder + data) ? fill(command) : command };
}

/** The call that a hook of a tool event is about, for its `if` rule. */
interface HookedAccess {
  readonly tool: string;
  readonly access: Access;
}

/** One occurrence of an event. */
export interface HookCall {
  readonly event: HookEvent;
  /** The value that matchers are compared with: the tool, the source, the trigger; absent = matchers are ignored. */
  readonly subject?: string;
  readonly access?: HookedAccess;
  /** How much the model is asked to reason; undefined = its own default, or outside of a turn. */
  readonly effort?: string;
  /** What hooks get, as JSON: field names as in Claude Code. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Longest time for hooks without their own timeout, in milliseconds. */
  readonly timeoutMs?: number;
}

/** How one hook ended. */
export interface HookRun {
  /** Unique within the process. */
  readonly id: string;
  readonly event: HookEvent;
  /** The event and its subject: `PreToolUse:Bash`. */
  readonly name: string;
  /** The command or address, on one line. */
  readonly label: string;
  readonly source: string;
  readonly outcome: 'ok' | 'blocked' | 'failed' | 'cancelled';
  /** What went wrong, for the user. */
  readonly problem?: string;
  readonly durationMs: number;
  readonly exitCode?: number;
  /** The beginning of what it printed. */
  readonly stdout: string;
  readonly stderr: string;
}

export type HookProgress =
  | ({ readonly type: 'started' } & Pick<HookRun, 'id' | 'event' | 'name' | 'label'>)
  | { readonly type: 'ended'; readonly run: HookRun };

/** A text of one hook, with where it comes from. */
export interface HookText {
  readonly text: string;
  readonly source: string;
}

/** What the hooks of one event decide together. Texts are bounded and contain no control characters. */
export interface HookAnswer {
  readonly runs: readonly HookRun[];
  /** A hook blocks; the texts are its reasons, for the model. */
  readonly blocks: readonly HookText[];
  /** A hook ends the turn. */
  readonly stop?: HookText;
  /** Deny takes precedence over ask, and ask over allow. */
  readonly permission?: {
    readonly behavior: 'allow' | 'ask' | 'deny';
    readonly reason: string;
    readonly source: string;
    readonly isManaged: boolean;
  };
  /** The input that replaces the call's, not validated. */
  readonly updatedInput?: { readonly value: unknown; readonly source: string };
  /** The text that the model gets as the result of the call. Not bounded like other texts. */
  readonly updatedOutput?: HookText;
  /** With a denied `PermissionRequest`: the turn ends, too. */
  readonly interrupts: boolean;
  /** Texts for the model. */
  readonly contexts: readonly HookText[];
  /** Texts for the user. */
  readonly messages: readonly HookText[];
  /** Files to watch from now on instead of those named before, absolute paths; absent = no change. */
  readonly watchPaths?: readonly string[];
}

/** What happened to a watched file. */
export interface FileEvent {
  /** Absolute. */
  readonly path: string;
  readonly event: 'add' | 'change' | 'unlink';
}

/** The answer if no hook runs. */
export const noAnswer: HookAnswer = { runs: [], blocks: [], interrupts: false, contexts: [], messages: [] };

/** A hook for display, with its last run. */
export interface HookStatus extends HookSource {
  /** The command or address, on one line. */
  readonly label: string;
  /** The last run in this session. */
  readonly last?: HookRun;
  /** Times that it has run in this session. */
  readonly runs: number;
}

/** Runs the hooks of a session. */
export interface HookPort {
  /** True if a hook for the event could run: without one, nothing has to be prepared. */
  has(event: HookEvent): boolean;
  /** Runs the hooks that match, in parallel. Never rejects; an abort stops them. */
  run(
    call: HookCall,
    signal: AbortSignal,
    onProgress?: (progress: HookProgress) => void,
  ): Promise<HookAnswer>;
  /**
   * Watches the files that hooks of `FileChanged` name, relative to `cwd`, and these absolute paths, instead of those
   * watched before; nothing without such hooks.
   */
  watch(
    place: { readonly cwd: string; readonly paths: readonly string[] },
    onChange: (event: FileEvent) => void,
  ): void;
  /** Returns the variables that hooks have set for commands. */
  variables(): Readonly<Record<string, string>>;
  /** All hooks, ignored ones included. */
  list(): readonly HookStatus[];
  /** Stops every hook that still runs. */
  close(): Promise<void>;
}
