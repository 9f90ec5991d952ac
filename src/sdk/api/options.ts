/** The options and answers of a host. Part of the public types, so it imports only its neighbors. */
import type { ImageBlock, TextBlock } from './events.ts';

/** A JSON schema, draft 7 or 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * A schema of a library that implements Standard Schema and Standard JSON Schema, such as zod 4.2 or later. `Value` is
 * the type of a parsed value.
 */
export interface SchemaOf<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
  };
}

/** What a tool returns: text for the model, text and images, or an error for it to read. */
export type ToolReturn =
  | string
  | {
      readonly content: readonly (
        | { readonly type: 'text'; readonly text: string }
        | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
      )[];
      readonly isError?: boolean;
    };

/** A function of the host that the model can call, as `mcp__sdk__<name>`. */
export interface Tool {
  /** Letters, digits, `_` and `-`; at most 40. */
  readonly name: string;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  readonly input: SchemaOf<unknown> | JsonSchema;
  /** If true, calls run without approval, as with a rule in `allowedTools`; deny rules still apply. */
  readonly allow?: boolean;
  /** An exception becomes an error that the model reads. `signal` aborts when the call is no longer needed. */
  readonly run: (input: never, context: { readonly signal: AbortSignal }) => ToolReturn | Promise<ToolReturn>;
}

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'auto' | 'dontAsk' | 'bypassPermissions';

/** A tool call that needs approval. */
export interface PermissionRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseId: string | undefined;
  /** A description of the call. */
  readonly title: string;
  /** Why it needs approval. */
  readonly reason: string;
  /** Rules that would allow such calls from now on; return them in `updatedPermissions` to save them. */
  readonly suggestions: readonly unknown[];
  /** The subagent that makes the call. */
  readonly agent: string | undefined;
}

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      /** The call runs with this input instead, after it is checked like the model's own. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updatedPermissions?: readonly unknown[];
    }
  | {
      readonly behavior: 'deny';
      /** For the model. */
      readonly message?: string;
      /** Also ends the turn. */
      readonly interrupt?: boolean;
    };

/** Decides about a call. If it throws, the call is denied. `signal` aborts when the answer is no longer needed. */
export type CanUseTool = (
  request: PermissionRequest,
  context: { readonly signal: AbortSignal },
) => PermissionAnswer | Promise<PermissionAnswer>;

/** Called with what a hook command would read from its standard input; returns what it would print. */
export type Hook = (
  input: Readonly<Record<string, unknown>>,
  context: { readonly signal: AbortSignal; readonly toolUseId: string | undefined },
) => Readonly<Record<string, unknown>> | undefined | Promise<Readonly<Record<string, unknown>> | undefined>;

export interface HookGroup {
  /** The tools, or whatever the event matches; default: all. */
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
  /** Default: 60. */
  readonly timeoutSeconds?: number;
  /** If a hook throws or times out: `continue` (the default) changes nothing, `block` denies. */
  readonly onFailure?: 'continue' | 'block';
}

/** A prompt: text, or text and images. */
export interface UserMessage {
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  /** An id of your own for the message. */
  readonly uuid?: string;
  /** Send text that begins with `/` as it is, instead of running it as a command. */
  readonly verbatim?: boolean;
}

export interface SessionOptions {
  /**
   * Where the agent runs: in a `child` process (the default), or in this `process`. Both behave the same; see
   * docs/sdk.md.
   */
  readonly runIn?: 'child' | 'process';
  /** The folder to work in; default: the current one. Its settings need the same trust as on the command line. */
  readonly cwd?: string;
  /** The data folder for settings and sessions, an absolute path; default: `~/.clawdcode`. */
  readonly home?: string;
  /** Added to the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;

  readonly model?: string;
  readonly fallbackModels?: readonly string[];
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly baseUrl?: string;
  readonly apiKey?: string;

  /** Continue the session with this id or title. */
  readonly resume?: string;
  /** With `resume`: continue in a copy. */
  readonly fork?: boolean;
  /** The id of a new session, a UUID. */
  readonly sessionId?: string;
  readonly title?: string;
  /** False: the session is not written to disk, so it cannot be resumed. */
  readonly persist?: boolean;

  /** Replaces ClawdCode's own instructions in a new session, or adds to them. */
  readonly systemPrompt?: string | { readonly append: string };
  /** The built-in tools to offer; default: all. */
  readonly builtinTools?: readonly string[];
  /** Functions that the model can call. */
  readonly tools?: readonly Tool[];
  /** Permission rules that allow or deny, such as `Edit` or `Bash(npm test)`. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  /** Decides about calls that need approval; without it, they are denied. */
  readonly canUseTool?: CanUseTool;
  /** By event, such as `PreToolUse`. */
  readonly hooks?: Readonly<Record<string, readonly HookGroup[]>>;
  /** Definitions as in `.mcp.json`, by name. */
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Definitions of subagents, by name. */
  readonly agents?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Additional settings; they override all files, but not managed settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The settings files that apply; default: all. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  readonly additionalDirectories?: readonly string[];

  /** The schema of the answer, which the result contains as `structured_output`. */
  readonly jsonSchema?: SchemaOf<unknown> | JsonSchema;
  /** Limit of steps in a turn. */
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** Also emit parts of a reply as they arrive. */
  readonly partialMessages?: boolean;
  /** Ends the session at once; pending calls reject with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Receives warnings: what ClawdCode would write to standard error. */
  readonly onWarning?: (text: string) => void;
}
