/** Folds the chunks of one reply into live deltas and, at the end, into the complete reply. No side effects. */

import { isRecord, parseJson } from '../../../protocol/json.ts';
import type { FinishReason, ToolCall, ToolSchema, Usage } from '../../../protocol/messages.ts';
import type { ModelEvent, Reply } from '../../../protocol/models/model.ts';
import { grouped } from '../../../protocol/text/numbers.ts';
import { count, list, record, text } from '../../json.ts';
import { type ReplyBounds, replyBounds, tooLarge } from '../../replyBounds.ts';
import { createTextCalls } from '../../textCalls/createTextCalls.ts';
import { type ReasoningField, reasoningFields } from '../../wire.ts';
import { type CallSlot, createCallSlots } from './callSlots.ts';
import { calling, excerpt, repairArguments } from './repairArguments.ts';

export interface Accumulator {
  /**
   * Adds one parsed chunk; unknown fields are ignored. Throws a `tooLarge` error if the reply exceeds a bound; there is
   * no reply then.
   */
  push(chunk: unknown): readonly ModelEvent[];
  /**
   * After the last chunk: returns text that was held back because it could have become a tool call and did not. Throws
   * like `push`.
   */
  flush(): readonly ModelEvent[];
  /** Characters so far: text, reasoning and tool calls. */
  size(): number;
  /** True once the server has sent a finish reason: only usage can still follow. */
  ended(): boolean;
  /** Treats the reply as finished although the server sent no finish reason. */
  conclude(): void;
  /** The whole reply; undefined if it ended without a finish reason, which means it was cut off. */
  reply(): Promise<Reply | undefined>;
}

/**
 * `newId` creates ids for tool calls that arrive without one or with a duplicate. Calls of `tools` are also recognized
 * when the model writes them as text. With `hasNativeCalls` the model is known to make native tool calls, so JSON in a
 * code fence is treated as plain text.
 */
export function createAccumulator(
  newId: () => string,
  tools: readonly ToolSchema[] = [],
  hasNativeCalls = false,
  bounds: ReplyBounds = replyBounds,
): Accumulator {
  const calls = createCallSlots(bounds);
  const textCalls = createTextCalls(tools, !hasNativeCalls);
  let callsAsText = false;
  let content = '';
  let reasoning: { readonly field: ReasoningField; text: string } | undefined;
  let finish: string | undefined;
  let usage: Usage | undefined;
  let model: string | undefined;
  /** Characters of text and reasoning. */
  let written = 0;
  let isTooLarge = false;

  const size = (): number => written + calls.size();

  function keep(text: string): void {
    written += text.length;
    if (size() > bounds.maxCharacters)
      throw tooLarge(`more than ${grouped(bounds.maxCharacters)} characters`);
  }

  /** Once a bound is exceeded there is no reply, even if the server reports a normal end. */
  function bounded<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      isTooLarge = true;
      throw error;
    }
  }

  function take(chunk: unknown): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    usage = readUsage(chunk) ?? usage;
    model = text(record(chunk).model)?.slice(0, MAX_NAME) ?? model;
    const choice = record(list(record(chunk).choices)[0]);
    finish = finishWord(choice) ?? finish;
    // Servers that do not support streaming send `message`.
    const delta = record(choice.delta ?? choice.message);
    const thought = readReasoning(delta);
    if (thought !== undefined) {
      keep(thought.text);
      reasoning ??= { field: thought.field, text: '' };
      reasoning.text += thought.text;
      events.push({ type: 'reasoning_delta', text: thought.text, field: reasoning.field });
    }
    const content = readContent(delta);
    keep(content);
    events.push(...show(textCalls.push(content)));
    const writing = textCalls.writing();
    if (writing !== undefined) {
      events.push({ type: 'tool_call_delta', index: 0, name: writing.name, argumentsLength: writing.length });
    }
    const changed = calls.add(readCalls(delta));
    keep('');
    for (const slot of changed) {
      const { ordinal, name } = slot;
      events.push({ type: 'tool_call_delta', index: ordinal, name, argumentsLength: slot.arguments.length });
    }
    return events;
  }

  function show(shown: string): readonly ModelEvent[] {
    if (shown === '') return [];
    content += shown;
    return [{ type: 'text_delta', text: shown }];
  }

  /** If the reply has native tool calls, calls written as text are left as text. */
  function rest(): readonly ModelEvent[] {
    const end = textCalls.end(calls.all().length === 0);
    callsAsText ||= end.calls.length > 0;
    const events = show(end.text);
    if (callsAsText) content = content.trimEnd();
    calls.add(end.calls.map((call, index) => ({ id: newId(), index: index + TEXT_INDEX, function: call })));
    return events;
  }

  async function reply(): Promise<Reply | undefined> {
    if (finish === undefined || isTooLarge) return undefined;
    const slots = calls.all();
    const finishReason = readFinishReason(finish, slots.length > 0);
    if (finishReason === 'cut') return undefined;
    const ids = uniqueIds(slots, newId);
    const toolCalls = await Promise.all(
      slots.map((slot, at) => toCall(slot, ids[at] ?? newId(), finishReason)),
    );
    return {
      message: {
        role: 'assistant',
        content,
        ...(reasoning === undefined ? {} : { reasoning: { ...reasoning } }),
        toolCalls,
      },
      finishReason,
      ...(usage === undefined ? {} : { usage }),
      ...(model === undefined ? {} : { model }),
      ...(callsAsText ? { callsAsText } : {}),
    };
  }

  function conclude(): void {
    finish ??= 'stop';
  }

  return {
    push: (chunk) => bounded(() => take(chunk)),
    flush: () => bounded(rest),
    size,
    conclude,
    reply,
    ended: () => finish !== undefined && !isTooLarge,
  };
}

/**
 * Maximum characters of a tool name; real ones are shorter. The name goes into the log, into later requests and onto
 * the screen.
 */
const MAX_NAME = 200;
/** Maximum characters of a call id: some gateways store a thought signature in it, which must be sent back. */
const MAX_ID = 16_384;

/** Offset for calls found in text, which have no index; native calls count from 0. */
const TEXT_INDEX = 1000;

/**
 * Reads only the first reasoning field it finds: servers that are renaming the field send the same text under both
 * names.
 */
function readReasoning(delta: Readonly<Record<string, unknown>>) {
  for (const field of reasoningFields) {
    const found = text(delta[field]);
    if (found !== undefined) return { field, text: found };
  }
  const thinking = list(delta.content) // Mistral: content comes in parts, some of which are thoughts
    .map((part) => readContent({ content: record(part).thinking }))
    .join('');
  return thinking === '' ? undefined : { field: 'thinking' as const, text: thinking };
}

function readContent(delta: Readonly<Record<string, unknown>>): string {
  const { content, refusal } = delta;
  if (Array.isArray(content)) return content.map((part) => text(record(part).text) ?? '').join('');
  return (text(content) ?? '') + (text(refusal) ?? ''); // show a refusal as the model's text
}

function readCalls(delta: Readonly<Record<string, unknown>>): readonly unknown[] {
  const legacy = delta.function_call;
  if (typeof legacy === 'object' && legacy !== null) return [{ index: 0, function: legacy }];
  return list(delta.tool_calls);
}

function uniqueIds(slots: readonly CallSlot[], newId: () => string): readonly string[] {
  const seen = new Set<string>();
  return slots.map(({ id }) => {
    const unique = id === '' || id.length > MAX_ID || seen.has(id) ? newId() : id;
    seen.add(unique);
    return unique;
  });
}

const cutNotes: Partial<Record<FinishReason, string>> = {
  length: 'the reply reached its length limit. Make the call again; split long content over several calls',
  content_filter: "the provider's content filter ended the reply. Continue in a different way",
};

async function toCall(slot: CallSlot, id: string, finishReason: FinishReason): Promise<ToolCall> {
  const name = slot.name.slice(0, MAX_NAME).toWellFormed();
  const note = cutNotes[finishReason];
  if (note !== undefined) {
    const invalid = `${calling(name)} did not run, because ${note}. Arguments received (${slot.arguments.length} characters): ${excerpt(slot.arguments)}`;
    return isRecord(parseJson(slot.arguments))
      ? { id, name, arguments: slot.arguments, invalid }
      : { id, name, arguments: '{}', rawArguments: slot.arguments, invalid };
  }
  const call = { id, name, ...(await repairArguments(slot.arguments, name)) };
  if (name !== '' || call.invalid !== undefined) return call;
  return { ...call, invalid: 'The call did not run, because it has no tool name.' };
}

/** Finish reasons beyond OpenAI's own four; `cut` means that the server itself aborted the reply. */
const reasons: Readonly<Record<string, FinishReason | 'cut'>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length', // Mistral
  content_filter: 'content_filter',
  safety: 'content_filter', // Gemini
  sensitive: 'content_filter', // Zhipu
  error: 'cut', // OpenRouter, Mistral
  abort: 'cut', // vLLM, SGLang
  network_error: 'cut', // Zhipu
  insufficient_system_resource: 'cut', // DeepSeek
};

/** Maps the server's finish reason to ours; an unknown one is a normal end. */
function readFinishReason(word: string, hasCalls: boolean): FinishReason | 'cut' {
  const key = word.toLowerCase();
  const reason = Object.hasOwn(reasons, key) ? (reasons[key] ?? 'stop') : 'stop';
  if (reason === 'stop' && hasCalls) return 'tool_calls';
  return reason === 'tool_calls' && !hasCalls ? 'stop' : reason;
}

/** Reads usage from wherever a chunk carries it: at the top level, in Groq's `x_groq`, or in Moonshot's choice. */
function readUsage(chunk: unknown): Usage | undefined {
  const { usage, x_groq, choices } = record(chunk);
  const choice = Array.isArray(choices) ? record(choices[0]) : {};
  const found = [usage, record(x_groq).usage, choice.usage].find(
    (candidate) => typeof candidate === 'object' && candidate !== null,
  );
  const fields = record(found);
  const inputTokens = count(fields.prompt_tokens) ?? count(fields.input_tokens);
  const outputTokens = count(fields.completion_tokens) ?? count(fields.output_tokens);
  // Some local servers send zeros if they did not count.
  if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return;
  const cached =
    count(record(fields.prompt_tokens_details).cached_tokens) ??
    count(fields.prompt_cache_hit_tokens) ?? // DeepSeek
    count(fields.cached_tokens); // Moonshot
  const written = count(record(fields.prompt_tokens_details).cache_write_tokens);
  const reasoning = count(record(fields.completion_tokens_details).reasoning_tokens);
  return {
    inputTokens,
    outputTokens,
    ...(cached === undefined ? {} : { cachedTokens: Math.min(cached, inputTokens) }),
    ...(written === undefined ? {} : { cacheWriteTokens: Math.min(written, inputTokens) }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

/** The finish reason of a chunk's choice, if it has one. */
function finishWord(choice: Readonly<Record<string, unknown>>): string | undefined {
  return text(choice.finish_reason);
}
