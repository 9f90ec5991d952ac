import type { FileHandle } from 'node:fs/promises';
import { openRealFile } from '../../disk/realFile.ts';
import { fileStamp, isStampReliable } from '../../protocol/files/fileStamp.ts';
import type { CacheStore } from '../storage/CacheStore.ts';
import { headOf } from '../tokens/truncate.ts';

export interface ReadStartOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** What was read before, by path and stamp: an edit invalidates. */
  readonly cache?: CacheStore<string> | undefined;
}

const TRUNCATED = '... (truncated)';
/** Larger files are data, not something that was worked on. */
const MAX_FILE_BYTES = 5_000_000;

/**
 * The beginning of a text file; undefined for what is missing, unreadable, binary, too large or reached through a link: the
 * caller has resolved the path and knows that this file may be shown.
 */
export async function readFileStart(path: string, options: ReadStartOptions): Promise<string | undefined> {
  const handle = await openRealFile(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const info = await handle.stat({ bigint: true });
    if (!info.isFile() || info.size > MAX_FILE_BYTES) return undefined;
    const { maxLines, maxCharacters, cache } = options;
    const key = [path, fileStamp(info), maxLines, maxCharacters].join('\0');
    const known = cache?.get(key);
    if (known !== undefined) return known;
    const readAt = Date.now();
    const text = await readText(handle, Number(info.size), options);
    if (text !== undefined && isStampReliable(info, readAt)) cache?.set(key, text);
    return text;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

async function readText(
  handle: FileHandle,
  size: number,
  { maxLines, maxCharacters }: ReadStartOptions,
): Promise<string | undefined> {
  // Four bytes at most make one character.
  const buffer = Buffer.alloc(Math.min(size, maxCharacters * 4));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) return undefined;
  return cutText(new TextDecoder().decode(bytes), maxLines, maxCharacters, bytesRead < size);
}

function cutText(text: string, maxLines: number, maxCharacters: number, isPart: boolean): string {
  const lines = text.split('\n');
  const byLines = lines.length > maxLines ? lines.slice(0, maxLines).join('\n') : text;
  const cut = headOf(byLines, maxCharacters);
  return cut === text && !isPart ? text : `${cut}\n${TRUNCATED}`;
}
