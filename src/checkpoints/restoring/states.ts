import { readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { PathChange, PathState } from '../../protocol/checkpoints.ts';
import { type DiskEntry, statEntry } from '../scan/diskEntry.ts';
import { readStable } from '../scan/stableRead.ts';

/** True if two states are the same; never true if a content is unknown. */
export function sameState(a: PathState | undefined, b: PathState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  switch (a.type) {
    case 'file':
      return b.type === 'file' && sameContent(a, b) && a.mode === b.mode;
    case 'link':
      return b.type === 'link' && a.target === b.target;
    case 'folder':
      return b.type === 'folder' && a.mode === b.mode;
    case 'special':
      return b.type === 'special' && a.kind === b.kind;
  }
}

export type FileState = Extract<PathState, { type: 'file' }>;

export function sameContent(a: FileState, b: FileState): boolean {
  return a.hash !== undefined && a.hash === b.hash;
}

/**
 * Merges successive changes of one path if nothing happened in between: creating and deleting is no change, and two
 * edits in a row are one. Uncertain changes are not merged.
 */
export function joinChanges(changes: readonly PathChange[]): readonly PathChange[] {
  const joined: PathChange[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    const isSure = last?.unsure !== true && change.unsure !== true;
    if (last === undefined || !isSure || !sameState(last.after, change.before)) joined.push(change);
    else {
      joined.pop();
      if (!sameState(last.before, change.after)) joined.push(spanning(last, change));
    }
  }
  return joined;
}

/** One change from the state before the first to the state after the last. */
export function spanning(first: PathChange, last: PathChange): PathChange {
  return {
    path: first.path,
    ...(first.before !== undefined && { before: first.before }),
    ...(last.after !== undefined && { after: last.after }),
  };
}

/** Groups changes by path, in the order of each path's first change. */
export function byPath(changes: readonly PathChange[]): ReadonlyMap<string, readonly PathChange[]> {
  const paths = new Map<string, PathChange[]>();
  for (const change of changes) {
    const known = paths.get(change.path);
    if (known === undefined) paths.set(change.path, [change]);
    else known.push(change);
  }
  return paths;
}

/** For messages: `a folder`. */
export function nameOf(state: PathState): string {
  switch (state.type) {
    case 'file':
      return 'a file';
    case 'link':
      return 'a link';
    case 'folder':
      return 'a folder';
    case 'special':
      return `a ${state.kind}`;
  }
}

/** The current state on disk. */
export type Current =
  | { readonly type: 'nothing' }
  | {
      readonly type: 'state';
      readonly state: PathState;
      readonly entry: DiskEntry;
      /** The content of a file, unless it is larger than requested. */
      readonly bytes: Buffer | undefined;
    }
  | { readonly type: 'unknown'; readonly reason: string };

/** Larger files are not compared, so nothing is done to them. */
const MAX_HASH_BYTES = 2 ** 31;

/** `isCaseBlind`: the file system ignores case, so the exact spelling must be checked. */
export async function currentState(
  path: string,
  maxBytes: number,
  isCaseBlind: boolean,
  maxHashBytes: number = MAX_HASH_BYTES,
): Promise<Current> {
  try {
    const entry = statEntry(path);
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
    return { type: 'unknown', reason: `it cannot be accessed (${code})` };
  }
}

async function isSpelledSo(path: string): Promise<boolean> {
  const names: readonly string[] = await readdir(dirname(path)).catch(() => []);
  return names.includes(basename(path));
}
