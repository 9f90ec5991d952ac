import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** A few milliseconds' worth. */
const CHUNK_BYTES = 2 ** 21;

/** SHA-256 in hex; others get their turn while a large content is read through. */
export async function hashBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + CHUNK_BYTES));
  }
  return hash.digest('hex');
}
