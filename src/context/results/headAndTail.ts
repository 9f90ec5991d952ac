/**
 * Beginning and end of a long output, and the most relevant lines between them: the first and last error, locations in
 * the project's files, result counts. Lines stay in order.
 */

import { countLines } from '../../protocol/text/countLines.ts';
import { headOf, tailOf } from '../tokens/truncate.ts';
import { type DecisiveLine, findDecisiveLines, quoted, rank } from './errorLines.ts';

export interface TruncationLimits {
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** Number of lines shown from the beginning, from the middle and from the end. */
export interface ShownLines {
  readonly head: number;
  readonly errors: number;
  readonly tail: number;
}

/**
 * Yields regularly, so that the caller can let other work run. The result fits both limits. Without `findsErrors` no
 * lines between the ends are kept.
 */
export function* headAndTail(
  text: string,
  { maxLines, maxBytes }: TruncationLimits,
  findsErrors: boolean,
): Generator<undefined, { readonly text: string; readonly shown: ShownLines }> {
  const lines = maxLines - 2;
  const bytes = maxBytes - 2 * (Buffer.byteLength(OMISSION) + 2);
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
  // Room that the lines in the middle do not need goes to both ends.
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

/** A line that replaces omitted text. */
export const OMISSION = '[… left out …]';
/** Separates two lines that are not adjacent. */
export const GAP = '…';
const MIN_BYTES = 100;
const HEAD_SHARE = 0.1;
const TAIL_SHARE = 0.25;
/** Slightly less than the rest, so that the ends are never shorter than when the middle was searched. */
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

/** The most relevant lines that fit, in text order; shortened if not all error locations would fit otherwise. */
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

/** Line lengths to try: a location with little of its message is better than none. */
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
    // Each line may need a gap before it.
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
  const parts = [head.replace(/\n$/, ''), OMISSION];
  let last: DecisiveLine | undefined;
  for (const line of between) {
    if (last !== undefined && line.start > last.end + 1) parts.push(GAP);
    parts.push(line.text);
    last = line;
  }
  const follows = last !== undefined && last.end + 1 >= text.length - tail.length;
  if (last !== undefined && !follows) parts.push(OMISSION);
  parts.push(tail.replace(/^\n/, ''));
  return parts.join('\n');
}

// Beginnings and ends of a text within a number of lines and bytes. Only `\n` ends a line.

/** The longest beginning within both limits: complete lines, or part of the first one if it is too long. */
export function headWithin(text: string, maxLines: number, maxBytes: number): string {
  let end = 0;
  for (let lines = 0; lines < maxLines && end < text.length; lines++) {
    const newline = text.indexOf('\n', end);
    end = newline === -1 ? text.length : newline + 1;
  }
  const byLines = text.slice(0, end);
  if (Buffer.byteLength(byLines) <= maxBytes)
    return byLines.endsWith('\n') && end < text.length ? byLines.slice(0, -1) : byLines;
  const byBytes = fitBytes(byLines, maxBytes, headOf);
  const newline = byBytes.lastIndexOf('\n');
  return newline > 0 ? byBytes.slice(0, newline) : byBytes;
}

/** The longest end within both limits: complete lines, or part of the last one if it is too long. */
export function tailWithin(text: string, maxLines: number, maxBytes: number): string {
  // Index of the newline before the end that is taken; -1 before the first line.
  let before = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let lines = 0; lines < maxLines && before >= 0; lines++)
    before = before === 0 ? -1 : text.lastIndexOf('\n', before - 1);
  const byLines = text.slice(before + 1);
  if (Buffer.byteLength(byLines) <= maxBytes) return byLines;
  const byBytes = fitBytes(byLines, maxBytes, tailOf);
  const newline = byBytes.indexOf('\n');
  return newline >= 0 && newline < byBytes.length - 1 ? byBytes.slice(newline + 1) : byBytes;
}

/** The longest beginning or end (`take`) of at most `maxBytes`. */
function fitBytes(text: string, maxBytes: number, take: (text: string, length: number) => string): string {
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(take(text, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return take(text, low);
}
