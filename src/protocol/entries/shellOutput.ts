import type { JSONLEntry } from '../entries.ts';
import type { ToolDisplay } from './fields.ts';

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
