/** Lists that a session keeps in its own file, for other sessions, and for the next one if this one is killed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readFileNow } from '../../disk/fileLookups.ts';

const MAX_BYTES = 64 * 2 ** 20;

/** Replaces the list. Never throws: if the disk is full, or the list would be unreadable, the earlier one stays. */
export function writeList(file: string, list: Iterable<string>): void {
  const text = JSON.stringify([...list]);
  if (Buffer.byteLength(text) > MAX_BYTES) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    // Then only this session knows.
  }
}

/** Empty if the file is missing or damaged. Never throws. */
export function readList(file: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(readFileNow(file, MAX_BYTES)?.toString('utf8') ?? '');
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
