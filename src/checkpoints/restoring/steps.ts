/** Builds the step for one path, ready to show: its kind and its diff. */

import { isUtf8 } from 'node:buffer';
import type { PathChange, PathState, RestoreStep } from '../../protocol/checkpoints.ts';
import { countLines } from '../../protocol/text/countLines.ts';
import type { YieldTimer } from '../scan/Coverage.ts';
import { type CheckpointBlobs, describePath, type NeedsApproval } from '../types.ts';
import { byPath, type FileState, sameContent, sameState, spanning } from './states.ts';
import type { LoadContent } from './undoPath.ts';

export interface RestoreDeps {
  readonly root: string;
  /** The project and the directories added to it. Real paths. */
  readonly roots: readonly string[];
  readonly blobs: CheckpointBlobs;
  readonly pace: YieldTimer;
  readonly isCaseBlind: (path: string) => boolean;
  /** See `CheckpointOptions`. */
  readonly needsApproval: NeedsApproval;
}

interface StepText {
  /** For the diff header. */
  readonly name: string;
  /** Why it is merged, or another remark. */
  readonly reason?: string;
  readonly isMerge?: boolean;
}

export async function makeStep(
  path: string,
  from: PathState | undefined,
  to: PathState | undefined,
  load: LoadContent,
  text: StepText,
): Promise<RestoreStep> {
  const action = text.isMerge === true ? 'merge' : actionOf(from, to);
  const states = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const reason = text.reason === undefined ? {} : { reason: text.reason };
  const [old, next] = [fileOf(from), fileOf(to)];
  const isShown = (old ?? next) !== undefined && action !== 'nothing' && action !== 'mode';
  const contents = isShown ? [await contentOf(old, load), await contentOf(next, load)] : ['none'];
  if (contents.includes('none')) return { path, action, ...reason, added: 0, removed: 0, ...states };
  const [before, after] = contents.map((one) => (Buffer.isBuffer(one) ? one : undefined));
  return { path, action, ...reason, ...(await showDiff(text.name, before, after)), ...states };
}

/** A step for something that cannot or need not be done. */
export function idleStep(
  path: string,
  action: 'refuse' | 'nothing',
  reason: string | undefined,
  from: PathState | undefined,
): RestoreStep {
  return {
    path,
    action,
    ...(reason !== undefined && { reason }),
    added: 0,
    removed: 0,
    ...(from !== undefined && { from, to: from }),
  };
}

function actionOf(from: PathState | undefined, to: PathState | undefined): RestoreStep['action'] {
  if (sameState(from, to)) return 'nothing';
  if (from === undefined) return 'create';
  if (to === undefined) return 'delete';
  if (from.type === 'file' && to.type === 'file' && sameContent(from, to)) return 'mode';
  if (from.type === 'folder' && to.type === 'folder') return 'mode';
  return 'modify';
}

/** `undefined` = no file; `none` = the content is unavailable. */
async function contentOf(
  state: FileState | undefined,
  load: LoadContent,
): Promise<Buffer | 'none' | undefined> {
  if (state === undefined) return undefined;
  if (state.hash === undefined || state.bytes > MAX_SHOWN_BYTES) return 'none';
  return (await load(state.hash)) ?? 'none';
}

const MAX_SHOWN_BYTES = 2 ** 20;

const fileOf = (state: PathState | undefined): FileState | undefined =>
  state?.type === 'file' ? state : undefined;

/** The net change of each path, from before its first change to after its last; paths without one are left out. */
export async function diffChanges(
  changes: readonly PathChange[],
  deps: RestoreDeps,
): Promise<readonly RestoreStep[]> {
  const steps: RestoreStep[] = [];
  for (const [path, its] of byPath(changes)) {
    const [first, last] = [its[0], its.at(-1)];
    if (first === undefined || last === undefined) continue;
    const { before, after } = spanning(first, last);
    if (sameState(before, after)) continue;
    const load = (hash: string) => deps.blobs.read({ hash }).catch(() => undefined);
    steps.push(await makeStep(path, before, after, load, { name: describePath(deps.root, path) }));
    if (deps.pace.isDue()) await deps.pace.pause();
  }
  return steps.sort((a, b) => (a.path < b.path ? -1 : 1));
}

// Unified diffs for display, limited in size and time.

interface ShownDiff {
  /** Absent if there is nothing to show: binary or very large content. */
  readonly diff?: string;
  readonly added: number;
  readonly removed: number;
}

const MAX_TEXT_BYTES = 2 ** 20;
const MAX_DIFF_CHARACTERS = 200_000;
/** With fewer differences the comparison runs synchronously; it takes milliseconds. */
const FEW_EDITS = 300;
const MAX_DIFF_MS = 1_000;
const CONTEXT_LINES = 3;

/** The diff between two contents; undefined = no file. */
async function showDiff(name: string, from: Buffer | undefined, to: Buffer | undefined): Promise<ShownDiff> {
  if (![from, to].every(isReadable)) return { added: 0, removed: 0 };
  const [before, after] = [from?.toString() ?? '', to?.toString() ?? ''];
  if (before === after) return { added: 0, removed: 0 };
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const [oldName, newName] = [from === undefined ? '/dev/null' : name, to === undefined ? '/dev/null' : name];
  const options = { context: CONTEXT_LINES };
  const patch =
    structuredPatch(oldName, newName, before, after, undefined, undefined, {
      ...options,
      maxEditLength: FEW_EDITS,
    }) ??
    (await new Promise<ReturnType<typeof structuredPatch> | undefined>((resolve) => {
      structuredPatch(oldName, newName, before, after, undefined, undefined, {
        ...options,
        timeout: MAX_DIFF_MS,
        callback: resolve,
      });
    }));
  if (patch === undefined) return { added: countLines(after), removed: countLines(before) };
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const diff = formatPatch(patch, FILE_HEADERS_ONLY);
  return {
    ...(diff.length <= MAX_DIFF_CHARACTERS && { diff }),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function isReadable(bytes: Buffer | undefined): boolean {
  return bytes === undefined || (bytes.length <= MAX_TEXT_BYTES && !bytes.includes(0) && isUtf8(bytes));
}
