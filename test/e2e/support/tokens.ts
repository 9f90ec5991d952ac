import { getEncoding } from 'js-tiktoken';
import type { WireRequest } from './server.ts';

let encoding: ReturnType<typeof getEncoding> | undefined;
const counted = new Map<string, number>();

/** Tokens of a text. */
export function countText(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  encoding ??= getEncoding('o200k_base');
  const tokens = pieces(text).reduce((sum, piece) => sum + (encoding?.encode(piece, [], []).length ?? 0), 0);
  counted.set(text, tokens);
  return tokens;
}

/** The encoder takes minutes for a single run of tens of thousands of characters, so such text is counted in pieces. */
function pieces(text: string): string[] {
  if (!/\S{400}|\s{400}/.test(text)) return [text];
  return Array.from({ length: Math.ceil(text.length / 200) }, (_, n) => text.slice(n * 200, (n + 1) * 200));
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
