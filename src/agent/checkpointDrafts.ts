/** What was found to have changed, as the log keeps it: an entry, and for a command's result its files. */
import type { Captured, Checkpoint, FileCheckpoints, PathChange } from '../protocol/checkpoints.ts';
import type { FileChange } from '../protocol/entries/fields.ts';
import type { EntryDraft } from '../protocol/entries.ts';

/** Above either of these, lines are not counted: a whole tree that is made anew is no edit. */
const COUNTED_FILES = 50;
const COUNTED_BYTES = 1_000_000;
/** Files that a command's result names; the entry behind it has all of them. */
const NAMED_FILES = 100;

/** Lines by path; undefined where there are too many to count them. */
export type LinesByPath = ReadonlyMap<string, { readonly added: number; readonly removed: number }>;

/** Counts the lines of changes that were just made. */
export async function linesIn(
  files: Pick<FileCheckpoints, 'diff'>,
  changes: readonly PathChange[],
): Promise<LinesByPath | undefined> {
  const bytes = changes.reduce((sum, { before, after }) => sum + bytesOf(before) + bytesOf(after), 0);
  if (changes.length > COUNTED_FILES || bytes > COUNTED_BYTES) return undefined;
  const steps = changes.length === 0 ? [] : await files.diff(changes);
  return new Map(steps.map(({ path, added, removed }) => [path, { added, removed }]));
}

/** The entry; nothing where there is nothing to say. */
export function checkpointDraft({
  captured: { changes, notes },
  lines,
  ...rest
}: Pick<Checkpoint, 'cause' | 'callIds' | 'of'> & {
  readonly captured: Captured;
  readonly lines?: LinesByPath | undefined;
}): EntryDraft | undefined {
  if (changes.length === 0 && notes.length === 0 && rest.of === undefined) return undefined;
  const data: Checkpoint = {
    ...rest,
    changes: [...changes],
    ...(lines === undefined ? {} : { lines: sumOf(lines) }),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
  };
  return { type: 'system', subtype: 'checkpoint', message: { role: 'system', content: '' }, data };
}

/**
 * The files whose content was changed by a command. Without a hash: the model has not seen what is in them now, so
 * they count as not read.
 */
export function filesChangedBy(changes: readonly PathChange[], lines: LinesByPath | undefined): FileChange[] {
  return changes
    .filter(({ before, after }) => isContent(before) || isContent(after))
    .filter(({ before, after }) => contentOf(before) === undefined || contentOf(before) !== contentOf(after))
    .slice(0, NAMED_FILES)
    .map(({ path, before, after }) => ({
      path,
      kind: after === undefined ? 'deleted' : before === undefined ? 'created' : 'modified',
      ...lines?.get(path),
    }));
}

function sumOf(lines: LinesByPath): { added: number; removed: number } {
  const sum = { added: 0, removed: 0 };
  for (const { added, removed } of lines.values()) {
    sum.added += added;
    sum.removed += removed;
  }
  return sum;
}

type State = PathChange['before'];

function bytesOf(state: State): number {
  return state?.type === 'file' ? state.bytes : 0;
}

function isContent(state: State): boolean {
  return state?.type === 'file' || state?.type === 'link';
}

function contentOf(state: State): string | undefined {
  if (state?.type === 'file') return state.hash;
  return state?.type === 'link' ? `-> ${state.target}` : undefined;
}
