import type { EntryNote } from '../protocol/entries/defineKind.ts';
import { type JSONLEntry, noteOf } from '../protocol/entries.ts';

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

/** The line about what was shortened to fit the window, or why a summary failed; undefined for other entries. */
export function contextNoteOf(entry: JSONLEntry): EntryNote | undefined {
  if (entry.subtype !== 'reduction' && entry.subtype !== 'summary_failed') return undefined;
  return noteOf(entry, { seqOf: () => undefined });
}
