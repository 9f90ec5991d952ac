/**
 * The conversation in provider-neutral form: plain data, JSON-safe, no behaviour.
 * An adapter in `model/` turns it into one provider's wire form and back.
 */

/** What a user message may hold in addition to text. `data` is base64 without a prefix. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly ContentPart[];
}

export interface Reasoning {
  /** Where the client found it, in the words of its wire: it sends it back in the same place or not at all. */
  readonly field: string;
  readonly text: string;
}

/**
 * One call that the model asks for. `arguments` is what goes back on the wire and is always valid JSON
 * (an object); `rawArguments` keeps what the model really wrote when that was something else.
 */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly rawArguments?: string;
  /** Set when `rawArguments` could not be repaired: the call must not run; the model is told this text. */
  readonly invalid?: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly reasoning?: Reasoning;
  readonly toolCalls: readonly ToolCall[];
}

/** The one result of one call. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Tokens of one reply, as the provider reports them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that was served from the provider's prompt cache. */
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why a reply ended. `tool_calls` is normalised: a reply with calls and a clean end has it. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** A tool as the model sees it; `parameters` is a JSON Schema of type object. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}
