/** Unified diffs for display. */
import type { StructuredPatchHunk } from 'diff';
import { plainLines } from './lineEnds.ts';

const CONTEXT_LINES = 3;
/** A diff of two very different large files can take quadratic time; after this limit one plain block is shown. */
const MAX_DIFF_MS = 1000;

interface FileDiff {
  /** In unified format. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** Compares two versions of a file; `before` is undefined for a new one. Loads the diff library on first use. */
export async function diffFiles(name: string, before: string | undefined, after: string): Promise<FileDiff> {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const plainBefore = plainLines(before ?? '').text;
  const plainAfter = plainLines(after).text;
  // Carriage returns are shown only if nothing else changes.
  const onlyLineEnds = plainBefore === plainAfter;
  const oldText = onlyLineEnds ? (before ?? '') : plainBefore;
  const newText = onlyLineEnds ? after : plainAfter;
  const oldName = before === undefined ? '/dev/null' : name;
  const patch = structuredPatch(oldName, name, oldText, newText, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: MAX_DIFF_MS,
  }) ?? {
    oldFileName: oldName,
    newFileName: name,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [oneHunk(oldText, newText)],
  };
  const changed = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: formatPatch(patch, FILE_HEADERS_ONLY),
    added: changed.filter((line) => line.startsWith('+')).length,
    removed: changed.filter((line) => line.startsWith('-')).length,
  };
}

/** Everything between the first and the last difference as one hunk: the old lines removed, the new ones added. */
function oneHunk(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [...removed.flatMap((line) => signed('-', line)), ...added.flatMap((line) => signed('+', line))],
  };
}

/** Each line with its line feed. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const signed = (sign: '+' | '-', line: string): readonly string[] =>
  line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, '\\ No newline at end of file'];
