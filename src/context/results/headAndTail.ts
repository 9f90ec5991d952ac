/**
 * Beginning and end of a long output, and between them the lines that decide what to do next: the first and
 * the last error, places in the project's own files, counts of the outcome. Parts keep the text's order.
 */
import { countLines, headWithin, tailWithin } from './cutText.ts';
import { type DecisiveLine, findDecisiveLines, quoted, rank } from './decisiveLines.ts';
import type { TruncationLimits } from './ObservationTruncator.ts';

/** How many lines of a text are shown: of its beginning, of those that decide, of its end. */
export interface ShownLines {
  readonly head: number;
  readonly errors: number;
  readonly tail: number;
}

/**
 * Yields now and then, so that a caller can let others go on. The result keeps both limits. Without `findsErrors`
 * nothing is looked for between the ends.
 */
export function* headAndTail(
  text: string,
  { maxLines, maxBytes }: TruncationLimits,
  findsErrors: boolean,
): Generator<undefined, { readonly text: string; readonly shown: ShownLines }> {
  const lines = maxLines - 2;
  const bytes = maxBytes - 2 * (Buffer.byteLength(MARK) + 2);
  if (lines < 2 || bytes < MIN_BYTES) {
    const head = headWithin(text, maxLines, maxBytes);
    return { text: head, shown: { head: countLines(head), errors: 0, tail: 0 } };
  }
  const least = ends(text, lines, bytes, HEAD_SHARE, TAIL_SHARE);
  const room = { lines: Math.floor(lines * DECISIVE_SHARE), bytes: Math.floor(bytes * DECISIVE_SHARE) };
  const found = findsErrors
    ? yield* findDecisiveLines(text, least.head.length, text.length - least.tail.length)
    : [];
  const chosen = choose(found, room.lines, room.bytes);
  const used = costOf(chosen);
  // What the lines between do not need goes to both ends.
  const leftLines = lines - used.lines;
  const leftBytes = bytes - used.bytes;
  const { head, tail } = ends(text, leftLines, leftBytes, HEAD_OF_ENDS, 1 - HEAD_OF_ENDS);
  const tailStart = text.length - tail.length;
  const between = chosen.filter(({ start, end }) => start >= head.length && end <= tailStart);
  const shown = {
    head: countLines(head),
    errors: between.length,
    tail: countLines(tail.replace(/^\n/, '')),
  };
  return { text: joined(head, between, tail, text), shown };
}

/** A line in place of what is left out. */
export const MARK = '[… left out …]';
/** Between two lines that do not follow each other. */
export const GAP = '…';
const MIN_BYTES = 100;
const HEAD_SHARE = 0.1;
const TAIL_SHARE = 0.25;
/** A little less than the rest, so that the ends come out no shorter than they were when it was searched between. */
const DECISIVE_SHARE = 0.63;
const HEAD_OF_ENDS = HEAD_SHARE / (HEAD_SHARE + TAIL_SHARE);

function ends(
  text: string,
  lines: number,
  bytes: number,
  headShare: number,
  tailShare: number,
): { readonly head: string; readonly tail: string } {
  const head = headWithin(text, Math.max(1, Math.floor(lines * headShare)), Math.floor(bytes * headShare));
  const rest = text.slice(head.length);
  const tail = tailWithin(rest, Math.max(1, Math.floor(lines * tailShare)), Math.floor(bytes * tailShare));
  return { head, tail };
}

/** The most telling lines that fit, in the order of the text; shortened where else not all places fit. */
function choose(found: readonly DecisiveLine[], maxLines: number, maxBytes: number): readonly DecisiveLine[] {
  let lines = found;
  for (const length of SHORTER) {
    if (costOf(lines.filter((line) => line.rank <= rank.place)).bytes <= maxBytes) break;
    lines = found.map((line) =>
      line.rank === rank.edge ? line : { ...line, text: quoted(line.text, length) },
    );
  }
  return chooseFrom(lines, maxLines, maxBytes);
}

/** Characters of a line, tried in turn: a place with little of its message is better than no place. */
const SHORTER = [110, 72] as const;

function chooseFrom(
  found: readonly DecisiveLine[],
  maxLines: number,
  maxBytes: number,
): readonly DecisiveLine[] {
  const chosen: DecisiveLine[] = [];
  let lines = 0;
  let bytes = 0;
  for (const line of found.toSorted((a, b) => a.rank - b.rank || a.start - b.start)) {
    // Each may need a gap before it.
    const cost = Buffer.byteLength(line.text) + 1 + GAP_BYTES;
    if (lines + 2 > maxLines || bytes + cost > maxBytes) continue;
    lines += 2;
    bytes += cost;
    chosen.push(line);
  }
  return chosen.sort((a, b) => a.start - b.start);
}

const GAP_BYTES = Buffer.byteLength(GAP) + 1;

function costOf(lines: readonly DecisiveLine[]): { readonly lines: number; readonly bytes: number } {
  const bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1 + GAP_BYTES, 0);
  return { lines: 2 * lines.length, bytes };
}

function joined(head: string, between: readonly DecisiveLine[], tail: string, text: string): string {
  const parts = [head.replace(/\n$/, ''), MARK];
  let last: DecisiveLine | undefined;
  for (const line of between) {
    if (last !== undefined && line.start > last.end + 1) parts.push(GAP);
    parts.push(line.text);
    last = line;
  }
  const follows = last !== undefined && last.end + 1 >= text.length - tail.length;
  if (last !== undefined && !follows) parts.push(MARK);
  parts.push(tail.replace(/^\n/, ''));
  return parts.join('\n');
}
