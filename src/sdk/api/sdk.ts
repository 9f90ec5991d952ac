/** The package's entry `clawdcode`: what it exports, as types. The code is in `cli/sdk/main.ts`. */
import type { ResultEvent, SessionEvent } from './events.ts';
import type {
  JsonSchema,
  PermissionMode,
  SchemaOf,
  SessionOptions,
  Tool,
  ToolReturn,
  UserMessage,
} from './options.ts';

export type * from './events.ts';
export type * from './options.ts';

/** What can be done while a session runs. */
export interface Controls {
  /** Ends the current turn, whose result is `error_during_execution`; the session continues. */
  interrupt(): Promise<void>;
  /** From the next request on; absent = the model that the session began with. */
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** How full the context window is now. */
  contextUsage(): Promise<ContextUsage>;
  /**
   * Restores the files to before a prompt: one that was sent with this `uuid`. The conversation stays. `dryRun` only
   * reports what would change.
   */
  rewindFiles(prompt: string, options?: { readonly dryRun?: boolean }): Promise<RewoundFiles>;
  /** Interrupts what runs, saves the session and ends. Never rejects. */
  close(): Promise<void>;
  /** Known at once for a new session, after the first event for others. */
  readonly sessionId: string | undefined;
}

/** In tokens. */
export interface ContextUsage {
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** At this many, a summary replaces the older messages. */
  readonly compactsAtTokens: number;
  /** What the window holds. */
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

/** The outcome of a rewind, or what it would be. */
export interface RewoundFiles {
  readonly canRewind: boolean;
  /** Why not, or which files stay as they are. */
  readonly error?: string;
  /** Absolute paths. */
  readonly filesChanged: readonly string[];
  /** Lines. */
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * The events of one conversation; to be iterated once. The last event of each prompt is its result. Iterating rejects
 * with a `ClawdCodeError` if the session could not run to its end; leaving the loop closes it.
 */
export interface Query extends AsyncIterable<SessionEvent>, Controls {}

export interface Session extends Controls {
  /** Runs a prompt after those before it; resolves to its result, which may be a failure. */
  send(prompt: string | UserMessage): Promise<ResultEvent>;
  /** Replaces the older part of the conversation by a summary; `focus` says what matters in it. */
  compact(focus?: string): Promise<ResultEvent>;
  /** The events of all turns, from the moment you start to iterate; can be iterated more than once. */
  readonly events: AsyncIterable<SessionEvent>;
}

/**
 * Runs one prompt, or several that arrive one by one. Throws a `ClawdCodeError` at once for options that are not valid.
 */
export declare function query(request: {
  readonly prompt: string | AsyncIterable<string | UserMessage>;
  readonly options?: SessionOptions;
}): Query;

/** Opens a session that lasts until it is closed. Throws a `ClawdCodeError` for options that are not valid. */
export declare function createSession(options?: SessionOptions): Session;

/** A tool whose function gets what the schema parses its input to. */
export declare function tool<Input>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: SchemaOf<Input>;
    readonly run: (
      input: Input,
      context: { readonly signal: AbortSignal },
    ) => ToolReturn | Promise<ToolReturn>;
  },
): Tool;
/** A tool with a JSON schema: its function gets an object that fits. */
export declare function tool(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: JsonSchema;
    readonly run: (
      input: Readonly<Record<string, unknown>>,
      context: { readonly signal: AbortSignal },
    ) => ToolReturn | Promise<ToolReturn>;
  },
): Tool;

/**
 * - `options`: an option is not valid.
 * - `ended`: the session ended before its answer; the message has the last lines of standard error.
 * - `request`: the session refused what was asked of it.
 */
export declare class ClawdCodeError extends Error {
  constructor(
    code: 'options' | 'ended' | 'request',
    message: string,
    options?: ErrorOptions & { exitCode?: number },
  );
  readonly code: 'options' | 'ended' | 'request';
  /** Of the session's process, with `ended`; docs/headless.md has the table. */
  readonly exitCode: number | undefined;
}
