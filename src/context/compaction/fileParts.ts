/** Which lines of a file a compaction quotes: all of them where there is room, else those around the spots. Pure. */
import type { FileSpot } from '../FileAnalyzer.ts';
import { headOf } from '../tokens/truncate.ts';

/** A file as it was read. Lines are those that Read numbers: a line feed at the end begins no further one. */
export interface FileLines {
  readonly lines: readonly string[];
  /** False when the file is longer than what was read. */
  readonly isAll: boolean;
  /** Indices of lines that the request shows elsewhere: they are not quoted again. */
  readonly shown: ReadonlySet<number>;
}

/** What is quoted of a file. */
export interface FilePart {
  /** For the heading: `whole file, 16 lines`, `lines 1-81 of 403`, `3 parts of 1432 lines`. */
  readonly label: string;
  /** The lines; of several parts each below a line that says which they are. */
  readonly text: string;
  /** How many lines of the file it has. */
  readonly lines: number;
  readonly isWhole: boolean;
}

export interface PartLimits {
  readonly maxLines: number;
  readonly maxTokens: number;
  /** Of a part as it is quoted, its label included. */
  readonly tokensOf: (part: Pick<FilePart, 'label' | 'text'>) => number;
}

/** Indices of the first and last line. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines before and after a spot: it gets the first of these that fits, and more as long as there is room. */
const AROUND: readonly number[] = [8, 2, 0];
const MOST_AROUND = 300;

/**
 * All lines that are not shown elsewhere, where they keep both limits. Else those around the spots, the newest spots
 * first; of one that is too long its beginning; without spots the file's. In the order of the file.
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
    // The newest that fits may have few lines around it; another one only where there is room for more.
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

/** True where the request shows all of the file elsewhere, or all of its spots. */
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

/** Undefined where the spot is gone from the file. */
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

/** Indices of the lines of all ranges, with `around` more on either side, in order. */
function unseen({ lines, shown }: FileLines, ranges: readonly Range[], around: number): readonly number[] {
  const chosen = new Set<number>();
  for (const { from, to } of ranges) {
    const last = Math.min(lines.length - 1, to + around);
    for (let line = Math.max(0, from - around); line <= last; line++) if (!shown.has(line)) chosen.add(line);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** The largest number that fits, where `least` does, and all between it and the largest. */
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

/** The beginning of a line that alone is too long; empty where there is no room at all. */
function cutLine(file: FileLines, index: number, { maxTokens, tokensOf }: PartLimits): FilePart {
  const part = partOf(file, [index]);
  const label = `${part.isWhole ? 'line 1 of 1' : part.label}, cut`;
  const cutTo = (length: number): string => (length === 0 ? '' : `${headOf(part.text, length)}…`);
  const most = Math.min(part.text.length, Math.ceil(maxTokens * MOST_CHARACTERS));
  const fits = (length: number): boolean => tokensOf({ label, text: cutTo(length) }) <= maxTokens;
  return { ...part, label, text: cutTo(mostThat(fits, { least: 0, most })), isWhole: false };
}

/** Of a token, for text of any kind: rather too many than too few. */
const MOST_CHARACTERS = 12;

function nameOf({ from, to }: Range): string {
  return from === to ? `line ${from + 1}` : `lines ${from + 1}-${to + 1}`;
}

/** Neighbours as ranges. */
function runsOf(sorted: readonly number[]): readonly Range[] {
  const runs: Range[] = [];
  for (const line of sorted) {
    const last = runs.at(-1);
    if (last?.to === line - 1) runs[runs.length - 1] = { from: last.from, to: line };
    else runs.push({ from: line, to: line });
  }
  return runs;
}
