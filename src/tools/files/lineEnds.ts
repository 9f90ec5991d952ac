/** Detects and converts line endings; maps offsets in a text without carriage returns back to the original. */

export type LineEnd = '\n' | '\r\n';

/** The line ending of most lines; `\n` for a text of one line. */
export function dominantLineEnd(text: string): LineEnd {
  let feeds = 0;
  let pairs = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    feeds += 1;
    if (text[at - 1] === '\r') pairs += 1;
  }
  return pairs * 2 > feeds ? '\r\n' : '\n';
}

/** True if the text has lines and all of them end with `\r\n`, without other carriage returns. */
export function endsLinesWithPairs(text: string): boolean {
  return text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text);
}

/** Converts every line ending to `lineEnd`. */
export function withLineEnd(text: string, lineEnd: LineEnd): string {
  const plain = text.replaceAll('\r\n', '\n');
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}

interface PlainLines {
  /** The text with `\n` for every `\r\n`. */
  readonly text: string;
  /** Maps an offset in `text` to the offset in the original text. */
  readonly original: (offset: number) => number;
}

/** Removes the carriage returns of line endings and remembers their positions. */
export function plainLines(text: string): PlainLines {
  if (!text.includes('\r\n')) return { text, original: (offset) => offset };
  /** Offsets in the plain text of the line feeds that lost their carriage return, ascending. */
  const removed: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2))
    removed.push(at - removed.length);
  return {
    text: text.replaceAll('\r\n', '\n'),
    original: (offset) => offset + countBelow(removed, offset),
  };
}

/** The number of elements of an ascending list that are less than `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
