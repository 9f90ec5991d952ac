/** The types of the package's entry `clawdcode`. The code is in `cli/sdk/main.ts`. */
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

/** Controls of a running session. */
export interface Controls {
  /** Ends the current turn, whose result is `error_during_execution`; the session continues. */
  interrupt(): Promise<void>;
  /** Applies from the next request. Default: the model that the session began with. */
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** How full the context window is now. */
  contextUsage(): Promise<ContextUsage>;
  /**
   * Restores the files to before the prompt that was sent with this `uuid`; the conversation stays. `dryRun` only
   * reports what would change.
   */
  rewindFiles(prompt: string, options?: { readonly dryRun?: boolean }): Promise<RewoundFiles>;
  /** Interrupts the current turn, saves the session and ends it. Never rejects. */
  close(): Promise<void>;
  /** Known at once for a new session, after the first event for others. */
  readonly sessionId: string | undefined;
}

/** How full the context window is, in tokens. */
export interface ContextUsage {
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** The trigger: at this size, a summary replaces the older messages. */
  readonly compactsAtTokens: number;
  /** The contents of the context window. */
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

/** The outcome of a rewind, or what it would be. */
export interface RewoundFiles {
  readonly canRewind: boolean;
  /** Why it cannot rewind, or which files stay as they are. */
  readonly error?: string;
  /** Absolute paths, up to 1,000. */
  readonly filesChanged: readonly string[];
  /** How many more there are. */
  readonly moreFilesChanged: number;
  /** Lines. */
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * The events of one conversation; it can be iterated once. The last event of each prompt is its result. Iterating
 * rejects with a `ClawdCodeError` if the session ends early; leaving the loop closes the session.
 */
export interface Query extends AsyncIterable<SessionEvent>, Controls {}

export interface Session extends Controls {
  /** Runs a prompt once earlier ones are done; resolves to its result, which may be a failure. */
  send(prompt: string | UserMessage): Promise<ResultEvent>;
  /** Replaces the older part of the conversation with a summary; `focus` says what to emphasize. */
  compact(focus?: string): Promise<ResultEvent>;
  /** The events of all turns, from the moment you start iterating; it can be iterated more than once. */
  readonly events: AsyncIterable<SessionEvent>;
}

/**
 * Runs one prompt, or prompts from an async iterable. Throws a `ClawdCodeError` at once for invalid options.
 */
export declare function query(request: {
  readonly prompt: string | AsyncIterable<string | UserMessage>;
  readonly options?: SessionOptions;
}): Query;

/** Opens a session that lasts until it is closed. Throws a `ClawdCodeError` for invalid options. */
export declare function createSession(options?: SessionOptions): Session;

/** Defines a tool whose function gets the input as parsed by the schema. */
export declare function tool<Input>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: SchemaOf<Input>;
    readonly run: (
      input: Input,
      context: { readonly signal: AbortSignal },
    ) => ToolReturn | Promise<ToolReturn>;
  },
): Tool;
/** Defines a tool with a JSON schema; its function gets an object that matches. */
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
 * - `options`: an option is invalid.
 * - `ended`: the session ended before its answer; the message has the last lines of standard error.
 * - `request`: the session rejected a request.
 */
export declare class ClawdCodeError extends Error {
  constructor(
    code: 'options' | 'ended' | 'request',
    message: string,
    options?: ErrorOptions & { exitCode?: number },
  );
  readonly code: 'options' | 'ended' | 'request';
  /** The exit code of the session, with `ended`; docs/headless.md lists them. */
  readonly exitCode: number | undefined;
}
