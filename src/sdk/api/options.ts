/** What a host can choose and answer. Part of the public types, so it imports nothing but its neighbours. */
import type { ImageBlock, TextBlock } from './events.ts';

/** A JSON schema, draft 7 or 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * A schema of a library that implements Standard Schema and Standard JSON Schema, such as zod from 4.2 on; `Value` is
 * what a valid value is parsed to.
 */
export interface SchemaOf<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
  };
}

/** What a tool returns: text for the model, or text and images, or an error that it should read. */
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
  /** Calls run without approval, like those that a rule in `allowedTools` names; deny rules still apply. */
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
  /** The call in words. */
  readonly title: string;
  /** Why it needs approval. */
  readonly reason: string;
  /** What could be saved, so that such calls run from now on; to be given back in `updatedPermissions`. */
  readonly suggestions: readonly unknown[];
  /** The subagent that makes the call. */
  readonly agent: string | undefined;
}

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      /** The call runs with this input instead, after it has been checked like the model's own. */
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
  /** The tools, or whatever the event matches; absent = all. */
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
  /** 60 by default. */
  readonly timeoutSeconds?: number;
  /** If a hook throws or is late: `continue` (the default) changes nothing, `block` denies. */
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
   * Where the agent runs: `child`, a process of its own (the default), or `process`, inside this one. Both behave the
   * same; see docs/sdk.md.
   */
  readonly runIn?: 'child' | 'process';
  /** The folder to work in; absent = the current one. Its settings need the same trust as on the command line. */
  readonly cwd?: string;
  /** The data folder for settings and sessions: absolute; absent = `~/.clawdcode`. */
  readonly home?: string;
  /** Added to the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;

  readonly model?: string;
  readonly fallbackModels?: readonly string[];
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly baseUrl?: string;
  readonly apiKey?: string;

  /** Continue the session with this id, or title. */
  readonly resume?: string;
  /** With `resume`: continue in a copy. */
  readonly fork?: boolean;
  /** The id of a new session: a UUID of your own. */
  readonly sessionId?: string;
  readonly title?: string;
  /** False: nothing of the session is written, so it cannot be resumed. */
  readonly persist?: boolean;

  /** Replaces the program's own instructions in a new session, or adds to them. */
  readonly systemPrompt?: string | { readonly append: string };
  /** The built-in tools that the model gets; absent = all. */
  readonly builtinTools?: readonly string[];
  /** Functions that the model can call. */
  readonly tools?: readonly Tool[];
  /** Permission rules that allow or deny, such as `Edit` or `Bash(npm test)`. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  /** Decides about calls that need approval; absent = they are denied. */
  readonly canUseTool?: CanUseTool;
  /** By event, such as `PreToolUse`. */
  readonly hooks?: Readonly<Record<string, readonly HookGroup[]>>;
  /** Definitions as in `.mcp.json`, by name. */
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Definitions of subagents, by name. */
  readonly agents?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Further settings, above all files and below managed settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The settings files that apply; absent = all. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  readonly additionalDirectories?: readonly string[];

  /** The answer as a value that fits: `structured_output` of the result. */
  readonly jsonSchema?: SchemaOf<unknown> | JsonSchema;
  /** Steps of one turn. */
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** Also emit the pieces of a reply as they arrive. */
  readonly partialMessages?: boolean;
  /** Ends the session at once: what waits for it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Receives warnings: what the program writes to standard error. */
  readonly onWarning?: (text: string) => void;
}
