import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Replacement } from '../history/reductions.ts';
import { truncateObservation, truncationNotice } from '../results/ObservationTruncator.ts';

/** Shortens the output of tool results that were admitted before; the whole stays where it is, and is pointed to. */
export function clipResults(
  clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[],
  countTokens: (text: string) => number,
): Replacement[] {
  return clips.map((clip) => clipResult(clip, countTokens));
}

function clipResult(
  { result, tokens }: { readonly result: JSONLEntry; readonly tokens: number },
  countTokens: (text: string) => number,
): Replacement {
  const output = outputOf(result);
  const original = result.toolResult?.original;
  let text = '';
  // Bytes are a bound in tokens that no text breaks for long: halve until the estimate agrees.
  for (let maxBytes = tokens * 3; maxBytes > 50; maxBytes = Math.floor(maxBytes * 0.7)) {
    const cut = truncateObservation(output, { maxLines: 1000, maxBytes }, 'head_tail');
    text = `${truncationNotice(cut, undefined, original ?? { seq: result.seq })}\n${cut.preview}`;
    if (countTokens(text) <= tokens) break;
  }
  return { uuid: result.uuid, output: text, ...(original === undefined ? {} : { original }) };
}

/** What the model sees of a tool result, as text. */
export function outputOf(result: JSONLEntry): string {
  const output = result.toolResult?.output;
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}
