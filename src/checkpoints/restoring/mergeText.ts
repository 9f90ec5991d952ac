/** Three-way merge by lines. Works on bytes: line endings, a missing final one and encodings are preserved. */
import type { ArrayChange } from 'diff';

/** Replaces `length` lines of the base from `start` on with these lines. */
interface Hunk {
  readonly start: number;
  readonly length: number;
  readonly lines: readonly string[];
}

/** With fewer differences the comparison runs synchronously; it takes milliseconds. */
const FEW_EDITS = 300;
const MAX_MERGE_MS = 2_000;

/**
 * Applies the change from `base` to `theirs` to `ours`. Returns undefined if the two changes touch each other, or if
 * the comparison takes too long. As in git, changes of adjacent lines count as touching.
 */
export async function mergeText(base: Buffer, ours: Buffer, theirs: Buffer): Promise<Buffer | undefined> {
  const lines = linesOf(base);
  const mine = await hunksOf(lines, linesOf(ours));
  const yours = mine === undefined ? undefined : await hunksOf(lines, linesOf(theirs));
  if (mine === undefined || yours === undefined) return undefined;
  const hunks = combine(mine, yours);
  if (hunks === undefined) return undefined;
  const merged: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    for (; at < hunk.start; at += 1) merged.push(lines[at] ?? '');
    for (const line of hunk.lines) merged.push(line);
    at = hunk.start + hunk.length;
  }
  for (; at < lines.length; at += 1) merged.push(lines[at] ?? '');
  return isWhole(merged) ? Buffer.from(merged.join(''), 'latin1') : undefined;
}

/** Each line with its line ending; one character per byte, so that nothing is lost. */
function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** True if only the last line lacks a line ending. */
function isWhole(lines: readonly string[]): boolean {
  return lines.every((line, index) => index === lines.length - 1 || line.endsWith('\n'));
}

async function hunksOf(
  base: readonly string[],
  other: readonly string[],
): Promise<readonly Hunk[] | undefined> {
  const changes = await compare(base, other);
  if (changes === undefined) return undefined;
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { start: number; length: number; lines: string[] } | undefined;
  for (const change of changes) {
    if (!change.added && !change.removed) {
      if (open !== undefined) hunks.push(open);
      open = undefined;
      at += change.count;
      continue;
    }
    open ??= { start: at, length: 0, lines: [] };
    if (change.removed) {
      open.length += change.count;
      at += change.count;
    } else for (const line of change.value) open.lines.push(line);
  }
  if (open !== undefined) hunks.push(open);
  return hunks;
}

async function compare(
  base: readonly string[],
  other: readonly string[],
): Promise<readonly ArrayChange<string>[] | undefined> {
  const { diffArrays } = await import('diff');
  const [a, b] = [[...base], [...other]];
  const quick = diffArrays(a, b, { maxEditLength: FEW_EDITS });
  if (quick !== undefined) return quick;
  return new Promise((resolve) => {
    diffArrays(a, b, { timeout: MAX_MERGE_MS, callback: resolve });
  });
}

/** Merges two lists of hunks in the order of the base; undefined if two touch and differ. */
function combine(mine: readonly Hunk[], yours: readonly Hunk[]): readonly Hunk[] | undefined {
  const all: Hunk[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [mine[i], yours[j]];
    const next = a === undefined ? b : b === undefined || a.start <= b.start ? a : b;
    if (next === undefined) return all;
    if (a !== undefined && b !== undefined && touches(a, b)) {
      if (!isSameHunk(a, b)) return undefined;
      [i, j] = [i + 1, j + 1];
    } else if (next === a) i += 1;
    else j += 1;
    all.push(next);
  }
}

const touches = (a: Hunk, b: Hunk): boolean => a.start <= b.start + b.length && b.start <= a.start + a.length;

const isSameHunk = (a: Hunk, b: Hunk): boolean =>
  a.start === b.start &&
  a.length === b.length &&
  a.lines.length === b.lines.length &&
  a.lines.every((line, index) => line === b.lines[index]);
