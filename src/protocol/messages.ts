/**
 * The conversation in provider-neutral form: plain data, JSON-safe, no behavior. An adapter in `model/` translates it
 * to and from each provider's format.
 */

/** The content parts of a user message. `data` is base64 without a prefix. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly ContentPart[];
}

export interface Reasoning {
  /** The name of the provider's field in which it arrived; it is sent back in that field or not at all. */
  readonly field: string;
  readonly text: string;
  /**
   * The parts of the reply in order, in the form of its wire: signed or encrypted reasoning as it came, and where text
   * and calls belong. Written and read only by the client in `model/` that received them.
   */
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  /** Hash of `items` and of where they came from: they are sent back unchanged, to the same model, or not at all. */
  readonly seal?: string;
  /** Tokens of the reasoning if `text` is only a summary of it. */
  readonly tokens?: number;
}

/**
 * One tool call by the model. `arguments` is sent back and is always valid JSON (an object); `rawArguments` is the
 * model's own text if that differed.
 */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly rawArguments?: string;
  /** Set if `rawArguments` could not be repaired: the call must not run, and the model is sent this text. */
  readonly invalid?: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly reasoning?: Reasoning;
  readonly toolCalls: readonly ToolCall[];
}

/** The result of one call. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Tokens used by one reply, as reported by the provider. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` served from the provider's prompt cache. */
  readonly cachedTokens?: number;
  /** The part of `inputTokens` written to the cache, if the provider charges for that. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** The server reported nothing; the figures are estimated. */
  readonly isEstimated?: true;
}

/** Why a reply ended. Normalized: a complete reply with tool calls always has `tool_calls`. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** A tool as the model sees it; `parameters` is a JSON Schema of type object. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Checks a value from outside; what the tools of a log lack must not fail where they are used. */
export function isToolSchemas(value: unknown): value is readonly ToolSchema[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one: Partial<ToolSchema> | null) =>
        typeof one?.name === 'string' &&
        typeof one.description === 'string' &&
        typeof one.parameters === 'object' &&
        one.parameters !== null,
    )
  );
}

/** The text parts of a message's content, joined; a part without text, such as an image, adds none. */
export function contentText(content: unknown, separator = '\n'): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isTextPart(part) ? part.text : '')).join(separator);
}

/** True for a part with text, of whatever type. */
export function isTextPart(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
