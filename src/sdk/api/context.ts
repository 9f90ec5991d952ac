/**
 * The package's entry `clawdcode/context`: the context engine without the agent. Types only; the code is in
 * `sdk/contextEngine.ts`.
 */

export interface ContextModel {
  readonly id: string;
  /** Tokens of a request and its reply together. */
  readonly contextWindow: number;
  /** Tokens of a reply; default: 8,192, but at most a quarter of the window. */
  readonly maxOutputTokens?: number;
  /** Counts exactly with this public vocabulary, in a thread; without it, all counts are estimates. */
  readonly tokenizer?: 'o200k_base' | 'cl100k_base';
}

/** A tool as the model sees it; `parameters` is a JSON schema of an object. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

export type ContextMessage =
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** What the provider reports; makes the estimates more accurate. */
      readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly isError?: boolean;
    };

/** A message of a request. */
export type RequestMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    };

/** A request to a model for a summary. Its last message says what to write. */
export interface SummaryRequest {
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  readonly maxOutputTokens: number | undefined;
  readonly signal: AbortSignal;
}

/** Returns the model's answer. If it throws, the summary is assembled without a model. */
export type Summarize = (request: SummaryRequest) => Promise<string>;

/** Where conversations are kept. */
export interface ContextStore {
  /** Undefined for a store in memory. */
  readonly folder: string | undefined;
  /** Conversations with at least one user message, newest first. */
  list(): Promise<readonly { readonly id: string; readonly title: string; readonly updatedAt: Date }[]>;
}

export interface ContextOptions {
  readonly model: ContextModel;
  /** Default: a store in memory, which is lost with the context. */
  readonly store?: ContextStore;
  /** Of a new context; it never changes. */
  readonly systemPrompt?: string;
  /** The id of a new context: letters, digits, `.`, `_` and `-`; default: a UUID. */
  readonly id?: string;
  /** Sent with every request, so they count towards its size. */
  readonly tools?: readonly ToolDefinition[];
  /** Writes summaries; without it, they are assembled from recorded facts, without a model. */
  readonly summarize?: Summarize;
  /** The `context.*` settings of docs/settings.md, without that prefix. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Measure {
  /** Tokens of the next request. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** From this size on, the next request compacts. */
  readonly triggerTokens: number;
  /** True if everything is counted, nothing estimated. */
  readonly exact: boolean;
  /** In request order; they sum to `usedTokens`. */
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

export interface Compaction {
  /** `fallback`: without a model's summary; `message` says why. */
  readonly outcome: 'done' | 'fallback' | 'cancelled' | 'refused';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number;
  readonly postTokens: number;
  readonly message?: string;
}

export interface ContextRequest {
  readonly messages: readonly RequestMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number | undefined;
  readonly measure: Measure;
  /** Compactions that made room for it. */
  readonly compactions: readonly Compaction[];
}

/** What to look up: an entry or a range of entries by pointer, and words to find. */
export interface Recall {
  readonly id?: string;
  readonly query?: string;
  /** In bytes. */
  readonly offset?: number;
  readonly limit?: number;
}

/** One conversation. Nothing appended is ever lost; a request contains what fits. */
export interface Context {
  readonly id: string;
  /** The log file; undefined in memory. */
  readonly file: string | undefined;
  /** Resolves once they are stored. Rejects with a `ContextError` for a message that is out of place. */
  append(...messages: readonly ContextMessage[]): Promise<void>;
  /** The next request. Beyond the trigger, compacts first and waits for the summary. */
  request(options?: { readonly signal?: AbortSignal }): Promise<ContextRequest>;
  /** Makes the next request smaller, after the provider rejected one as too long. False if that is impossible. */
  shrink(options?: { readonly contextWindow?: number; readonly signal?: AbortSignal }): Promise<boolean>;
  /** Replaces the older part with a summary now. */
  compact(options?: { readonly focus?: string; readonly signal?: AbortSignal }): Promise<Compaction>;
  /** Undoes the last compaction, if what it removed still fits. */
  uncompact(): Promise<Compaction>;
  /** Counts exactly if the model's `tokenizer` is known. */
  measure(): Promise<Measure>;
  /** The messages that the model would see now. */
  messages(): readonly RequestMessage[];
  /** Returns content that requests no longer contain; handles calls of `recallTool`. */
  recall(what: Recall, options?: { readonly signal?: AbortSignal }): Promise<string>;
  /** Switches to another model, starting with the next request. */
  setModel(model: ContextModel): void;
  /** Copies the conversation to a new one in the same store; returns its id. */
  fork(): Promise<string>;
  /** Flushes the log and releases its lock. */
  close(): Promise<void>;
}

/**
 * - `options`: an option is invalid.
 * - `message`: a message is out of place.
 * - `not_found`, `exists`, `locked`: about the id of a context. `locked`: another process has it open.
 * - `too_large`: the request cannot be made to fit.
 */
export type ContextErrorCode = 'options' | 'message' | 'not_found' | 'exists' | 'locked' | 'too_large';

export declare class ContextError extends Error {
  constructor(code: ContextErrorCode, message: string, options?: ErrorOptions);
  readonly code: ContextErrorCode;
}

/** Starts a conversation. */
export declare function createContext(options: ContextOptions): Promise<Context>;

/** Continues the conversation with this id, or the unique beginning of one. */
export declare function openContext(id: string, options: ContextOptions): Promise<Context>;

/** Keeps conversations in files in `folder`, an absolute path. Secrets are not redacted. */
export declare function fileStore(folder: string): ContextStore;

/** Keeps conversations in memory. */
export declare function memoryStore(): ContextStore;

/** A tool that lets a model look up what a compaction removed: pass its calls to `Context.recall`. */
export declare const recallTool: ToolDefinition;

/** Estimates the tokens of a text without a vocabulary. */
export declare function estimateTokens(text: string): number;
