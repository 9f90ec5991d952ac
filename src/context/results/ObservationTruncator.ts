/**
 * Bounds what one tool result adds to the conversation, by lines and by bytes. What is left out is named in
 * a notice that stands first, where a later cut cannot remove it; the whole is kept by the caller.
 */
import { headOf, tailOf } from '../tokens/wellFormed.ts';

export type TruncateDirection = 'head' | 'tail' | 'head_tail';

export interface TruncationLimits {
  readonly maxLines: number;
  readonly maxBytes: number;
}

export interface Truncation {
  readonly truncated: boolean;
  /** What is kept; the text itself when it fits. Never more lines or bytes than the limits. */
  readonly preview: string;
  readonly stats: {
    readonly direction: TruncateDirection;
    readonly originalLines: number;
    readonly originalBytes: number;
    readonly keptLines: number;
    readonly keptBytes: number;
  };
}

/** S3's figures. */
export const DEFAULT_LIMITS: TruncationLimits = { maxLines: 2000, maxBytes: 51_200 };

/** Cuts a text to both limits. Lines end at `\n` only; no surrogate pair is split. */
export function truncateObservation(
  text: string,
  limits: TruncationLimits = DEFAULT_LIMITS,
  direction: TruncateDirection = 'head',
): Truncation {
  const originalLines = countLines(text);
  const originalBytes = Buffer.byteLength(text);
  const fits = originalLines <= limits.maxLines && originalBytes <= limits.maxBytes;
  const preview = fits ? text : cut(text, limits, direction);
  return {
    truncated: !fits,
    preview,
    stats: {
      direction,
      originalLines,
      originalBytes,
      keptLines: fits ? originalLines : countLines(preview),
      keptBytes: fits ? originalBytes : Buffer.byteLength(preview),
    },
  };
}

/** The sentence before a cut text. `path` is where the whole can be read; absent when it could not be kept. */
export function truncationNotice(
  { stats }: Pick<Truncation, 'stats'>,
  path: string | undefined,
  whole: { readonly bytes: number; readonly lines?: number | undefined } | undefined = undefined,
): string {
  const part = { head: 'the beginning', tail: 'the end', head_tail: 'the beginning and the end' }[
    stats.direction
  ];
  const lines = whole?.lines ?? stats.originalLines;
  const bytes = whole?.bytes ?? stats.originalBytes;
  const where =
    path === undefined
      ? 'The whole could not be kept; narrow the call to see more.'
      : `The whole is in ${path}; Read it in parts, or Grep it.`;
  return `[Output truncated: this is ${part}, ${count(stats.keptLines)} of ${count(lines)} lines, ${count(stats.keptBytes)} of ${count(bytes)} bytes. ${where}]`;
}

function cut(text: string, limits: TruncationLimits, direction: TruncateDirection): string {
  if (direction === 'head') return headWithin(text, limits.maxLines, limits.maxBytes);
  if (direction === 'tail') return tailWithin(text, limits.maxLines, limits.maxBytes);
  return headAndTail(text, limits);
}

/** Lines of the left-out middle that are likely to say what went wrong. */
const ERROR_LINE = /error|exception|fatal|panic|traceback|\bfail(ed|ure)?\b|\bassert/i;
const MAX_ERROR_LINES = 20;
/** Characters of the middle that are looked through, so that no output holds anything up. */
const MAX_SEARCHED = 4_000_000;
const MAX_ERROR_LINE_CHARACTERS = 300;
const MARK = '[… left out …]';

/** Beginning, error lines of the middle, end: disjoint parts of the text in its order. */
function headAndTail(text: string, { maxLines, maxBytes }: TruncationLimits): string {
  const markBytes = 2 * (Buffer.byteLength(MARK) + 2);
  const lines = maxLines - 2;
  const bytes = maxBytes - markBytes;
  if (lines < 2 || bytes < 100) return headWithin(text, maxLines, maxBytes);
  const head = headWithin(text, Math.ceil(lines * 0.3), Math.floor(bytes * 0.3));
  const rest = text.slice(head.length);
  const errorLines = Math.min(MAX_ERROR_LINES, Math.floor(lines * 0.1));
  const errorBytes = Math.floor(bytes * 0.1);
  const tail = tailWithin(rest, Math.max(1, Math.floor(lines * 0.6)), Math.floor(bytes * 0.6));
  const middle = rest.slice(0, rest.length - tail.length);
  const errors = headWithin(errorLinesOf(middle, errorLines).join('\n'), errorLines, errorBytes);
  const parts = errors === '' ? [head, MARK, tail] : [head, MARK, errors, MARK, tail];
  return parts.map((part) => part.replace(/^\n|\n$/g, '')).join('\n');
}

function errorLinesOf(text: string, max: number): string[] {
  const found: string[] = [];
  const searched = text.slice(0, MAX_SEARCHED);
  const search = new RegExp(ERROR_LINE, 'gi');
  for (
    let match = search.exec(searched);
    match !== null && found.length < max;
    match = search.exec(searched)
  ) {
    const start = searched.lastIndexOf('\n', match.index) + 1;
    const newline = searched.indexOf('\n', match.index);
    const end = newline === -1 ? searched.length : newline;
    found.push(headOf(searched.slice(start, end), MAX_ERROR_LINE_CHARACTERS));
    search.lastIndex = end;
  }
  return found;
}

/** The longest beginning within both limits: whole lines, or a part of the first when that alone is too long. */
function headWithin(text: string, maxLines: number, maxBytes: number): string {
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

function tailWithin(text: string, maxLines: number, maxBytes: number): string {
  let start = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let lines = 0; lines < maxLines && start > 0; lines++) {
    const newline = text.lastIndexOf('\n', start - 1);
    start = newline === -1 ? 0 : newline;
  }
  const byLines = text.slice(start === 0 ? 0 : start + 1);
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

function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) === 10) lines++;
  return lines;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
