/**
 * Examines what a model at an endpoint can really do, with requests that cost tokens: JSON schema, images, prompt cache,
 * and whether it finds a sentence in prompts of 25, 50, 75 and 90 % of its context window. `probeModel` tests tool calls
 * and streaming.
 */
import { crc32, deflateSync } from 'node:zlib';
import type { ContentPart } from '../../protocol/messages.ts';
import type { ModelClient, ModelError, ModelRequest, Reply } from '../../protocol/models/model.ts';
import type { ModelExam, Needle } from '../../protocol/models/server.ts';
import type { Wire } from '../../protocol/models/wires.ts';
import { record } from '../json.ts';

interface ExamOptions {
  /** Creates a client that adds these fields to its requests. */
  readonly connect: (extraBody?: Readonly<Record<string, unknown>>) => ModelClient;
  readonly model: string;
  readonly wire: Wire;
  /** The reported context window, in tokens. */
  readonly windowTokens: number;
  /** Skips the long prompts. */
  readonly isQuick: boolean;
  readonly signal: AbortSignal;
  /** Called before each test. */
  readonly onStep: (text: string) => void;
}

/** Shares of the window, in percent. */
const NEEDLE_PERCENTS = [25, 50, 75, 90] as const;
/** Tokens of the prompt that is sent twice: more than the minimum length that any provider caches. */
const CACHED_PROMPT = 5000;
/** Tokens of a reply: enough for a model that reasons first. */
const MAX_OUTPUT_TOKENS = 1024;
/** Milliseconds for one request; a local server reads slowly. */
const REQUEST_MS = 10 * 60_000;
/** Maximum characters of an error. */
const MAX_PROBLEM = 300;
/** Characters per token of the filler, until the server has reported how it counts. */
const TYPICAL_RATIO = 4.5;

/** Maximum tokens of an examination, including the requests of `probeModel`. */
export function examTokens(windowTokens: number, isQuick: boolean): { input: number; output: number } {
  const long = isQuick
    ? 0
    : NEEDLE_PERCENTS.reduce((sum, percent) => sum + (windowTokens * percent) / 100, 0);
  const requests = 6 + (isQuick ? 0 : NEEDLE_PERCENTS.length);
  return { input: Math.round(long + 2 * CACHED_PROMPT + 2000), output: requests * MAX_OUTPUT_TOKENS };
}

/** Never rejects. What could not be determined is absent. */
export async function examineModel(options: ExamOptions): Promise<ModelExam> {
  const { connect, wire, onStep, isQuick, windowTokens } = options;
  onStep('JSON schema');
  const json = await ask(options, connect(schemaFields(wire)), [
    { type: 'text', text: 'How many legs does a spider have? Answer as JSON with the field "legs".' },
  ]);
  onStep('images');
  const image = await ask(options, connect(), [
    { type: 'text', text: 'Which color is this image? Answer with one word.' },
    { type: 'image', mediaType: 'image/png', data: redImage() },
  ]);
  onStep('prompt cache');
  const { promptCache, ratio } = await examineCache(options);
  const needles = isQuick ? undefined : await findNeedles(options, windowTokens, ratio);
  return {
    ...(isConclusive(json) ? { jsonSchema: isLegs(json) } : {}),
    ...(isConclusive(image) ? { images: answerText(image).includes('red') } : {}),
    ...(promptCache === undefined ? {} : { promptCache }),
    ...(needles === undefined ? {} : { needles }),
  };
}

type Answer =
  | { readonly type: 'reply'; readonly reply: Reply }
  /** `error` is absent if there was no answer in time. */
  | { readonly type: 'failed'; readonly message: string; readonly error?: ModelError };

async function ask(
  { model, signal }: ExamOptions,
  client: ModelClient,
  content: string | readonly ContentPart[],
): Promise<Answer> {
  const request: ModelRequest = {
    model,
    messages: [{ role: 'user', content }],
    tools: [],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
  for await (const event of client.stream(request, limit)) {
    if (event.type === 'failed') return { type: 'failed', message: event.error.message, error: event.error };
    if (event.type === 'done') return { type: 'reply', reply: event.reply };
  }
  return { type: 'failed', message: 'no answer in time' };
}

/** False for failures that say nothing about the model, such as a rate limit, a server error or a rejected key. */
function isConclusive(answer: Answer): boolean {
  if (answer.type === 'reply') return true;
  const { error } = answer;
  return error !== undefined && !error.retryable && error.kind !== 'auth' && error.kind !== 'quota';
}

function answerText(answer: Answer): string {
  return answer.type === 'reply' ? answer.reply.message.content.toLowerCase() : '';
}

const schema = {
  type: 'object',
  properties: { legs: { type: 'integer' } },
  required: ['legs'],
  additionalProperties: false,
} as const;

/** The fields with which each API is asked for a JSON schema. */
function schemaFields(wire: Wire): Readonly<Record<string, unknown>> {
  const named = { name: 'answer', strict: true, schema };
  switch (wire) {
    case 'chat':
      return { response_format: { type: 'json_schema', json_schema: named } };
    case 'responses':
      return { text: { format: { type: 'json_schema', ...named } } };
    case 'anthropic':
      return { output_config: { format: { type: 'json_schema', schema } } };
  }
}

/** True for exactly the JSON, without a code fence or prose. */
function isLegs(answer: Answer): boolean {
  try {
    return record(JSON.parse(answerText(answer))).legs === 8;
  } catch {
    return false;
  }
}

/** Sends the same prompt twice: the second time it could come from the cache. */
async function examineCache(
  options: ExamOptions,
): Promise<{ readonly promptCache?: ModelExam['promptCache']; readonly ratio: number }> {
  const text = fillerText(CACHED_PROMPT * TYPICAL_RATIO, Math.random());
  const prompt = `${text}\nAnswer with the one word: ready`;
  const client = options.connect();
  await ask(options, client, prompt);
  const second = await ask(options, client, prompt);
  const usage = second.type === 'reply' ? second.reply.usage : undefined;
  if (usage === undefined || usage.inputTokens === 0) return { ratio: TYPICAL_RATIO };
  const ratio = Math.min(8, Math.max(1, prompt.length / usage.inputTokens));
  if (usage.cachedTokens === undefined) return { promptCache: 'unreported', ratio };
  return { promptCache: usage.cachedTokens > 0 ? 'yes' : 'no', ratio };
}

/** The sentence is near the beginning, where servers usually truncate. Stops at the first failure. */
async function findNeedles(
  options: ExamOptions,
  windowTokens: number,
  ratio: number,
): Promise<readonly Needle[]> {
  const needles: Needle[] = [];
  const client = options.connect();
  const seed = Math.random();
  for (const percent of NEEDLE_PERCENTS) {
    const tokens = Math.floor((windowTokens * percent) / 100);
    options.onStep(`a sentence in a prompt of ${percent} % of the window`);
    const room = tokens - MAX_OUTPUT_TOKENS * (percent > 80 ? 1 : 0);
    const answer = await ask(options, client, `${fillerText(room * ratio, seed, true)}\n${NEEDLE_QUESTION}`);
    const isFound = answerText(answer).includes(NEEDLE_ANSWER);
    needles.push({
      percent,
      tokens,
      isFound,
      ...(answer.type === 'failed' ? { problem: answer.message.slice(0, MAX_PROBLEM).toWellFormed() } : {}),
    });
    if (!isFound || options.signal.aborted) break;
  }
  return needles;
}

// The texts and the image with which a model is examined. Pure.

export const NEEDLE_ANSWER = 'quartz-4718';
const NEEDLE_QUESTION =
  'One sentence above says which word opens the harbour gate. Answer with that word only, exactly as written.';
const NEEDLE = `The word that opens the harbour gate is ${NEEDLE_ANSWER}.`;

const who = ['The baker', 'A sailor', 'The teacher', 'Our neighbor', 'The gardener', 'A child', 'The doctor'];
const did = ['carried', 'painted', 'found', 'repaired', 'sold', 'counted', 'remembered', 'forgot'];
const what = ['a wooden chair', 'three letters', 'the old bicycle', 'a basket of pears', 'the blue door'];
const when = ['before noon', 'after the rain', 'in the evening', 'on the way home', 'without a word'];

/**
 * Sentences of everyday words, about `characters` long. With the same seed a longer text begins with the shorter one, so
 * that a cache can serve that part.
 */
export function fillerText(characters: number, seed: number, hasNeedle = false): string {
  let state = Math.floor(seed * 2 ** 31) || 1;
  const one = (words: readonly string[]): string => {
    state = (state * 48_271) % 2_147_483_647;
    return words[state % words.length] ?? '';
  };
  const sentences: string[] = [];
  let length = 0;
  while (length < characters) {
    const isPlace = hasNeedle && sentences.length === NEEDLE_AFTER;
    const sentence = isPlace ? NEEDLE : `${one(who)} ${one(did)} ${one(what)} ${one(when)}.`;
    sentences.push(sentence);
    length += sentence.length + 1;
  }
  return sentences.join(' ');
}

/** Sentences before the one to find. */
const NEEDLE_AFTER = 20;

/** A red square as PNG, in base64: large enough for every model. */
export function redImage(size = 64): string {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3, Buffer.from([230, 20, 20]))]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body) >>> 0, 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
