/** Finds the files that contain memories, and those next to them that are left out. */

import type { Stats } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { openRealFile } from '../../disk/realFile.ts';

export type MemoryScope = 'user' | 'project';

export interface MemoryFolders {
  /** Folder for all projects. */
  readonly user: string;
  /** Folder for this project only. */
  readonly project: string;
}

export type LeftOut = 'link' | 'sensitive' | 'too many' | 'too large' | 'no file';

export interface MemoryFile {
  /** Path as shown to the user. */
  readonly path: string;
  readonly realPath: string;
  readonly scope: MemoryScope;
  readonly stamp: string;
  readonly bytes: number;
  /** Reason why it is not read; absent if it is. */
  readonly leftOut?: LeftOut;
}

/** Maximum files read, of both folders together. */
export const MAX_FILES = 200;
/** Maximum bytes read per file. */
export const MAX_FILE_BYTES = 1_000_000;
/** Maximum bytes of all files together; beyond that the index takes too much memory. */
const MAX_TOTAL_BYTES = 16_000_000;
/** Maximum names read per folder. */
const MAX_NAMES = 2000;

/**
 * The `*.md` files of both folders, the project's first, by name. A file outside its folder (a link), with a sensitive
 * name or beyond the limits is listed with the reason.
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
    // The folder does not exist or cannot be read: no memories.
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

// Reads text files from untrusted sources: pipes, links, huge files, invalid bytes.

interface TextStart {
  readonly text: string;
  /** True if the file continues after `text`. */
  readonly isCut: boolean;
  /** Changes when the file does, as far as the file system reports it. */
  readonly stamp: string;
}

/**
 * The first `maxBytes` of a regular file, in complete characters, with invalid bytes as U+FFFD. Undefined for a file
 * that is missing, irregular, unreadable or reached through a link. Never blocks on a pipe.
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
    // With `stream` the decoder holds back an incomplete character at the end.
    const text = new TextDecoder().decode(buffer.subarray(0, Math.min(bytesRead, maxBytes)), {
      stream: isCut,
    });
    return { text, isCut, stamp: stampOf(info) };
  } catch {
    // A file that cannot be read counts as empty.
    return undefined;
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Identity, size and times of a file: if the stamp differs, the file has to be read again. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(':');
}

/** The path with links resolved; undefined if it does not exist or its links form a loop. */
export function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
