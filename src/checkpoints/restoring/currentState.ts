import { readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { PathState } from '../../protocol/checkpoints.ts';
import { type DiskEntry, look } from '../scan/diskEntry.ts';
import { readStable } from '../scan/stableRead.ts';

/** What is on disk now. */
export type Current =
  | { readonly type: 'nothing' }
  | {
      readonly type: 'state';
      readonly state: PathState;
      readonly entry: DiskEntry;
      /** Of a file that is not larger than was asked for. */
      readonly bytes: Buffer | undefined;
    }
  | { readonly type: 'unknown'; readonly reason: string };

/** Beyond this nothing is compared, and so nothing is done. */
const MAX_HASH_BYTES = 2 ** 31;

/** `isCaseBlind`: the file system takes another spelling for the same name, so that a name must be looked for. */
export async function currentState(
  path: string,
  maxBytes: number,
  isCaseBlind: boolean,
  maxHashBytes: number = MAX_HASH_BYTES,
): Promise<Current> {
  try {
    const entry = look(path);
    if (entry === undefined || (isCaseBlind && !(await isSpelledSo(path)))) return { type: 'nothing' };
    if (entry.kind === 'link')
      return { type: 'state', entry, bytes: undefined, state: { type: 'link', target: readlinkSync(path) } };
    if (entry.kind === 'folder')
      return { type: 'state', entry, bytes: undefined, state: { type: 'folder', mode: entry.mode } };
    if (entry.kind !== 'file')
      return { type: 'state', entry, bytes: undefined, state: { type: 'special', kind: entry.kind } };
    const read = await readStable(path, maxBytes, maxHashBytes);
    if (read.type === 'gone') return { type: 'unknown', reason: 'it changed just now' };
    if (read.type === 'failed') return { type: 'unknown', reason: read.reason };
    const { mode, size } = read.entry;
    const state = { type: 'file', mode, bytes: size, hash: read.hash } as const;
    return { type: 'state', entry: read.entry, bytes: read.bytes, state };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return { type: 'unknown', reason: `it cannot be looked at (${code})` };
  }
}

async function isSpelledSo(path: string): Promise<boolean> {
  const names: readonly string[] = await readdir(dirname(path)).catch(() => []);
  return names.includes(basename(path));
}
