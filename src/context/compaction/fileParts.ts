/**
 * Selects the lines of a file that a compaction quotes: all of them if they fit, otherwise those around the spots.
 * Pure.
 */
import type { FileSpot } from '../FileAnalyzer.ts';
import { headOf } from '../tokens/truncate.ts';

/** A file's lines, numbered as in Read: a trailing newline does not start another line. */
export interface FileLines {
  readonly lines: readonly string[];
  /** False if only the beginning of the file was read. */
  readonly isAll: boolean;
  /** Indices of lines that the request shows elsewhere and that are not quoted again. */
  readonly shown: ReadonlySet<number>;
}

/** The quoted part of a file. */
export interface FilePart {
  /** For the heading: `whole file, 16 lines`, `lines 1-81 of 403`, `3 parts of 1432 lines`. */
  readonly label: string;
  /** The lines; with several parts, each under a line that gives its line numbers. */
  readonly text: string;
  readonly lines: number;
  readonly isWhole: boolean;
}

interface PartLimits {
  readonly maxLines: number;
  readonly maxTokens: number;
  /** Tokens of a part as it is quoted, with its label. */
  readonly tokensOf: (part: Pick<FilePart, 'label' | 'text'>) => number;
}

/** Indices of the first and last line. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Context lines to try before and after a spot; the first number that fits is then increased as far as possible. */
const AROUND: readonly number[] = [8, 2, 0];
const MOST_AROUND = 300;

/**
 * Selects all lines that are not shown elsewhere if they are within both limits. Otherwise selects the lines around the
 * spots, newest spots first, or the beginning of a spot that is too long; without spots, the beginning of the file.
 * Lines are in file order.
 */
export function importantPart(file: FileLines, spots: readonly FileSpot[], limits: PartLimits): FilePart {
  const fits = (lines: readonly number[]): boolean =>
    lines.length <= limits.maxLines && limits.tokensOf(partOf(file, lines)) <= limits.maxTokens;
  const all = unseen(file, [{ from: 0, to: file.lines.length - 1 }], 0);
  if (fits(all)) return partOf(file, all);
  const found = unseenSpots(file, spots).toReversed();
  const ranges: Range[] = [];
  let least = 0;
  for (const range of found) {
    // Only the newest spot may have less context; all others need the full context.
    const tried = ranges.length === 0 ? AROUND : AROUND.slice(0, 1);
    const around = tried.find((lines) => fits(unseen(file, [...ranges, range], lines)));
    if (around === undefined) continue;
    ranges.push(range);
    least = around;
  }
  if (ranges.length > 0) {
    const around = mostThat((lines) => fits(unseen(file, ranges, lines)), { least, most: MOST_AROUND });
    return partOf(file, unseen(file, ranges, around));
  }
  const start = found[0] === undefined ? all : unseen(file, found.slice(0, 1), 0);
  const most = Math.min(start.length, limits.maxLines);
  const count = mostThat((lines) => fits(start.slice(0, lines)), { least: 0, most });
  return count > 0 ? partOf(file, start.slice(0, count)) : cutLine(file, start[0] ?? 0, limits);
}

/** True if the request shows the whole file, or all of its spots, elsewhere. */
export function isShownElsewhere(file: FileLines, spots: readonly FileSpot[]): boolean {
  if (file.shown.size === 0) return false;
  if (file.shown.size >= file.lines.length) return true;
  const all = unseenSpots({ ...file, shown: new Set() }, spots);
  return all.length > 0 && unseenSpots(file, spots).length === 0;
}

/** The spots that are still in the file and not shown elsewhere, oldest first. */
function unseenSpots(file: FileLines, spots: readonly FileSpot[]): Range[] {
  const text = file.lines.join('\n');
  return spots.flatMap((spot) => {
    const range = rangeOf(spot, text, file.lines.length);
    return range === undefined || unseen(file, [range], 0).length === 0 ? [] : [range];
  });
}

/** The lines of a spot; undefined if it is no longer in the file. */
function rangeOf(spot: FileSpot, text: string, count: number): Range | undefined {
  if (spot.type === 'lines')
    return spot.from > count ? undefined : { from: spot.from - 1, to: Math.min(spot.to, count) - 1 };
  const wanted = spot.text.replace(/\n$/, '');
  const at = wanted.trim() === '' ? -1 : text.indexOf(wanted);
  if (at === -1) return undefined;
  const from = lineEndsIn(text, 0, at);
  return { from, to: from + lineEndsIn(text, at, at + wanted.length) };
}

function lineEndsIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Sorted indices of the lines in all ranges, with `around` more on both sides, without lines shown elsewhere. */
function unseen({ lines, shown }: FileLines, ranges: readonly Range[], around: number): readonly number[] {
  const chosen = new Set<number>();
  for (const { from, to } of ranges) {
    const last = Math.min(lines.length - 1, to + around);
    for (let line = Math.max(0, from - around); line <= last; line++) if (!shown.has(line)) chosen.add(line);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** Binary search for the largest number up to `most` that fits; `least` is known to fit. */
function mostThat(
  fits: (number: number) => boolean,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  let low = least;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function partOf(file: FileLines, chosen: readonly number[]): FilePart {
  const { lines, isAll } = file;
  const isWhole = isAll && chosen.length === lines.length;
  const total = isAll ? `${lines.length}` : `more than ${lines.length}`;
  const runs = runsOf(chosen);
  const texts = runs.map(({ from, to }) => lines.slice(from, to + 1).join('\n'));
  const [only] = runs;
  if (only !== undefined && runs.length === 1) {
    const whole = `whole file, ${lines.length === 1 ? '1 line' : `${lines.length} lines`}`;
    const label = isWhole ? whole : `${nameOf(only)} of ${total}`;
    return { label, text: texts[0] ?? '', lines: chosen.length, isWhole };
  }
  return {
    label: `${runs.length} parts of ${total} lines`,
    text: runs.map((run, index) => `[${nameOf(run)}]\n${texts[index] ?? ''}`).join('\n'),
    lines: chosen.length,
    isWhole,
  };
}

/** The beginning of a line that is too long by itself; empty if nothing fits. */
function cutLine(file: FileLines, index: number, { maxTokens, tokensOf }: PartLimits): FilePart {
  const part = partOf(file, [index]);
  const label = `${part.isWhole ? 'line 1 of 1' : part.label}, cut`;
  const cutTo = (length: number): string => (length === 0 ? '' : `${headOf(part.text, length)}…`);
  const most = Math.min(part.text.length, Math.ceil(maxTokens * MOST_CHARACTERS));
  const fits = (length: number): boolean => tokensOf({ label, text: cutTo(length) }) <= maxTokens;
  return { ...part, label, text: cutTo(mostThat(fits, { least: 0, most })), isWhole: false };
}

/** Characters per token of any text; a high estimate. */
const MOST_CHARACTERS = 12;

function nameOf({ from, to }: Range): string {
  return from === to ? `line ${from + 1}` : `lines ${from + 1}-${to + 1}`;
}

/** Groups adjacent line numbers into ranges. */
function runsOf(sorted: readonly number[]): readonly Range[] {
  const runs: Range[] = [];
  for (const line of sorted) {
    const last = runs.at(-1);
    if (last?.to === line - 1) runs[runs.length - 1] = { from: last.from, to: line };
    else runs.push({ from: line, to: line });
  }
  return runs;
}
