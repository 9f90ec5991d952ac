/**
 * Reads facts from an entry without the definition of its kind. Needs no schemas: the screen uses this before they are
 * loaded.
 */
import type { JSONLEntry } from '../entries.ts';
import type { ToolDisplay } from './fields.ts';

/** Returns a prompt as displayed if that differs from its message: a long paste stays folded. */
export function displayOf(entry: JSONLEntry): string | undefined {
  return entry.subtype === 'prompt' || (entry.subtype === undefined && entry.type === 'user')
    ? entry.data?.display
    : undefined;
}

/** Returns the command that the user ran with `!`; undefined for other entries, and for those of early versions. */
export function shellCommand(entry: JSONLEntry): string | undefined {
  return entry.subtype === 'shell' ? entry.data?.command : undefined;
}

/** Returns the files that an entry shows to the model, with the hash of the content seen. */
export function filesReadBy(entry: JSONLEntry): readonly { readonly path: string; readonly hash: string }[] {
  if (entry.subtype === 'attachment') return entry.data?.filesRead ?? [];
  return entry.toolResult?.filesRead ?? [];
}

/** Returns the subject of a note from the program: `rewind` or `task`. */
export function topicOf({ data }: JSONLEntry): string | undefined {
  return data !== undefined && 'about' in data && typeof data.about === 'string' ? data.about : undefined;
}

/** True for an entry that directly precedes a prompt and belongs to it: recalled memories, a skill's instructions. */
export function belongsToNextPrompt(entry: JSONLEntry | undefined): boolean {
  return entry?.subtype === 'memory' || (entry?.subtype === 'skill' && entry.data?.callId === undefined);
}

/**
 * Returns the output of a `!command` as the model sees it: the end of the entry's content, from `data.outputAt` (UTF-16
 * units). Older lines duplicate it in `data.output`. Undefined for other entries.
 */
export function shellOutput({ subtype, message, data }: JSONLEntry): string | undefined {
  if (subtype !== 'shell') return undefined;
  if (data?.output !== undefined) return data.output;
  const { content } = message;
  return typeof content === 'string' ? content.slice(data?.outputAt ?? 0) : undefined;
}

/** Removes the notes to the model from the end of an output, for display. */
export function withoutModelNotes(
  output: string,
  { modelNotes = '' }: { readonly modelNotes?: ToolDisplay['modelNotes'] } = {},
): string {
  if (modelNotes === '' || !output.endsWith(modelNotes)) return output;
  return output.slice(0, -modelNotes.length).replace(/\n$/, '');
}
