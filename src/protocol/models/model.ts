/**
 * The port to a language model: takes a plain-data request and emits events, including failures. Used by `agent` and
 * `context`; implemented in `model/`.
 */
import type { AssistantMessage, FinishReason, Message, ToolSchema, Usage } from '../messages.ts';
import type { ReasoningOptions } from './wires.ts';

/** A complete request. Plain data: cloning it loses nothing. */
export interface ModelRequest extends ReasoningOptions {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly toolChoice?: 'auto' | 'none';
  /** Maximum tokens of the reply; absent = the server's default. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Number of messages at the start that stay the same until the next compaction: a good end for a cached prefix. */
  readonly stableMessages?: number;
}

/** The kind of a failure decides the message for the user and whether to retry. */
export type ModelErrorKind =
  | 'auth'
  | 'model_not_found'
  | 'bad_url'
  | 'network'
  | 'rate_limit'
  | 'server'
  | 'cut'
  | 'stalled'
  | 'overflow'
  | 'bad_request'
  | 'quota';

export interface ModelError {
  readonly kind: ModelErrorKind;
  /** What happened and what to do next, ready to show. */
  readonly message: string;
  /** The part of `message` that only makes sense once there is no other retry. */
  readonly advice?: string;
  readonly retryable: boolean;
  /** The answer itself broke a bound: it is tried once more at most. */
  readonly isExcessive?: true;
  readonly status?: number;
  /** From `retry-after` / `retry-after-ms`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** With `overflow`: the context window, in tokens, that the server named in its error. */
  readonly windowTokens?: number;
  /** With `overflow`: the server limits the bytes of a request, which says nothing about the context window. */
  readonly isByteLimit?: true;
}

/**
 * A stream consists of deltas followed by exactly one `done` or `failed`. An aborted stream ends with neither: the
 * consumer checks its signal after the last event.
 */
export type ModelEvent =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly text: string; readonly field: string }
  | {
      readonly type: 'tool_call_delta';
      readonly index: number;
      readonly name: string;
      readonly argumentsLength: number;
    }
  /** A notice about this endpoint that the user should know; emitted once. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly text: string }
  | { readonly type: 'done'; readonly reply: Reply }
  | { readonly type: 'failed'; readonly error: ModelError };

export interface Reply {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
  /** The model's name according to the server. */
  readonly model?: string;
  /** True if the tool calls were written as text. */
  readonly callsAsText?: boolean;
}

/**
 * How a request was sent. In addition to the hash it holds the details that this client needs to rebuild the same body:
 * client-specific JSON, which the log keeps and only `model/` reads.
 */
export interface SentRequest {
  /** The first 16 hex digits of the body's SHA-256; verifies that a rebuilt body is identical. */
  readonly hash: string;
  readonly [detail: string]: unknown;
}

export interface ModelClient {
  /**
   * Never throws and never rejects: every failure is a `failed` event. `onSent` is called with each body sent; there
   * are several if the server rejects a field.
   */
  stream(
    request: ModelRequest,
    signal: AbortSignal,
    onSent?: (sent: SentRequest) => void,
  ): AsyncIterable<ModelEvent>;
}

/** The properties of a model; `source` states where the context window comes from, so that the screen can show that. */
export interface ModelInfo extends ReasoningOptions {
  /** The full name: with the provider's, unless it is served by the default endpoint. */
  readonly id: string;
  /** The named provider that serves it; absent = the default endpoint. */
  readonly endpoint?: string;
  /** Context window, in tokens. */
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  /** `server`: reported by the server; `learned`: named in an overflow error. */
  readonly source: 'catalogue' | 'setting' | 'server' | 'learned' | 'assumed';
  readonly tokenizer: 'o200k_base' | 'cl100k_base' | 'unknown';
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number;
    readonly cachedInput: number;
    readonly output: number;
    /** For input that is written to the cache, if that has its own price. */
    readonly cacheWrite?: number;
  };
  /** Values of the effort that the model accepts, in the provider's words; absent = not known. */
  readonly efforts?: readonly string[];
  /** How a Claude model is told to think: as much as it finds necessary, or up to a number of tokens. */
  readonly thinking?: 'adaptive' | 'budget';
  /** True if the endpoint expects earlier reasoning to be sent back. */
  readonly returnsReasoning?: boolean;
  /** True if the endpoint serves one request at a time (a local server): no other request may run during a turn. */
  readonly hasOneSlot?: boolean;
  /** The provider, as far as id and URL show; determines the removal strategy. */
  readonly provider?: 'openai' | 'anthropic' | 'google' | 'local' | 'other';
  /** True if the model accepts images; absent = not known. */
  readonly seesImages?: boolean;
  /** False if the endpoint is known to reject tools for this model; absent = not known. */
  readonly callsTools?: boolean;
  /** What tests of this model at this endpoint have shown, in a line for display. */
  readonly tested?: string;
}
