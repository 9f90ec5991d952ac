/** Works out what a path becomes when changes are taken back, one after the other, the newest first. Touches nothing. */
import { createHash } from 'node:crypto';
import type { PathChange, PathState } from '../../protocol/checkpoints.ts';
import { isMergeable, MAX_MERGE_BYTES } from '../looking/contents.ts';
import { describeSize } from '../words.ts';
import { mergeText } from './mergeText.ts';
import { type FileState, joinChanges, nameOf, sameContent, sameState } from './states.ts';

export type Undone =
  | {
      readonly type: 'state';
      readonly to: PathState | undefined;
      /** Content that is nowhere yet, by its hash. */
      readonly merged: Buffer | undefined;
    }
  | { readonly type: 'refuse'; readonly reason: string };

/** Content by hash, of what is on disk or was kept. */
export type LoadContent = (hash: string) => Promise<Buffer | undefined>;

type FileUndone =
  | { readonly state: FileState; readonly merged: Buffer | undefined }
  | { readonly reason: string };

/** `changes` are of one path, oldest first; `disk` is what is there now. */
export async function undoPath(
  disk: PathState | undefined,
  changes: readonly PathChange[],
  load: LoadContent,
): Promise<Undone> {
  let to = disk;
  let merged: Buffer | undefined;
  const loadHere: LoadContent = async (hash) =>
    isFile(to) && merged && to.hash === hash ? merged : load(hash);
  for (const { before, after } of [...joinChanges(changes)].reverse()) {
    if (sameState(to, before)) continue;
    if (isFile(to) && isFile(after) && isFile(before)) {
      const file = await undoFile(to, before, after, loadHere);
      if ('reason' in file) return { type: 'refuse', reason: file.reason };
      merged = file.merged ?? merged;
      to = file.state;
      continue;
    }
    if (to?.type === 'folder' && after?.type === 'folder') {
      if (before?.type !== 'folder') to = before;
      else if (to.mode === after.mode) to = before;
    } else if (to?.type === 'folder' && before?.type === 'folder') {
      // Somebody made the folder again.
    } else if (sameState(to, after)) to = before;
    else return { type: 'refuse', reason: whyNot(to, after) };
    merged = undefined;
    const problem = unavailable(to);
    if (problem !== undefined) return { type: 'refuse', reason: problem };
  }
  const isKept = disk === undefined || sameState(disk, to) || isMakeable(disk);
  return isKept ? { type: 'state', to, merged } : { type: 'refuse', reason: `it is ${nameOf(disk)} now` };
}

/** Content and mode are taken back each for itself. */
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
    return { reason: `it was changed since, and is larger than ${describeSize(MAX_MERGE_BYTES)}` };
  const [base, ours, theirs] = [
    await load(after.hash),
    await load(to.hash ?? ''),
    await load(before.hash ?? ''),
  ];
  if (base === undefined || ours === undefined || theirs === undefined)
    return { reason: 'it was changed since, and what it was then is not kept' };
  if (![base, ours, theirs].every(isMergeable)) return { reason: 'it was changed since, and is not text' };
  const merged = await mergeText(base, ours, theirs);
  if (merged === undefined) return { reason: 'it was changed since, in the same lines' };
  const hash = createHash('sha256').update(merged).digest('hex');
  return { state: { type: 'file', mode, bytes: merged.length, hash }, merged };
}

/** Why a state cannot be had again. */
function unavailable(state: PathState | undefined): string | undefined {
  if (state !== undefined && !isMakeable(state)) return `it was ${nameOf(state)}, which cannot be made again`;
  return isFile(state) && (state.hash === undefined || state.omitted !== undefined)
    ? lostReason(state)
    : undefined;
}

/** Sockets and devices belong to who made them; what cannot be made again is not removed either. */
const isMakeable = (state: PathState): boolean => state.type !== 'special' || state.kind === 'pipe';

function lostReason(state: FileState): string {
  return `its content was not kept: ${state.omitted ?? 'no reason is known'}`;
}

function whyNot(disk: PathState | undefined, after: PathState | undefined): string {
  if (disk === undefined) return 'it was deleted since';
  if (after === undefined) return `${nameOf(disk)} was put there since`;
  if (isFile(after) && after.hash === undefined) return lostReason(after);
  if (disk.type !== after.type) return `it has become ${nameOf(disk)} since`;
  return 'it was changed since';
}

const isFile = (state: PathState | undefined): state is FileState => state?.type === 'file';
