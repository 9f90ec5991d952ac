/**
 * Converts messages to the wire format of OpenAI-compatible chat completions. Pure; never loses a tool call or result.
 */
import type { ContentPart, Message, ToolCall, ToolSchema } from '../protocol/messages.ts';
import { wellFormed } from './json.ts';

/** Field names under which servers send reasoning text, most common first. */
export const reasoningFields = ['reasoning_content', 'reasoning', 'thinking'] as const;
export type ReasoningField = (typeof reasoningFields)[number];

interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type WirePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export type WireMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly WirePart[] }
  | {
      readonly role: 'assistant';
      /** null only for servers that reject an empty string. */
      readonly content: string | null;
      readonly tool_calls?: readonly WireCall[];
      readonly reasoning_content?: string;
      readonly reasoning?: string;
      readonly thinking?: string;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface WireTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/**
 * Converts messages in order. Replaces lone surrogates, which are not valid UTF-8, with U+FFFD: one of them in the
 * history would make every later request fail. Leaves out assistant messages without text and tool calls, since several
 * servers reject them with 400.
 */
export function toWireMessages(
  messages: readonly Message[],
  options: { readonly returnReasoning: boolean },
): WireMessage[] {
  return messages.flatMap((message) => toWireMessage(message, options.returnReasoning) ?? []);
}

/** Tool definitions, or undefined if there are none: most servers reject an empty array. */
export function toWireTools(tools: readonly ToolSchema[]): WireTool[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description: wellFormed(description), parameters: { ...parameters } },
  }));
}

/** Undefined for a message that is left out. */
export function toWireMessage(message: Message, returnReasoning: boolean): WireMessage | undefined {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: wellFormed(message.content) };
    case 'user':
      return { role: 'user', content: toWireContent(message.content) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: wellFormed(message.content) };
    case 'assistant': {
      const { content, reasoning, toolCalls } = message;
      if (content === '' && toolCalls.length === 0) return undefined;
      return {
        role: 'assistant',
        // "" rather than null in messages with tool calls: chat templates of local servers concatenate it and fail on
        // null, strict validators require it, and the hosted endpoints accept it.
        content: wellFormed(content),
        ...(returnReasoning ? toWireReasoning(reasoning, toolCalls) : {}),
        ...(toolCalls.length > 0 ? { tool_calls: toolCalls.map(toWireCall) } : {}),
      };
    }
  }
}

/**
 * Endpoints that require reasoning reject a message with tool calls that lacks the field, so it may be empty. Reasoning
 * of another wire is left out.
 */
function toWireReasoning(
  reasoning: Extract<Message, { role: 'assistant' }>['reasoning'],
  calls: readonly ToolCall[],
): Partial<Record<ReasoningField, string>> {
  const field = reasoningFields.find((name) => name === reasoning?.field);
  if (reasoning !== undefined && field !== undefined) return { [field]: wellFormed(reasoning.text) };
  return calls.length > 0 ? { reasoning_content: '' } : {};
}

function toWireContent(content: string | readonly ContentPart[]): string | WirePart[] {
  if (typeof content === 'string') return wellFormed(content);
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: wellFormed(part.text) }
      : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  );
}

function toWireCall(call: ToolCall): WireCall {
  return {
    id: wellFormed(call.id),
    type: 'function',
    function: { name: toWireName(call.name), arguments: toWireArguments(call.arguments) },
  };
}

/** A name that the model invented may contain anything; servers reject other characters, even in the history. */
export function toWireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/** Returns the JSON byte for byte, unless it contains an escaped lone surrogate such as `\ud83d`. */
export function toWireArguments(json: string): string {
  if (!/\\ud[89a-f]/i.test(json)) return wellFormed(json);
  const text = JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
    typeof value === 'string' ? wellFormed(value) : value,
  );
  return text.includes('\ufffd') ? text : json;
}
