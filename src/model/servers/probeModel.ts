/**
 * Tests with two short requests what a model can do on its server. Uses the same client as a conversation does, so the
 * same workarounds apply.
 */
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelError, ModelEvent, ModelRequest, Reply } from '../../protocol/models/model.ts';
import type { ModelProbe } from '../../protocol/models/server.ts';
import type { Wire } from '../../protocol/models/wires.ts';
import { createModelClient } from '../createModelClient.ts';
import type { ModelClientOptions } from '../wires/exchange.ts';

interface ProbeOptions extends Pick<ModelClientOptions, 'baseUrl' | 'apiKey' | 'headers' | 'send'> {
  readonly model: string;
  /** Absent = chat completions. */
  readonly wire: Wire;
  /** Limits all requests together; results so far are returned when it fires. */
  readonly signal: AbortSignal;
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
}

/** Enough for a model that reasons before it answers; a short answer takes about a dozen tokens. */
const MAX_OUTPUT_TOKENS = 1024;

/** Characters after which the reply is aborted although only one word was asked for: the model evidently answers. */
const ENOUGH_CHARACTERS = 400;

/**
 * Sends two requests: for one word, then for two tool calls. Never rejects; `error` is that of the first failed
 * request.
 */
export async function probeModel(options: ProbeOptions): Promise<ModelProbe> {
  const { model, signal, now = () => performance.now() } = options;
  const client = createModelClient(options.wire, options);
  const ask = (prompt: string, tools: readonly ToolSchema[], enough = Infinity): Promise<ProbeReply> => {
    const stopping = new AbortController();
    const request: ModelRequest = {
      model,
      messages: [{ role: 'user', content: prompt }],
      tools,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    };
    const events = client.stream(request, AbortSignal.any([signal, stopping.signal]));
    return listen(events, now, enough).finally(() => stopping.abort());
  };

  const word = await ask('Answer with the one word: ready', [], ENOUGH_CHARACTERS);
  // A model that was cut off by the time limit in mid-answer is slow, but works.
  if (word.reply === undefined && word.firstMs === undefined) {
    return { answers: false, ...(word.error === undefined ? {} : { error: word.error }) };
  }
  const calls = await ask('Look up the weather in Oslo and in Rome: call the tool for both cities at once.', [
    weather,
  ]);
  const reasoningField = word.reasoningField ?? calls.reasoningField;
  const { reply } = calls;
  return {
    answers: true,
    ...(word.firstMs === undefined ? {} : { firstTokenMs: word.firstMs }),
    ...(word.reply === undefined ? {} : { streamingUsage: word.reply.usage !== undefined }),
    ...(reasoningField === undefined ? {} : { reasoningField }),
    ...(reply === undefined ? {} : { toolCalls: kindOfCalls(reply) }),
    ...(reply === undefined || reply.message.toolCalls.length === 0
      ? {}
      : { parallelCalls: reply.message.toolCalls.length > 1 }),
    ...(calls.error === undefined ? {} : { error: calls.error }),
  };
}

const weather: ToolSchema = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

function kindOfCalls({ message, callsAsText }: Reply): NonNullable<ModelProbe['toolCalls']> {
  if (message.toolCalls.length === 0) return 'none';
  return callsAsText === true ? 'text' : 'native';
}

interface ProbeReply {
  readonly firstMs: number | undefined;
  readonly reasoningField: string | undefined;
  readonly reply?: Reply;
  readonly error?: ModelError;
}

async function listen(
  events: AsyncIterable<ModelEvent>,
  now: () => number,
  enough: number,
): Promise<ProbeReply> {
  const started = now();
  let written = 0;
  let firstMs: number | undefined;
  let reasoningField: string | undefined;
  for await (const event of events) {
    if (event.type === 'failed') return { firstMs, reasoningField, error: event.error };
    if (event.type === 'done') return { firstMs, reasoningField, reply: event.reply };
    if (event.type === 'notice') continue;
    firstMs ??= Math.round(now() - started);
    if (event.type === 'reasoning_delta') reasoningField ??= event.field;
    if (event.type === 'text_delta') written += event.text.length;
    if (written > enough) break;
  }
  return { firstMs, reasoningField };
}
