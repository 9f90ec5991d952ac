/** Which files hold memories, and which lie beside them but are left alone. */
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, realPathOf, stampOf } from './safeFiles.ts';

export type MemoryScope = 'user' | 'project';

export interface MemoryFolders {
  /** For all projects. */
  readonly user: string;
  /** For this project only. */
  readonly project: string;
}

export type LeftOut = 'link' | 'sensitive' | 'too many' | 'too large' | 'no file';

export interface MemoryFile {
  /** As users know it. */
  readonly path: string;
  readonly realPath: string;
  readonly scope: MemoryScope;
  readonly stamp: string;
  readonly bytes: number;
  /** Why it is not read; absent for one that is. */
  readonly leftOut?: LeftOut;
}

/** Files of both folders that are read. */
export const MAX_FILES = 200;
/** Bytes read of one file. */
export const MAX_FILE_BYTES = 1_000_000;
/** Bytes read of all files together; beyond it an index takes more memory than it is worth. */
export const MAX_TOTAL_BYTES = 16_000_000;
/** Names of a folder that are looked at. */
const MAX_NAMES = 2000;

/**
 * The `*.md` files of both folders, the project's first, by name. A file that a link leads out of its folder,
 * that holds secrets by its name, or that is beyond the limits is listed with the reason.
 */
export async function findMemoryFiles(
  folders: MemoryFolders,
  isSensitive: (path: string) => boolean,
): Promise<MemoryFile[]> {
  const found: MemoryFile[] = [];
  let files = 0;
  let bytes = 0;
  for (const scope of ['project', 'user'] as const) {
    const folder = await realPathOf(folders[scope]);
    if (folder === undefined) continue;
    for (const name of await markdownNames(folder)) {
      const file = await look(join(folders[scope], name), folder, scope, isSensitive);
      if (file === undefined) continue;
      let { leftOut } = file;
      if (leftOut === undefined) {
        const counted = Math.min(file.bytes, MAX_FILE_BYTES);
        if (files >= MAX_FILES) leftOut = 'too many';
        else if (bytes + counted > MAX_TOTAL_BYTES) leftOut = 'too large';
        else {
          files++;
          bytes += counted;
        }
      }
      found.push(leftOut === undefined ? file : { ...file, leftOut });
    }
  }
  return found;
}

async function markdownNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (/\.md$/i.test(name) && !name.startsWith('.')) names.push(name);
      if (names.length >= MAX_NAMES) break;
    }
  } catch {
    // No folder, or one that may not be read: no memories.
  }
  return names.sort();
}

async function look(
  path: string,
  folder: string,
  scope: MemoryScope,
  isSensitive: (path: string) => boolean,
): Promise<MemoryFile | undefined> {
  const realPath = await realPathOf(path);
  const info = realPath === undefined ? undefined : await stat(realPath).catch(() => undefined);
  if (realPath === undefined || info === undefined) return undefined;
  const file = { path, realPath, scope, stamp: stampOf(info), bytes: info.size };
  if (!isInside(realPath, folder)) return { ...file, leftOut: 'link' };
  if (isSensitive(path) || isSensitive(realPath)) return { ...file, leftOut: 'sensitive' };
  return info.isFile() ? file : { ...file, leftOut: 'no file' };
}
