/**
 * File checkpoints: records what tool calls change on disk, and restores it. Reads the tree and git's store, writes
 * only what a plan says, and starts git only for reading.
 */
import { basename, dirname, join } from 'node:path';
import type { Captured, FileCheckpoints } from '../protocol/checkpoints.ts';
import { createGitTrees } from './git/gitTree.ts';
import { Recorder } from './Recorder.ts';
import { applyRestore } from './restoring/applyRestore.ts';
import { planRestore } from './restoring/planRestore.ts';
import { diffChanges } from './restoring/steps.ts';
import { createContents, Stash } from './scan/contents.ts';
import { realFolder, statEntry } from './scan/diskEntry.ts';
import { createYieldTimer } from './scan/walk.ts';
import { type CheckpointOptions, defaultLimits, type NeedsApproval } from './types.ts';

export interface OpenFileCheckpoints extends FileCheckpoints {
  /** Also covers this folder from now on. */
  addRoot(folder: string): Promise<void>;
  /** Stops a running baseline and releases the copies; the object must not be used afterwards. */
  close(): Promise<void>;
}

/** Kernel file systems: reading some of their files has side effects. Part of the project if its root is `/`. */
const KERNEL_FILE_SYSTEMS = ['/proc', '/sys', '/dev'];

export function createFileCheckpoints(options: CheckpointOptions): OpenFileCheckpoints {
  const { blobs, onWarning = () => {} } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const roots = [...new Set([options.root, ...(options.extraRoots ?? [])].map(realFolder))];
  const root = roots[0] ?? options.root;
  const stash = new Stash(options.folder, limits.maxTotalBytes);
  const closing = new AbortController();
  const git = createGitTrees({
    program: options.git ?? 'git',
    env: options.env ?? {},
    roots,
    folder: options.folder,
  });
  const recorder = new Recorder({
    roots,
    exclude: new Set([...KERNEL_FILE_SYSTEMS, options.folder, ...(options.exclude ?? [])].map(realFolder)),
    limits,
    contents: createContents({
      blobs,
      stash,
      limits,
      mayKeep: options.mayKeep ?? (() => true),
      holdsSecrets: options.holdsSecrets ?? (() => false),
      readObject: git.read,
      onWarning,
    }),
    openGit: git.open,
  });
  const isCaseBlind = createCaseCheck(root);
  const restore = {
    root,
    roots,
    blobs,
    pace: createYieldTimer(),
    isCaseBlind,
    needsApproval: options.needsApproval ?? outside(roots),
    maxBytes: limits.maxNamedFileBytes,
  };

  let last: Promise<unknown> = Promise.resolve();
  /** Runs operations one at a time, in order; a failure is reported and ends only the failed one. */
  const inTurn = <T>(act: () => Promise<T>, otherwise: T): Promise<T> => {
    const result = last.then(act).catch((error: unknown) => {
      onWarning(`File checkpoints: ${error instanceof Error ? error.message : String(error)}`);
      return otherwise;
    });
    last = result;
    return result;
  };
  const unknown: Captured = { changes: [], notes: ['the changes could not be determined'] };

  return {
    baseline: (signal) => {
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      return inTurn(async () => {
        // Git may block on a pipe or device that an archive has put in place of a file.
        either.addEventListener('abort', git.stop, { once: true });
        try {
          await recorder.baseline(either);
        } finally {
          either.removeEventListener('abort', git.stop);
        }
      }, undefined);
    },
    capture: (paths) => inTurn(() => recorder.capture(paths), unknown),
    keep: (paths) =>
      inTurn(() => recorder.keep(paths), { changes: [], notes: ['copies of the files could not be made'] }),
    since: (kept) => inTurn(() => recorder.since(kept), unknown),
    plan: (changes, foreign) => inTurn(() => planRestore(changes, restore, foreign), { steps: [] }),
    apply: (plan) =>
      inTurn(
        async () => {
          const applied = await applyRestore(plan, restore);
          await recorder.refresh(applied.changes.map((change) => change.path));
          return applied;
        },
        { changes: [], notes: ['nothing could be restored'] },
      ),
    diff: (changes) => inTurn(() => diffChanges(changes, restore), []),
    addRoot: (folder) =>
      inTurn(async () => {
        const added = realFolder(folder);
        if (roots.includes(added)) return;
        await git.add(added);
        await recorder.baselineOf(added);
        roots.push(added);
      }, undefined),
    close: () => {
      closing.abort();
      return inTurn(async () => {
        git.close();
        await stash.close();
      }, undefined);
    },
  };
}

/** Without other rules, only paths in the roots may be written without approval. */
function outside(roots: readonly string[]): NeedsApproval {
  return () => (path) =>
    roots.some((root) => path.startsWith(`${root}/`)) ? undefined : 'It is outside the project.';
}

/** Returns whether the file system ignores case, checked once with another spelling of the root's name. */
function createCaseCheck(root: string): () => boolean {
  let isBlind: boolean | undefined;
  return () => {
    if (isBlind !== undefined) return isBlind;
    const name = basename(root);
    const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
    const [own, other] = [
      statEntry(root),
      swapped === name ? undefined : statEntry(join(dirname(root), swapped)),
    ];
    isBlind = own !== undefined && other !== undefined && own.ino === other.ino && own.dev === other.dev;
    return isBlind;
  };
}
