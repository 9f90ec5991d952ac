/** Originals beside the logs, as far as they are searched. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { withoutColours } from './searchable.ts';

/** Of a larger original only this much of its beginning can be searched. */
export const maxOriginalBytes = 2 * 2 ** 20;
/** An original with a zero byte in its first bytes is no text; git decides so, too. */
const probeBytes = 8000;

/** Undefined for what is gone, or is no text. */
export function readOriginal(projectFolder: string, hash: string): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const buffer = Buffer.allocUnsafe(maxOriginalBytes);
  let length = 0;
  try {
    const handle = openSync(join(projectFolder, 'blobs', hash.slice(0, 2), hash), 'r');
    try {
      for (let got = -1; got !== 0 && length < maxOriginalBytes; length += got)
        got = readSync(handle, buffer, length, maxOriginalBytes - length, length);
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
  const bytes = buffer.subarray(0, length);
  return bytes.subarray(0, probeBytes).includes(0) ? undefined : withoutColours(bytes.toString('utf8'));
}
