/**
 * Limits one tool result by lines and bytes. A notice at the start, where a later cut cannot remove it, describes what
 * was left out. The caller stores the full text.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { countLines } from '../../protocol/text/countLines.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import type { Excerpt } from '../../protocol/tools.ts';
import {
  headAndTail,
  headWithin,
  type ShownLines,
  type TruncationLimits,
  tailWithin,
} from './headAndTail.ts';

export type TruncateDirection = 'head' | 'tail' | 'head_tail';

/** Result of a cut; recorded with the tool result. */
export interface TruncationStats {
  readonly direction: TruncateDirection;
  readonly originalLines: number;
  readonly originalBytes: number;
  readonly keptLines: number;
  readonly keptBytes: number;
  /** Duration of the cut in milliseconds. */
  readonly timeMs: number;
}

export interface Truncation {
  readonly truncated: boolean;
  /** The kept part, or the whole text if it fits. Never exceeds the limits. */
  readonly preview: string;
  /** Path of the full output; set by the code that stores it. */
  readonly fullOutputPath?: string;
  readonly stats: TruncationStats;
  /** Present for a cut that keeps beginning and end. */
  readonly shown?: ShownLines;
}

export interface TruncationOptions {
  /** False to keep no error lines between beginning and end, because they are not errors of this call. */
  readonly findsErrors?: boolean;
}

/** Default limits. */
const DEFAULT_LIMITS: TruncationLimits = { maxLines: 2000, maxBytes: 51_200 };

/** Cuts a text to both limits. Only `\n` ends a line; surrogate pairs are not split. */
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

/** Like `truncateObservation`, without blocking the event loop. */
export async function truncateInSteps(
  text: string,
  limits: TruncationLimits,
  direction: TruncateDirection,
  options: TruncationOptions,
): Promise<Truncation> {
  const work = truncating(text, limits, direction, options);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}

/**
 * The notice for a cut text. `which` names the lines that are shown, if known. `path` is a file with the full text, if
 * there is one. `whole` with a hash is referred to by the first twelve digits, which takes 46 tokens instead of 113 for
 * a path; text in the log itself is referred to by its seq.
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
          ? 'The full output could not be kept; narrow the call to see more.'
          : `The full text is in ${path}; Read it in parts, or Grep it.`;
  const count = `${grouped(Math.min(stats.keptLines, lines))} of ${grouped(lines)} lines`;
  return `[Output truncated: ${which ?? `${part}, ${count}`}, ${grouped(stats.keptBytes)} of ${grouped(bytes)} bytes. ${where}]`;
}

/**
 * The notice for lines of a file: their numbers show which are left, and Read returns more of them. `whole` is
 * everything that was read.
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

/** The numbered lines of a file excerpt, without the notes after them. */
export function linesOfExcerpt(text: string): string {
  const lines = text.split('\n');
  return lines.slice(0, lines.findLastIndex((line) => /^ *\d+\t/.test(line)) + 1).join('\n');
}

/** Pointer for the model, in the form of a Recall call. */
export function pointerTo(hash: string): string {
  return `Recall("${memoryIdOf(hash)}")`;
}

/** Prefix of a hash that identifies it. */
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
