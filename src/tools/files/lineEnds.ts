/** Line ends: which a text uses, and texts without carriage returns that can be mapped back. */

export type LineEnd = '\n' | '\r\n';

/** The line end that most lines of the text have; `\n` for a text of one line. */
export function dominantLineEnd(text: string): LineEnd {
  let feeds = 0;
  let pairs = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    feeds += 1;
    if (text[at - 1] === '\r') pairs += 1;
  }
  return pairs * 2 > feeds ? '\r\n' : '\n';
}

/** Every line end becomes `lineEnd`. */
export function withLineEnd(text: string, lineEnd: LineEnd): string {
  const plain = text.replaceAll('\r\n', '\n');
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}

export interface PlainLines {
  /** The text with `\n` for every `\r\n`. */
  readonly text: string;
  /** The offset in the original text of an offset in `text`. */
  readonly original: (offset: number) => number;
}

/** Takes the carriage returns of line ends out and remembers where they were. */
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

/** How many of the ascending numbers are less than `limit`. */
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
