import type { JSONLEntry } from '../protocol/entries.ts';

/** The text of an entry's message, whichever of the two forms its content has. */
export function entryText({ message: { content } }: JSONLEntry): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}

/** What a tool result says to the model, as text. */
export function resultText({ toolResult }: JSONLEntry): string {
  const output = toolResult?.output;
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}
