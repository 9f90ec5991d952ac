/** Folds the chunks of one reply into live deltas and, at the end, the whole reply. No effects. */
import type { FinishReason, ToolCall, ToolSchema, Usage } from '../protocol/messages.ts';
import type { ModelEvent, Reply } from '../protocol/model.ts';
import { type CallSlot, createCallSlots } from './callSlots.ts';
import { count, list, record, text } from './json.ts';
import { excerpt, repairArguments } from './repairArguments.ts';
import { grouped, type ReplyBounds, replyBounds, tooLarge } from './replyBounds.ts';
import { createTextCalls } from './textCalls/createTextCalls.ts';
import { type ReasoningField, reasoningFields } from './wire.ts';

export interface Accumulator {
  /**
   * Takes one parsed chunk; anything that is not understood is passed over. Throws what `tooLarge` gives where a bound is
   * exceeded: then there is no reply.
   */
  push(chunk: unknown): readonly ModelEvent[];
  /** After the last chunk: what was held back because it could have become a call, and is none. Throws as `push` does. */
  flush(): readonly ModelEvent[];
  /** Characters so far: of text, reasoning and calls. */
  size(): number;
  /** True once the server has said why the reply ended: what follows can only be usage. */
  ended(): boolean;
  /** Takes the reply as ended, though the server gave no reason. */
  conclude(): void;
  /** The whole reply, or undefined when it ended without a reason: then it was cut. */
  reply(): Promise<Reply | undefined>;
}

/**
 * `newId` makes ids for calls that came without one, or with one that another call has. Calls of the `tools` are
 * also found where the model wrote them as text; with `speaksCalls`, as it is known to make them in the standard form,
 * JSON in a fence is only shown.
 */
export function createAccumulator(
  newId: () => string,
  tools: readonly ToolSchema[] = [],
  speaksCalls = false,
  bounds: ReplyBounds = replyBounds,
): Accumulator {
  const calls = createCallSlots(bounds);
  const textCalls = createTextCalls(tools, !speaksCalls);
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

  /** What is more than the bounds allow is no reply, whatever the server says of its end. */
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
    // `message` is what a server sends that does not know how to stream.
    const delta = record(choice.delta ?? choice.message);
    const thought = readReasoning(delta);
    if (thought !== undefined) {
      keep(thought.text);
      reasoning ??= { field: thought.field, text: '' };
      reasoning.text += thought.text;
      events.push({ type: 'reasoning_delta', text: thought.text, field: reasoning.field });
    }
    const said = readContent(delta);
    keep(said);
    events.push(...show(textCalls.push(said)));
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

  /** Calls in the standard form count alone: beside them text is only text. */
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

/** Characters of a tool name; real ones are shorter. It goes into the log, later requests, and onto the screen. */
const MAX_NAME = 200;
/** Of a call's id: some gateways keep the signature of a thought in it, which has to come back. */
const MAX_ID = 16_384;

/** Text calls have no index; those of the standard form begin at 0. */
const TEXT_INDEX = 1000;

/** One field counts: servers that are changing its name send the same text under both. */
function readReasoning(delta: Readonly<Record<string, unknown>>) {
  for (const field of reasoningFields) {
    const found = text(delta[field]);
    if (found !== undefined) return { field, text: found };
  }
  const thinking = list(delta.content) // Mistral: content in parts, some of them thoughts
    .map((part) => readContent({ content: record(part).thinking }))
    .join('');
  return thinking === '' ? undefined : { field: 'thinking' as const, text: thinking };
}

function readContent(delta: Readonly<Record<string, unknown>>): string {
  const { content, refusal } = delta;
  if (Array.isArray(content)) return content.map((part) => text(record(part).text) ?? '').join('');
  return (text(content) ?? '') + (text(refusal) ?? ''); // a refusal is what the model says
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
  content_filter: "the provider's content filter ended the reply. Go on in another way",
};

async function toCall(slot: CallSlot, id: string, finishReason: FinishReason): Promise<ToolCall> {
  const name = slot.name.slice(0, MAX_NAME).toWellFormed();
  const note = cutNotes[finishReason];
  if (note !== undefined) {
    const invalid = `The call of ${name || 'a tool'} did not run, because ${note}. What arrived of its arguments (${slot.arguments.length} characters): ${excerpt(slot.arguments)}`;
    return isJsonObject(slot.arguments)
      ? { id, name, arguments: slot.arguments, invalid }
      : { id, name, arguments: '{}', rawArguments: slot.arguments, invalid };
  }
  const call = { id, name, ...(await repairArguments(slot.arguments, name)) };
  if (name !== '' || call.invalid !== undefined) return call;
  return { ...call, invalid: 'The call did not run, because it came without the name of a tool.' };
}

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Wordings beyond OpenAI's own four; `cut` means that the server itself gave up in mid-reply. */
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

/** Our reason for the server's word; a word that nobody knows is an ordinary end. */
export function readFinishReason(word: string, hasCalls: boolean): FinishReason | 'cut' {
  const key = word.toLowerCase();
  const reason = Object.hasOwn(reasons, key) ? (reasons[key] ?? 'stop') : 'stop';
  if (reason === 'stop' && hasCalls) return 'tool_calls';
  return reason === 'tool_calls' && !hasCalls ? 'stop' : reason;
}

/** Usage wherever a chunk carries it: at the top, in Groq's `x_groq`, or beside Moonshot's choice. */
export function readUsage(chunk: unknown): Usage | undefined {
  const { usage, x_groq, choices } = record(chunk);
  const choice = Array.isArray(choices) ? record(choices[0]) : {};
  const found = [usage, record(x_groq).usage, choice.usage].find(
    (candidate) => typeof candidate === 'object' && candidate !== null,
  );
  const fields = record(found);
  const inputTokens = count(fields.prompt_tokens) ?? count(fields.input_tokens);
  const outputTokens = count(fields.completion_tokens) ?? count(fields.output_tokens);
  // Some local servers send zeros when they did not count.
  if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return;
  const cached =
    count(record(fields.prompt_tokens_details).cached_tokens) ??
    count(fields.prompt_cache_hit_tokens) ?? // DeepSeek
    count(fields.cached_tokens); // Moonshot
  const reasoning = count(record(fields.completion_tokens_details).reasoning_tokens);
  return {
    inputTokens,
    outputTokens,
    ...(cached === undefined ? {} : { cachedTokens: Math.min(cached, inputTokens) }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

/** The reason of a chunk's first choice, if it has one. */
export function finishWord(choice: Readonly<Record<string, unknown>>): string | undefined {
  return text(choice.finish_reason);
}
