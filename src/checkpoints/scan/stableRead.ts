/** Reads files that other programs may be writing, and never anything that is not a file. */
import { createHash, hash as digest } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type DiskEntry, entryOf, sameEntry } from './diskEntry.ts';

type StableRead =
  | {
      readonly type: 'read';
      readonly entry: DiskEntry;
      readonly hash: string;
      readonly bytes: Buffer | undefined;
    }
  /** It is gone, or something else is there now. */
  | { readonly type: 'gone' }
  | { readonly type: 'failed'; readonly reason: string };

/** Small files are read synchronously: the thread pool would take longer than reading. */
const SMALL_BYTES = 64 * 1024;
const CHUNK_BYTES = 2 ** 20;
const TRIES = 3;
/** Neither waits for the other end of a pipe nor follows a link that was put there in the meantime. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The content at one moment: a file that changes while it is read is read again. Above `maxBytes` only the hash is
 * computed and `bytes` is absent; a file above `maxHashBytes` fails.
 */
export async function readStable(path: string, maxBytes: number, maxHashBytes: number): Promise<StableRead> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    try {
      const read = readSmall(path, maxBytes) ?? (await readLarge(path, maxBytes, maxHashBytes));
      if (read !== 'changed') return read;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(code)) return { type: 'gone' };
      return {
        type: 'failed',
        reason: code === 'EACCES' ? 'it is not readable' : `reading failed (${code})`,
      };
    }
  }
  return { type: 'failed', reason: 'it kept changing while it was read' };
}

/** Undefined for a file that is not small. */
function readSmall(path: string, maxBytes: number): StableRead | 'changed' | undefined {
  const file = openSync(path, FLAGS);
  try {
    const before = entryOf(fstatSync(file));
    if (before.kind !== 'file') return { type: 'gone' };
    if (before.size > SMALL_BYTES) return undefined;
    const buffer = Buffer.allocUnsafe(before.size + 1);
    let filled = 0;
    for (let got = -1; got !== 0 && filled < buffer.length; filled += got)
      got = readSync(file, buffer, filled, buffer.length - filled, filled);
    if (filled !== before.size || !sameEntry(before, entryOf(fstatSync(file)))) return 'changed';
    const bytes = buffer.subarray(0, filled);
    const kept = bytes.length <= maxBytes ? bytes : undefined;
    return { type: 'read', entry: before, hash: digest('sha256', bytes), bytes: kept };
  } finally {
    closeSync(file);
  }
}

async function readLarge(
  path: string,
  maxBytes: number,
  maxHashBytes: number,
): Promise<StableRead | 'changed'> {
  const file = await open(path, FLAGS);
  try {
    const before = entryOf(await file.stat());
    if (before.kind !== 'file') return { type: 'gone' };
    if (before.size > maxHashBytes) return { type: 'failed', reason: 'it is too large' };
    const hash = createHash('sha256');
    const whole = before.size <= maxBytes ? Buffer.allocUnsafe(before.size) : undefined;
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, filled);
      if (bytesRead === 0) break;
      if (filled + bytesRead > before.size) return 'changed';
      const part = chunk.subarray(0, bytesRead);
      hash.update(part);
      if (whole !== undefined) part.copy(whole, filled);
      filled += bytesRead;
    }
    if (filled !== before.size || !sameEntry(before, entryOf(await file.stat()))) return 'changed';
    return { type: 'read', entry: before, hash: hash.digest('hex'), bytes: whole };
  } finally {
    await file.close();
  }
}

/** A few milliseconds' worth. */
const HASHED_AT_ONCE_BYTES = 2 ** 21;

/** SHA-256 in hex; yields to other work while hashing a large content. */
export async function hashBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE_BYTES) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE_BYTES));
  }
  return hash.digest('hex');
}
