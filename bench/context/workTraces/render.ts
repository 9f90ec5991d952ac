/** A request as its reader sees it: one text for each message. */
import type { Message } from '../../../src/protocol/messages.ts';

export interface Shown {
  /** True for what the user typed, which tells nothing of what was done to a file. */
  readonly isPrompt: boolean;
  readonly text: string;
}

/** Words, then calls with their arguments decoded; the line numbers that Read adds are left out. */
export function textOf(message: Message): string {
  const { content } = message;
  const words =
    typeof content === 'string'
      ? content
      : content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
  if (message.role === 'tool') return words.replace(/^ *\d+\t/gm, '');
  if (message.role !== 'assistant') return words;
  const calls = message.toolCalls.map(({ name, arguments: json }) => `${name}\n${valuesOf(json)}`);
  return [words, ...calls].join('\n');
}

function valuesOf(json: string): string {
  return Object.values(JSON.parse(json) as Readonly<Record<string, unknown>>)
    .map(String)
    .join('\n');
}
