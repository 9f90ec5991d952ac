/** Determines the state of a path after undoing changes one by one, newest first. Does not touch the disk. */
import { createHash } from 'node:crypto';
import type { PathChange, PathState } from '../../protocol/checkpoints.ts';
import { isMergeable, MAX_MERGE_BYTES } from '../scan/contents.ts';
import { describeSize } from '../types.ts';
import { mergeText } from './mergeText.ts';
import { type FileState, joinChanges, nameOf, sameContent, sameState } from './states.ts';

type Undone =
  | {
      readonly type: 'state';
      readonly to: PathState | undefined;
      /** Merged content that is not stored anywhere yet. */
      readonly merged: Buffer | undefined;
      /** Why it was not undone completely. */
      readonly shortOf?: string;
    }
  | { readonly type: 'refuse'; readonly reason: string };

/** Loads a content by hash, from disk or from the stored copies. */
export type LoadContent = (hash: string) => Promise<Buffer | undefined>;

type FileUndone =
  | { readonly state: FileState; readonly merged: Buffer | undefined }
  | { readonly reason: string };

/**
 * `changes` are those of one path, oldest first; `disk` is its current state. If a change cannot be undone, the path is
 * left alone, except that a file which a later call deleted or moved away is restored as it was then, since it may
 * contain edits of the user that exist nowhere else.
 */
export async function undoPath(
  disk: PathState | undefined,
  changes: readonly PathChange[],
  load: LoadContent,
): Promise<Undone> {
  let reached: UndoProgress = { to: disk, merged: undefined };
  for (const change of [...joinChanges(changes)].reverse()) {
    const next = await undoChange(reached, change, load);
    if ('reason' in next) {
      if (disk !== undefined || reached.to?.type !== 'file') return { type: 'refuse', reason: next.reason };
      return { type: 'state', ...reached, shortOf: next.reason };
    }
    reached = next;
  }
  const isKept = disk === undefined || sameState(disk, reached.to) || isMakeable(disk);
  return isKept ? { type: 'state', ...reached } : { type: 'refuse', reason: `it is ${nameOf(disk)} now` };
}

interface UndoProgress {
  readonly to: PathState | undefined;
  readonly merged: Buffer | undefined;
}

interface Refused {
  readonly reason: string;
}

/** Undoes one change, starting from the newest state. */
async function undoChange(
  { to, merged }: UndoProgress,
  { before, after }: PathChange,
  load: LoadContent,
): Promise<UndoProgress | Refused> {
  if (sameState(to, before)) return { to, merged };
  if (isFile(to) && isFile(after) && isFile(before)) {
    const { hash } = to;
    const loadHere: LoadContent = async (wanted) =>
      merged !== undefined && wanted === hash ? merged : load(wanted);
    const file = await undoFile(to, before, after, loadHere);
    return 'reason' in file
      ? file
      : { to: file.state, merged: file.merged ?? (file.state.hash === hash ? merged : undefined) };
  }
  if (to?.type === 'folder' && after?.type === 'folder')
    return { to: before?.type !== 'folder' || to.mode === after.mode ? before : to, merged: undefined };
  // The folder has been created again.
  if (to?.type === 'folder' && before?.type === 'folder') return { to, merged: undefined };
  const isBetween = to === undefined && before !== undefined && after !== undefined && hasGap(before, after);
  if (!isBetween && !sameState(to, after)) return { reason: conflictReason(to, after) };
  const problem = unavailable(before);
  return problem === undefined ? { to: before, merged: undefined } : { reason: problem };
}

/**
 * True if the path is briefly absent while one state replaces the other: an interrupted restore must not be mistaken
 * for a deletion by the user.
 */
function hasGap(before: PathState, after: PathState): boolean {
  return before.type !== after.type || before.type === 'link';
}

/** Undoes content and mode independently. */
async function undoFile(
  to: FileState,
  before: FileState,
  after: FileState,
  load: LoadContent,
): Promise<FileUndone> {
  const mode = to.mode === after.mode ? before.mode : to.mode;
  if (sameContent(after, before) || sameContent(to, before))
    return { state: { ...to, mode }, merged: undefined };
  if (sameContent(to, after)) {
    const problem = unavailable(before);
    return problem === undefined ? { state: { ...before, mode }, merged: undefined } : { reason: problem };
  }
  if (after.hash === undefined) return { reason: lostReason(after) };
  const problem = unavailable(before);
  if (problem !== undefined) return { reason: problem };
  if (to.bytes > MAX_MERGE_BYTES)
    return { reason: `it has changed since, and is larger than ${describeSize(MAX_MERGE_BYTES)}` };
  const [base, ours, theirs] = [
    await load(after.hash),
    await load(to.hash ?? ''),
    await load(before.hash ?? ''),
  ];
  if (base === undefined || ours === undefined || theirs === undefined)
    return { reason: 'it has changed since, and its earlier content was not kept' };
  if (![base, ours, theirs].every(isMergeable)) return { reason: 'it has changed since, and is not text' };
  const merged = await mergeText(base, ours, theirs);
  if (merged === undefined) return { reason: 'the same lines have changed since' };
  const hash = createHash('sha256').update(merged).digest('hex');
  return { state: { type: 'file', mode, bytes: merged.length, hash }, merged };
}

/** Why a state cannot be restored; undefined if it can. */
function unavailable(state: PathState | undefined): string | undefined {
  if (state !== undefined && !isMakeable(state)) return `it was ${nameOf(state)}, which cannot be recreated`;
  return isFile(state) && (state.hash === undefined || state.omitted !== undefined)
    ? lostReason(state)
    : undefined;
}

/**
 * Sockets and devices belong to the process that created them. Entries that cannot be recreated are not removed either.
 */
const isMakeable = (state: PathState): boolean => state.type !== 'special' || state.kind === 'pipe';

function lostReason(state: FileState): string {
  return `its content was not kept: ${state.omitted ?? 'the reason is unknown'}`;
}

function conflictReason(disk: PathState | undefined, after: PathState | undefined): string {
  if (disk === undefined) return 'it has been deleted since';
  if (after === undefined) return `${nameOf(disk)} has been created there since`;
  if (isFile(after) && after.hash === undefined) return lostReason(after);
  if (disk.type !== after.type) return `it has become ${nameOf(disk)} since`;
  return 'it has been changed since';
}

const isFile = (state: PathState | undefined): state is FileState => state?.type === 'file';
