/** Converts a unified diff to the protocol's changes: for each hunk the text before and after. Pure. */
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { readDiff } from '../protocol/text/diff.ts';

/** Lines with their line feeds. */
interface Hunk {
  readonly before: string[];
  readonly after: string[];
}

/** A dialog has no use for more hunks. */
const MAX_HUNKS = 200;

/** `path`: absolute. A new file has no text before. Empty if the text is not a diff, or has too many changes. */
export function diffContent(path: string, unified: string, isNew: boolean): ToolCallContent[] {
  const hunks = hunksOf(unified);
  // Showing only some of the changes would be misleading.
  if (hunks.length > MAX_HUNKS) return [];
  return hunks.map(({ before, after }) => ({
    type: 'diff',
    path,
    oldText: isNew ? null : before.join(''),
    newText: after.join(''),
  }));
}

/** The first line that a diff changes, counted in the new file; undefined if the text is not a diff. */
export function firstLineOf(unified: string): number | undefined {
  return readDiff(unified).find(({ kind }) => kind === 'added' || kind === 'removed')?.number;
}

function hunksOf(unified: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let sides: readonly string[][] = [];
  for (const { kind, line } of readDiff(unified)) {
    if (kind === 'hunk') hunks.push({ before: [], after: [] });
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    if (kind === 'note') {
      // "No newline at end of file": that is about the line before it.
      for (const side of sides) side.push((side.pop() ?? '').replace(/\n$/, ''));
      continue;
    }
    sides = [
      ...(kind === 'context' || kind === 'removed' ? [hunk.before] : []),
      ...(kind === 'context' || kind === 'added' ? [hunk.after] : []),
    ];
    for (const side of sides) side.push(`${line.slice(1)}\n`);
  }
  return hunks;
}
