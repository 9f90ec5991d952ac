/** Text of others inside what the program says: it may not look like the program's own words. */
import { headOf, wellFormed } from '../tokens/wellFormed.ts';

/** One line without control characters, at most `maxCharacters` (UTF-16 units) and a sign that it was cut. */
export function oneLine(text: string, maxCharacters: number): string {
  // What is beyond cannot be seen; a paste of megabytes need not be searched for blanks.
  const start = headOf(text, maxCharacters * 4 + 1000);
  const line = plainText(start).replace(/\s+/gu, ' ').trim();
  const isWhole = line.length <= maxCharacters && start.length === text.length;
  return isWhole ? line : `${headOf(line, maxCharacters).trimEnd()}…`;
}

/** The same text, well-formed, without control characters but line ends, and with no wrapper of ours in it. */
export function plainText(text: string): string {
  return wellFormed(text)
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      ' ',
    )
    .replace(STRAY_JOINER, ' ')
    .replace(/<(?=\s*\/?\s*system-note)/gi, '‹');
}

/** A joiner that joins nothing. Between signs of a family and letters of Persian or Hindi it belongs to what is written. */
const STRAY_JOINER =
  /(?<!(?!\p{ASCII})[\p{L}\p{M}\p{S}])[\u200c\u200d]|[\u200c\u200d](?!(?!\p{ASCII})[\p{L}\p{M}\p{S}])/gu;
