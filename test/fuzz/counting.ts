/** True token counts: js-tiktoken's, and those of a server for a whole request. */
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import type { TokenEncoder } from '../../src/context/index.ts';
import { countExactly } from '../../src/context/tokens/exact/countExactly.ts';
import { readVocabulary, type VocabularyName } from '../../src/context/tokens/exact/vocabulary.ts';
import { partsOfMessage } from '../../src/context/tokens/measured.ts';
import type { Message, ToolSchema } from '../../src/protocol/messages.ts';

const ranks = { cl100k_base: cl100k, o200k_base: o200k };
const lazily = <T>(make: (name: VocabularyName) => T): ((name: VocabularyName) => T) => {
  const made = new Map<VocabularyName, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const fresh = make(name);
    made.set(name, fresh);
    return fresh;
  };
};
const tiktoken = lazily((name) => new Tiktoken(ranks[name]));
const vocabulary = lazily((name) => readVocabulary(ranks[name]));
const counted = lazily(() => new Map<string, number>());

/** js-tiktoken is quadratic in the length of a run; longer runs use our encoder, whose own tests compare the two. */
const LONG_RUN = /[^\s]{200}|\s{200}/;

/** Tokens of a text. */
export function trueTokens(name: VocabularyName, text: string): number {
  const known = counted(name).get(text);
  if (known !== undefined) return known;
  const isLong = text.length > 20_000 || LONG_RUN.test(text);
  const tokens = isLong ? countExactly(vocabulary(name), text) : tiktoken(name).encode(text, [], []).length;
  if (counted(name).size > 5000) counted(name).clear();
  counted(name).set(text, tokens);
  return tokens;
}

/** Counts like the program's worker thread, but without a thread. */
export const encoder: TokenEncoder = {
  count: async (name, texts) => texts.map((text) => countExactly(vocabulary(name), text)),
  close: () => {},
};

/** Tokens per message for role and separators, according to OpenAI's cookbook. */
const FRAME = 3;

/** Tokens of a request as its server counts them; images cost what we assume. */
export function requestTokens(
  name: VocabularyName,
  messages: readonly Message[],
  tools: readonly ToolSchema[],
): number {
  let sum = FRAME;
  for (const message of messages) sum += messageTokens(name, message);
  for (const tool of tools) sum += trueTokens(name, JSON.stringify(tool));
  return sum;
}

const ofMessage = lazily(() => new WeakMap<Message, number>());

function messageTokens(name: VocabularyName, message: Message): number {
  const known = ofMessage(name).get(message);
  if (known !== undefined) return known;
  const tokens =
    FRAME + imageTokens(message) + textsOf(message).reduce((sum, text) => sum + trueTokens(name, text), 0);
  ofMessage(name).set(message, tokens);
  return tokens;
}

function textsOf(message: Message): readonly string[] {
  if (message.role === 'assistant') {
    const reasoning = message.reasoning === undefined ? [] : [message.reasoning.text];
    const calls = message.toolCalls.flatMap((call) => [call.id, call.name, call.arguments]);
    return [message.content, ...reasoning, ...calls];
  }
  if (message.role === 'tool') return [message.content, message.toolCallId];
  if (typeof message.content === 'string') return [message.content];
  return message.content.map((part) => (part.type === 'text' ? part.text : ''));
}

function imageTokens({ content }: Message): number {
  if (typeof content === 'string') return 0;
  const costOf = (parts: typeof content): number =>
    partsOfMessage({ role: 'user', content: parts }, true).fixed;
  return costOf(content.filter(({ type }) => type === 'image')) - costOf([]);
}
