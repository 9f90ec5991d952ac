/** What an entry of the user said. Loaded before the first frame: it must need nothing of the context room. */
import { displayOf } from '../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { PromptOp } from '../protocol/ops.ts';

/** The prompt of an entry, to be typed again. */
export function promptOf(entry: JSONLEntry): PromptOp {
  const display = displayOf(entry);
  const text = textOf(entry.message.content);
  return { type: 'prompt', text, ...(display === undefined ? {} : { display }) };
}

/** The text of a message's content, whatever its form. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? [part.text]
        : [],
    )
    .join('\n');
}
