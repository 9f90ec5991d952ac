/** Plans a restore: reads the disk, changes nothing in the tree. */
import { readdir } from 'node:fs/promises';
import { dirname, normalize } from 'node:path';
import type { PathChange, PathState, RestorePlan, RestoreStep } from '../../protocol/checkpoints.ts';
import { canonicalPath, statEntry } from '../scan/diskEntry.ts';
import { hashBytes } from '../scan/stableRead.ts';
import { historyAround } from '../scan/walk.ts';
import { type CheckpointBlobs, describePath } from '../types.ts';
import { byPath, currentState, nameOf, sameState } from './states.ts';
import { idleStep, makeStep, type RestoreDeps } from './steps.ts';
import { type LoadContent, undoPath } from './undoPath.ts';

/** Contents up to this size are loaded for merging and diffs; larger ones are only compared by hash. */
const MAX_TEXT_BYTES = 2 ** 20;

export async function planRestore(
  changes: readonly PathChange[],
  deps: RestoreDeps,
  foreign: ReadonlySet<string> = new Set(),
): Promise<RestorePlan> {
  const steps = new Map<string, RestoreStep>();
  const repositories = new Map<string, boolean>();
  const needsApproval = foreign.size === 0 ? undefined : deps.needsApproval();
  const paths = byPath(changes);
  // From the top down: if a folder replaces a link, nothing exists inside it until then.
  for (const path of [...paths.keys()].sort()) {
    const approval = foreign.has(path) ? needsApproval?.(path) : undefined;
    const blocked = unreachable(path, repositories) ?? (approval && `${approval} ${NOT_OURS}`);
    steps.set(
      path,
      blocked === undefined
        ? await planPath(path, paths.get(path) ?? [], foreign.has(path), steps, deps)
        : idleStep(path, 'refuse', blocked, undefined),
    );
    if (deps.pace.isDue()) await deps.pace.pause();
  }
  const inOrder = [...paths.keys()].flatMap((path) => steps.get(path) ?? []);
  return { steps: await refuseWhatIsInTheWay(inOrder, deps) };
}

async function planPath(
  path: string,
  changes: readonly PathChange[],
  isForeign: boolean,
  above: ReadonlyMap<string, RestoreStep>,
  deps: RestoreDeps,
): Promise<RestoreStep> {
  const isReached = canonicalPath(path) === path;
  if (!isReached && !isBelowFolderToCome(path, above))
    return idleStep(path, 'refuse', 'its path now leads through a link', undefined);
  // Without a known hash to compare with, the file is not read beyond this size.
  const isComparable = changes.some(({ before, after }) => isHashed(before) || isHashed(after));
  const current = isReached
    ? await currentState(
        path,
        MAX_TEXT_BYTES,
        deps.isCaseBlind(path),
        isComparable ? undefined : MAX_TEXT_BYTES,
      )
    : ({ type: 'nothing' } as const);
  if (current.type === 'unknown') return idleStep(path, 'refuse', current.reason, undefined);
  const disk = current.type === 'nothing' ? undefined : current.state;
  const bytes = current.type === 'nothing' ? undefined : current.bytes;
  const load: LoadContent = async (wanted) =>
    disk?.type === 'file' && disk.hash === wanted && bytes !== undefined
      ? bytes
      : deps.blobs.read({ hash: wanted });
  const undoing = await undoPath(disk, changes, load);
  if (undoing.type === 'refuse') return idleStep(path, 'refuse', undoing.reason, disk);
  const undone = { ...undoing, to: withoutSpecialBits(undoing.to, disk, isForeign) };
  if ([undoing.to, undone.to].some((to) => sameState(disk, to)))
    return idleStep(path, 'nothing', undefined, disk);
  if (isForeign && (undone.to?.type === 'link' || undone.to?.type === 'special'))
    return idleStep(path, 'refuse', `It was ${nameOf(undone.to)}. ${NOT_OURS}`, disk);
  const missing = await unavailableContent(undone.to, undone.merged, deps.blobs);
  if (missing !== undefined) return idleStep(path, 'refuse', missing, disk);
  const name = describePath(deps.root, path);
  if (undone.merged === undefined) {
    const reason = undone.shortOf === undefined ? {} : { reason: `only partly restored: ${undone.shortOf}` };
    return makeStep(path, disk, undone.to, load, { name, ...reason });
  }
  const { merged } = undone;
  return makeStep(
    path,
    disk,
    undone.to,
    async (wanted) => (isHash(undone.to, wanted) ? merged : load(wanted)),
    {
      name,
      reason: 'you changed it since; your changes stay',
      isMerge: true,
    },
  );
}

const isHashed = (state: PathState | undefined): boolean =>
  state?.type === 'file' && state.hash !== undefined;

const isHash = (state: PathState | undefined, wanted: string): boolean =>
  state?.type === 'file' && state.hash === wanted;

/** Follows the reason why a write would need approval. */
const NOT_OURS =
  'The log does not prove that ClawdCode recorded this change here, so it is not restored. /diff shows it, so that you can do so by hand.';

/**
 * The state without setuid, setgid and sticky: a log could name them for any file. A folder keeps those that it has on
 * disk. A foreign change gives no one else write access.
 */
function withoutSpecialBits(
  to: PathState | undefined,
  disk: PathState | undefined,
  isForeign: boolean,
): PathState | undefined {
  if (to?.type !== 'file' && to?.type !== 'folder') return to;
  const now = disk?.type === to.type ? disk.mode : 0;
  const allowed = isForeign ? 0o755 | (now & 0o777) : 0o777;
  const kept = to.type === 'folder' ? now & 0o7000 : 0;
  return { ...to, mode: to.mode & (allowed | kept) };
}

/** A path from a log that stores no secrets: it never existed under this name. */
const REDACTED = /\[redacted: [a-z0-9-]+ [0-9a-f]{4}\]/;

/** Why nothing may be done at a path, regardless of its state; undefined if it may. */
function unreachable(path: string, repositories: Map<string, boolean>): string | undefined {
  if (!path.startsWith('/') || path.includes('\0') || normalize(path) !== path) return 'it is not a path';
  if (REDACTED.test(path)) return 'its name holds a secret, which is not stored';
  const owner = historyAround(path, repositories);
  return owner === undefined ? undefined : `it belongs to ${owner}`;
}

/** True if the first link on the way is one that this plan replaces with the folder that was there. */
function isBelowFolderToCome(path: string, above: ReadonlyMap<string, RestoreStep>): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if (statEntry(at)?.kind !== 'link') continue;
    const step = above.get(at);
    return step?.from?.type === 'link' && step.to?.type === 'folder' && canonicalPath(at) === at;
  }
  return false;
}

/** Stores the result of a merge for later writing; returns the reason if a content is unavailable. */
async function unavailableContent(
  to: PathState | undefined,
  merged: Buffer | undefined,
  blobs: CheckpointBlobs,
): Promise<string | undefined> {
  if (to?.type !== 'file') return undefined;
  try {
    if (merged !== undefined) await blobs.put(merged);
    else return await problemOf(await blobs.read({ hash: to.hash ?? '' }), to.hash);
    return undefined;
  } catch (error) {
    return `its content cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
  }
}

async function problemOf(
  bytes: Buffer | undefined,
  expected: string | undefined,
): Promise<string | undefined> {
  if (bytes === undefined) return 'its content is lost';
  return (await hashBytes(bytes)) === expected ? undefined : 'its content is damaged';
}

/**
 * Refuses steps that cannot work: a folder to be removed must be empty by then, and a new entry needs a parent folder.
 */
async function refuseWhatIsInTheWay(
  steps: readonly RestoreStep[],
  deps: RestoreDeps,
): Promise<readonly RestoreStep[]> {
  const all = new Map(steps.map((step) => [step.path, step]));
  const deepestFirst = [...steps].sort((a, b) => (a.path < b.path ? 1 : -1));
  for (const { path, from, to } of deepestFirst) {
    if (from?.type !== 'folder' || to?.type === 'folder') continue;
    const left = await leftIn(path, all);
    if (left === undefined) continue;
    const reason = `it contains ${describePath(path, left)}, which is kept`;
    all.set(path, idleStep(path, to === undefined ? 'nothing' : 'refuse', reason, from));
    if (deps.pace.isDue()) await deps.pace.pause();
  }
  for (const { path, from, to } of [...deepestFirst].reverse()) {
    if (to === undefined || sameState(from, to)) continue;
    const blocked = await blockedBy(path, all, deps);
    if (blocked === undefined) continue;
    const reason = `its parent ${describePath(deps.root, blocked)} is no longer a folder`;
    all.set(path, idleStep(path, 'refuse', reason, from));
  }
  return steps.map((step) => all.get(step.path) ?? step);
}

async function leftIn(folder: string, steps: ReadonlyMap<string, RestoreStep>): Promise<string | undefined> {
  for (const name of await readdir(folder).catch(() => ['its files'])) {
    const path = `${folder}/${name}`;
    const step = steps.get(path);
    if (step === undefined || step.action !== 'delete') return path;
  }
  return undefined;
}

async function blockedBy(
  path: string,
  steps: ReadonlyMap<string, RestoreStep>,
  deps: RestoreDeps,
): Promise<string | undefined> {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const step = steps.get(at);
    if (step !== undefined && step.to?.type === 'folder') continue;
    const current = await currentState(at, 0, deps.isCaseBlind(at));
    if (current.type === 'unknown') return at;
    if (current.type === 'state') return current.state.type === 'folder' ? undefined : at;
  }
  return undefined;
}
