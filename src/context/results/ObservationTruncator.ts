/**
 * Bounds what one tool result adds to the conversation, by lines and by bytes. What is left out is named in
 * a notice that stands first, where a later cut cannot remove it; the whole is kept by the caller.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import { grouped } from '../../protocol/text/numbers.ts';
import type { Excerpt } from '../../protocol/tools.ts';
import {
  countLines,
  headAndTail,
  headWithin,
  type ShownLines,
  type TruncationLimits,
  tailWithin,
} from './headAndTail.ts';

export type TruncateDirection = 'head' | 'tail' | 'head_tail';

/** What a cut did; recorded with the result. */
export interface TruncationStats {
  readonly direction: TruncateDirection;
  readonly originalLines: number;
  readonly originalBytes: number;
  readonly keptLines: number;
  readonly keptBytes: number;
  /** Milliseconds that the cut took. */
  readonly timeMs: number;
}

export interface Truncation {
  readonly truncated: boolean;
  /** What is kept; the text itself when it fits. Never more lines or bytes than the limits. */
  readonly preview: string;
  /** Where the full output lies as a file; set by the code that stored it. */
  readonly fullOutputPath?: string;
  readonly stats: TruncationStats;
  /** Of a cut that keeps beginning and end. */
  readonly shown?: ShownLines;
}

export interface TruncationOptions {
  /** False keeps no error lines between beginning and end: what looks like one is none of the call's. */
  readonly findsErrors?: boolean;
}

/** S3's figures. */
export const DEFAULT_LIMITS: TruncationLimits = { maxLines: 2000, maxBytes: 51_200 };

/** Cuts a text to both limits. Lines end at `\n` only; no surrogate pair is split. */
export function truncateObservation(
  text: string,
  limits: TruncationLimits = DEFAULT_LIMITS,
  direction: TruncateDirection = 'head',
  options: TruncationOptions = {},
): Truncation {
  const work = truncating(text, limits, direction, options);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The same for a text of any size, without blocking the event loop. */
export async function truncateInSteps(
  text: string,
  limits: TruncationLimits,
  direction: TruncateDirection,
  options: TruncationOptions = {},
): Promise<Truncation> {
  const work = truncating(text, limits, direction, options);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await giveWay();
  }
}

/**
 * The sentence before a cut text. `which` names the lines that are shown, where more is known than how many. `path` is
 * a file with the whole; absent where there is none. A `whole` with a hash is pointed to by its first twelve digits,
 * which costs 46 tokens where a path costs 113; one that the log holds itself by its position.
 */
export function truncationNotice(
  {
    stats,
    shown,
    which,
  }: Pick<Truncation, 'shown'> & {
    readonly stats: Omit<TruncationStats, 'timeMs'>;
    readonly which?: string | undefined;
  },
  path: string | undefined,
  whole:
    | { readonly bytes: number; readonly lines?: number | undefined; readonly hash?: string }
    | { readonly seq: number }
    | undefined = undefined,
): string {
  const ends = shown?.errors === 0 ? 'beginning and end' : 'beginning, error lines and end';
  const part = { head: 'the beginning', tail: 'the end', head_tail: ends }[stats.direction];
  const kept = whole !== undefined && 'bytes' in whole ? whole : undefined;
  const lines = kept?.lines ?? stats.originalLines;
  const bytes = kept?.bytes ?? stats.originalBytes;
  const where =
    whole !== undefined && 'seq' in whole
      ? `All: Recall("#${whole.seq}")`
      : kept?.hash !== undefined
        ? `All: ${pointerTo(kept.hash)}${path === undefined ? '' : `, or the file ${path}`}`
        : path === undefined
          ? 'The whole could not be kept; narrow the call to see more.'
          : `The whole is in ${path}; Read it in parts, or Grep it.`;
  const count = `${grouped(Math.min(stats.keptLines, lines))} of ${grouped(lines)} lines`;
  return `[Output truncated: ${which ?? `${part}, ${count}`}, ${grouped(stats.keptBytes)} of ${grouped(bytes)} bytes. ${where}]`;
}

/**
 * The same for lines of a file: the numbers before them say which are shown, and Read shows more of them. `whole` is
 * all that was read.
 */
export function excerptNotice(
  { preview, stats }: Pick<Truncation, 'preview' | 'stats'>,
  { totalLines, notes }: Excerpt,
  path: string | undefined,
  whole: { readonly hash: string } | undefined,
): string {
  const [first = 0, last = first] = outermostNumbers(preview);
  const part = stats.direction === 'head_tail' ? 'beginning, error lines and end of ' : '';
  const total = totalLines === undefined ? 'a longer file' : String(totalLines);
  const more =
    stats.direction !== 'head'
      ? '; others with offset and limit'
      : last === totalLines
        ? ''
        : `; more with offset ${last + 1}`;
  const where =
    whole === undefined
      ? ''
      : ` All that was read: ${pointerTo(whole.hash)}${path === undefined ? '' : `, or the file ${path}`}`;
  const also = notes.map((note) => ` ${note}`).join('');
  return `[Output truncated: ${part}lines ${first}-${last} of ${total}${more}.${also}${where}]`;
}

function outermostNumbers(preview: string): readonly number[] {
  const numbers = preview.match(/^ *\d+(?=\t)/gm) ?? [];
  return [numbers[0], numbers.at(-1)].flatMap((one) => (one === undefined ? [] : [Number(one)]));
}

/** Of a text that shows lines of a file, what stands before the notes. */
export function linesOfExcerpt(text: string): string {
  const lines = text.split('\n');
  return lines.slice(0, lines.findLastIndex((line) => /^ *\d+\t/.test(line)) + 1).join('\n');
}

/** How the model is told where an original is: as it would call for it. */
export function pointerTo(hash: string): string {
  return `Recall("${memoryIdOf(hash)}")`;
}

/** The beginning of a hash that stands for all of it. */
export function memoryIdOf(hash: string): string {
  return hash.slice(0, 12);
}

function* truncating(
  text: string,
  limits: TruncationLimits,
  direction: TruncateDirection,
  options: TruncationOptions,
): Generator<undefined, Truncation> {
  const start = performance.now();
  const originalLines = countLines(text);
  const originalBytes = Buffer.byteLength(text);
  const fits = originalLines <= limits.maxLines && originalBytes <= limits.maxBytes;
  const { text: preview, shown } = fits ? { text } : yield* cut(text, limits, direction, options);
  return {
    truncated: !fits,
    preview,
    ...(shown === undefined ? {} : { shown }),
    stats: {
      direction,
      originalLines,
      originalBytes,
      keptLines: fits ? originalLines : countLines(preview),
      keptBytes: fits ? originalBytes : Buffer.byteLength(preview),
      timeMs: Math.round(performance.now() - start),
    },
  };
}

function* cut(
  text: string,
  limits: TruncationLimits,
  direction: TruncateDirection,
  { findsErrors = true }: TruncationOptions,
): Generator<undefined, { readonly text: string; readonly shown?: ShownLines }> {
  if (direction === 'head') return { text: headWithin(text, limits.maxLines, limits.maxBytes) };
  if (direction === 'tail') return { text: tailWithin(text, limits.maxLines, limits.maxBytes) };
  return yield* headAndTail(text, limits, findsErrors);
}
