/** The lines around a word in the text of an entry, for where a rendering has folded them away. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText, textOf } from '../print/content.ts';
import { sanitize } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';

/** Lines above and below the one with the word. */
const ABOVE = 3;
const BELOW = 6;
/** Characters to either side that are looked at: a line may be a megabyte long. */
const AROUND = 4000;

/** Lines of at most `width` columns; none where the text does not hold any of the words. */
export function excerptOf(entry: JSONLEntry, words: readonly string[], width: number): readonly string[] {
  const text = [textOf(entry.toolResult?.output), contentText(entry), textOf(entry.tool?.input)].find(
    (one) => placeOf(one, words) !== -1,
  );
  if (text === undefined) return [];
  const at = placeOf(text, words);
  const above = sanitize(text.slice(Math.max(0, at - AROUND), at)).split('\n');
  const below = sanitize(text.slice(at, at + AROUND)).split('\n');
  // A word far into a long line keeps a little of what is before it.
  const before = (above.at(-1) ?? '').slice(-Math.floor(width / 2));
  const line = `${before}${below[0] ?? ''}`;
  return [...above.slice(-1 - ABOVE, -1), line, ...below.slice(1, 1 + BELOW)].map((one) =>
    truncate(withoutHalves(one), width),
  );
}

/** Cut in the middle of a pair, half of it is no text. */
function withoutHalves(line: string): string {
  return line.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}

function placeOf(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  for (const word of words) {
    const at = word === '' ? -1 : lower.indexOf(word.toLowerCase());
    if (at !== -1) return at;
  }
  return -1;
}
