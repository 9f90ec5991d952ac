/**
 * The port to a language model: a plain-data request goes in, events come out. Failures are events too.
 * Consumed by `agent` and `context`; implemented in `model/`.
 */
import type { AssistantMessage, FinishReason, Message, ToolSchema, Usage } from './messages.ts';

/** Everything that one request says. Plain data: cloning it loses nothing. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly toolChoice?: 'auto' | 'none';
  /** Upper bound of the reply, in tokens; absent = the server's own. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
}

/** What kind of failure it was decides what the user is told and whether it is worth another try. */
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
  readonly retryable: boolean;
  readonly status?: number;
  /** From `retry-after` / `retry-after-ms`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** With `overflow`: the window that the server named in its error, in tokens. */
  readonly windowTokens?: number;
}

/**
 * A stream is deltas and then exactly one `done` or `failed`. An aborted stream ends with neither:
 * the consumer checks its signal after the last event.
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
  /** Something that the user should know of how this endpoint is used; said once. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly text: string }
  | { readonly type: 'done'; readonly reply: Reply }
  | { readonly type: 'failed'; readonly error: ModelError };

export interface Reply {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
  /** The model that the server says made it. */
  readonly model?: string;
  /** True where its calls were written as text. */
  readonly callsAsText?: boolean;
}

/**
 * How a request went over the wire. In addition to the hash it holds what this client needs to write the same body
 * again, in words of its own: JSON, which the log keeps and nothing outside `model/` reads.
 */
export interface SentRequest {
  /** The first 16 hex digits of the SHA-256 of the body: shows whether a body that is built again is the same. */
  readonly hash: string;
  readonly [detail: string]: unknown;
}

export interface ModelClient {
  /**
   * Never throws and never rejects: every failure is a `failed` event. `onSent` is called with each body that goes out:
   * more than one where the server refuses a field.
   */
  stream(
    request: ModelRequest,
    signal: AbortSignal,
    onSent?: (sent: SentRequest) => void,
  ): AsyncIterable<ModelEvent>;
}

/** What is known about a model; `source` says how, so that the screen can be honest about it. */
export interface ModelInfo {
  readonly id: string;
  /** Context window, in tokens. */
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  /** `server`: it reports the window; `learned`: it named the window in an overflow error. */
  readonly source: 'catalogue' | 'setting' | 'server' | 'learned' | 'assumed';
  readonly tokenizer: 'o200k_base' | 'cl100k_base' | 'unknown';
  /** US dollars per million tokens. */
  readonly price?: { readonly input: number; readonly cachedInput: number; readonly output: number };
  /** True where the endpoint wants earlier reasoning sent back. */
  readonly returnsReasoning?: boolean;
  /** True where the endpoint serves one request at a time (a local server): nothing may run during a turn. */
  readonly hasOneSlot?: boolean;
  /** Who serves it, as far as id and address tell: chooses the strategy of removal. */
  readonly provider?: 'openai' | 'anthropic' | 'google' | 'local' | 'other';
  /** Whether it takes images; absent = not known. */
  readonly seesImages?: boolean;
  /** False where it is known that the endpoint takes no tools with this model; absent = not known. */
  readonly callsTools?: boolean;
}
