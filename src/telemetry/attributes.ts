/** The attributes of spans and measurements, and the shape in which the conventions want messages. Pure. */
import type { JSONLEntry } from '../protocol/entries.ts';
import type { Attributes } from './records.ts';

/** Tokens, as entries record them; `input_tokens` includes what came from a cache. */
export type EntryUsage = NonNullable<JSONLEntry['message']['usage']>;

/** Longest name that is exported; models make up names of tools. */
const MAX_NAME = 120;

export const shortened = (name: string): string => name.slice(0, MAX_NAME).toWellFormed();

/** The `error.type` of a tool call, by the status of its result. */
export const callFailures = {
  ok: undefined,
  partial: undefined,
  error: 'tool_error',
  denied: 'permission_denied',
  interrupted: 'interrupted',
} as const satisfies Readonly<Record<string, string | undefined>>;

export function errorAttribute(failure: string | undefined): Attributes {
  return failure === undefined ? {} : { 'error.type': failure };
}

export function usageAttributes(usage: EntryUsage): Attributes {
  const { input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  return Object.fromEntries(
    Object.entries({
      'gen_ai.usage.input_tokens': input_tokens,
      'gen_ai.usage.output_tokens': output_tokens,
      'gen_ai.usage.cache_read.input_tokens': cached_tokens,
      'gen_ai.usage.cache_creation.input_tokens': cache_write_tokens,
      'gen_ai.usage.reasoning.output_tokens': reasoning_tokens,
    }).flatMap(([name, tokens]) => (tokens === undefined ? [] : [[name, tokens]])),
  );
}

/** Measurements are added up over sessions: an attribute for each session would keep them apart. */
export function withoutSession(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== 'gen_ai.conversation.id'));
}

/** True for a subagent's total usage, which its own entries record as well. */
export function isSubagentTotal(entry: JSONLEntry): boolean {
  return entry.subtype === 'usage' && entry.data?.purpose?.startsWith('subagent ') === true;
}

/** `gen_ai.input.messages` and `gen_ai.output.messages` with one message. */
export function messagesOf(role: 'user' | 'assistant', text: string, finishReason?: string): string {
  const reason = finishReason === undefined ? {} : { finish_reason: finishReason };
  return JSON.stringify([{ role, parts: [{ type: 'text', content: text }], ...reason }]);
}
