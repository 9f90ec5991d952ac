import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Replacement } from '../history/reductions.ts';
import { truncateObservation, truncationNotice } from '../results/ObservationTruncator.ts';
import type { BlobStore } from '../storage/index.ts';

/** Shortens the output of tool results that were admitted before; the whole stays in the log and by pointer. */
export async function clipResults(
  clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[],
  countTokens: (text: string) => number,
  blobs: BlobStore,
): Promise<Replacement[]> {
  // Together, or each would wait for the disk on its own.
  return Promise.all(clips.map((clip) => clipResult(clip, countTokens, blobs)));
}

async function clipResult(
  { result, tokens }: { readonly result: JSONLEntry; readonly tokens: number },
  countTokens: (text: string) => number,
  blobs: BlobStore,
): Promise<Replacement> {
  const output = outputOf(result);
  const original = result.toolResult?.original ?? (await blobs.put(output).catch(() => undefined));
  const path = original === undefined ? undefined : blobs.pathOf(original.hash);
  let text = '';
  // Bytes are a bound in tokens that no text breaks for long: halve until the estimate agrees.
  for (let maxBytes = tokens * 3; maxBytes > 50; maxBytes = Math.floor(maxBytes * 0.7)) {
    const cut = truncateObservation(output, { maxLines: 1000, maxBytes }, 'head_tail');
    text = `${truncationNotice(cut, path, original)}\n${cut.preview}`;
    if (countTokens(text) <= tokens) break;
  }
  return { uuid: result.uuid, output: text, ...(original === undefined ? {} : { original }) };
}

/** What the model sees of a tool result, as text. */
export function outputOf(result: JSONLEntry): string {
  const output = result.toolResult?.output;
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}
