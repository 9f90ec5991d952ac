import type { EntryNote } from '../protocol/entries/defineKind.ts';
import { type JSONLEntry, noteOf } from '../protocol/entries.ts';

/** The text of an entry's message, in either form of its content. */
export function entryText({ message: { content } }: JSONLEntry): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}

/** The text of a tool result for the model. */
export function resultText({ toolResult }: JSONLEntry): string {
  const output = toolResult?.output;
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}

const noted: ReadonlySet<string | undefined> = new Set(['reduction', 'summary_failed', 'hook']);

/** The note about a reduction of the context, a failed summary or a hook; undefined for other entries. */
export function contextNoteOf(entry: JSONLEntry): EntryNote | undefined {
  if (!noted.has(entry.subtype)) return undefined;
  return noteOf(entry, { seqOf: () => undefined });
}
