import o200k from 'js-tiktoken/ranks/o200k_base';
import { countExactly } from '../../../src/context/tokens/exact/countExactly.ts';
import { readVocabulary, type Vocabulary } from '../../../src/context/tokens/exact/vocabulary.ts';
import type { WireRequest } from './server.ts';

let vocabulary: Vocabulary | undefined;
const counted = new Map<string, number>();

/**
 * Tokens of a text. Counted with the product's encoder, which its tests compare with js-tiktoken: that one builds its
 * tables for more than a second, in every process.
 */
export function countText(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  vocabulary ??= readVocabulary(o200k);
  const tokens = countExactly(vocabulary, text);
  counted.set(text, tokens);
  return tokens;
}

/**
 * Tokens of a request as the server counts them: messages, calls and tool schemas. The product learns them only from
 * the server's reports.
 */
export function countRequest({ messages, tools = [] }: WireRequest): number {
  const texts = [
    ...messages.flatMap(({ content, tool_calls = [] }) => [
      typeof content === 'string' ? content : JSON.stringify(content ?? ''),
      ...tool_calls.map((call) => call.function.name + call.function.arguments),
    ]),
    ...tools.map((tool) => JSON.stringify(tool)),
  ];
  const perMessage = 4;
  return messages.length * perMessage + texts.reduce((sum, text) => sum + countText(text), 0);
}
