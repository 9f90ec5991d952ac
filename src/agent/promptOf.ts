/** The text of the user's entries. Loaded before the first frame, so it must not import the context folder. */
import { displayOf } from '../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { PromptOp } from '../protocol/ops.ts';

/** Returns the prompt of an entry, so that it can be edited and sent again. */
export function promptOf(entry: JSONLEntry): PromptOp {
  const display = displayOf(entry);
  const text = textOf(entry.message.content);
  return { type: 'prompt', text, ...(display === undefined ? {} : { display }) };
}

/** Returns the text of a message's content in any of its forms. */
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
