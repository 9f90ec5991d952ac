/** Reading text files that somebody else may have put there: pipes, links, huge ones, bytes that are no text. */
import type { Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { openRealFile } from '../../disk/realFile.ts';

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

/** Whether a path is `directory` or lies below it; both without links. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
