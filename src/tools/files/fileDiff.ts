/** Unified diffs for the reader's eyes. */
import { plainLines } from './lineEnds.ts';

const CONTEXT_LINES = 3;
/** A diff of two unlike files of many lines can take quadratic time; after this it is left out. */
const MAX_DIFF_MS = 1000;

export interface FileDiff {
  /** Unified; absent when it would have taken too long. */
  readonly diff?: string;
  readonly added: number;
  readonly removed: number;
}

/** Compares two versions of a file; `before` is undefined for a new one. Loads the diff library when first used. */
export async function diffFiles(name: string, before: string | undefined, after: string): Promise<FileDiff> {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const plainBefore = plainLines(before ?? '').text;
  const plainAfter = plainLines(after).text;
  // Carriage returns are shown only where they are all that changes.
  const onlyLineEnds = plainBefore === plainAfter;
  const patch = structuredPatch(
    before === undefined ? '/dev/null' : name,
    name,
    onlyLineEnds ? (before ?? '') : plainBefore,
    onlyLineEnds ? after : plainAfter,
    undefined,
    undefined,
    { context: CONTEXT_LINES, timeout: MAX_DIFF_MS },
  );
  if (patch === undefined) {
    return { added: countLines(after), removed: countLines(before ?? '') };
  }
  const changed = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: formatPatch(patch, FILE_HEADERS_ONLY),
    added: changed.filter((line) => line.startsWith('+')).length,
    removed: changed.filter((line) => line.startsWith('-')).length,
  };
}

function countLines(text: string): number {
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
