/** Converts a unified diff to the protocol's changes: for each hunk the text before and after. Pure. */
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { readDiff } from '../protocol/text/diff.ts';

interface Hunk {
  readonly before: string[];
  readonly after: string[];
}

/** More hunks than anyone reads in a dialog. */
const MAX_HUNKS = 200;

/** `path`: absolute. A new file has no text before. Empty if the text is not a diff, or has too many changes. */
export function diffContent(path: string, unified: string, isNew: boolean): ToolCallContent[] {
  const hunks = hunksOf(unified);
  // Showing only some of the changes would be misleading.
  if (hunks.length > MAX_HUNKS) return [];
  return hunks.map(({ before, after }) => ({
    type: 'diff',
    path,
    oldText: isNew ? null : joined(before),
    newText: joined(after),
  }));
}

/** The first line that a diff changes, counted in the new file; undefined if the text is not a diff. */
export function firstLineOf(unified: string): number | undefined {
  return readDiff(unified).find(({ kind }) => kind === 'added' || kind === 'removed')?.number;
}

function hunksOf(unified: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const { kind, line } of readDiff(unified)) {
    if (kind === 'hunk') hunks.push({ before: [], after: [] });
    const hunk = hunks.at(-1);
    const text = line.slice(1);
    if (kind === 'context' || kind === 'removed') hunk?.before.push(text);
    if (kind === 'context' || kind === 'added') hunk?.after.push(text);
  }
  return hunks;
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
