/** A temporary project with checkpoints, and an independent snapshot of its tree. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFileCheckpoints,
  type OpenFileCheckpoints,
} from '../../src/checkpoints/createFileCheckpoints.ts';
import type { CheckpointBlobs, CheckpointOptions } from '../../src/checkpoints/types.ts';

export interface Bench {
  readonly root: string;
  /** A folder next to the root, for files outside the root. */
  readonly outside: string;
  readonly blobs: CheckpointBlobs & { readonly kept: ReadonlyMap<string, Buffer> };
  readonly warnings: readonly string[];
  readonly checkpoints: OpenFileCheckpoints;
  /** A second instance with the same tree and the same blobs, as after a restart. */
  readonly reopen: (options?: Partial<CheckpointOptions>) => OpenFileCheckpoints;
  readonly close: () => Promise<void>;
}

export async function openBench(options: Partial<CheckpointOptions> = {}): Promise<Bench> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-checkpoints-')));
  const [root, outside] = [join(base, 'project'), join(base, 'outside')];
  await mkdir(root);
  await mkdir(outside);
  const blobs = memoryBlobs();
  const warnings: string[] = [];
  const opened: OpenFileCheckpoints[] = [];
  const reopen: Bench['reopen'] = (more = {}) => {
    const checkpoints = createFileCheckpoints({
      root,
      folder: join(base, 'copies'),
      blobs,
      onWarning: (message) => warnings.push(message),
      env: process.env,
      ...options,
      ...more,
    });
    opened.push(checkpoints);
    return checkpoints;
  };
  const checkpoints = reopen();
  return {
    root,
    outside,
    blobs,
    warnings,
    checkpoints,
    reopen,
    close: async () => {
      for (const one of opened) await one.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

function memoryBlobs(): Bench['blobs'] {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    put: async (bytes) => {
      const hash = createHash('sha256').update(bytes).digest('hex');
      kept.set(hash, Buffer.from(bytes));
      return { hash, bytes: bytes.length };
    },
    read: async ({ hash }) => kept.get(hash),
  };
}

/** Every path in the folder except `.git`, with its mode and its content or link target. */
export function snapshot(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).sort()) {
      if (name === '.git') continue;
      const [path, shown] = [join(folder, name), `${prefix}${name}`];
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found.set(shown, `link ${readlinkSync(path)}`);
      else if (stats.isDirectory()) {
        found.set(shown, `folder ${mode}`);
        visit(path, `${shown}/`);
      } else if (stats.isFile()) found.set(shown, `file ${mode} ${readFileSync(path).toString('base64')}`);
      else found.set(shown, 'special');
    }
  };
  visit(root, '');
  return found;
}
