/** Which files hold memories, and which files next to them are left alone. */

import type { Stats } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { openRealFile } from '../../disk/realFile.ts';

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

// Reading text files that may come from anyone: pipes, links, huge ones, bytes that are no text.

export interface TextStart {
  readonly text: string;
  /** The file goes on behind `text`. */
  readonly isCut: boolean;
  /** Changes when the file does, as far as the file system says so. */
  readonly stamp: string;
}

/**
 * The first `maxBytes` of a regular file, whole characters only, invalid bytes as U+FFFD. Undefined for what
 * is missing, no regular file, not to be read, or reached through a link. Never waits for a pipe's other end.
 */
export async function readTextStart(realPath: string, maxBytes: number): Promise<TextStart | undefined> {
  const file = await openRealFile(realPath).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(info.size, maxBytes) + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const isCut = bytesRead > maxBytes || info.size > bytesRead;
    // While more follows, a decoder keeps back the first bytes of a character that is cut in two.
    const text = new TextDecoder().decode(buffer.subarray(0, Math.min(bytesRead, maxBytes)), {
      stream: isCut,
    });
    return { text, isCut, stamp: stampOf(info) };
  } catch {
    // A file that cannot be read: there is simply nothing in it.
    return undefined;
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Identity, size and times of a file: another stamp means that it has to be read again. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(':');
}

/** The path with links resolved; undefined where there is nothing, or only links that lead in a circle. */
export function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
