/** Whole outputs from the session's store, as far as they are there and as memory allows. */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import { formatBytes } from '../print/numbers.ts';

/** Reads stored bytes, or a range of them; undefined where they are not there any more. */
export type ReadBlob = (
  ref: BlobRef,
  range?: { readonly start?: number; readonly end?: number },
) => Promise<Uint8Array | undefined>;

/** Of one output, so much of its beginning and of its end. */
const EDGE_BYTES = 8 * 2 ** 20;
/** Of all outputs of one look at the transcript. */
const TOTAL_BYTES = 64 * 2 ** 20;

/** Gives each text once asked for; undefined where there is none, or where too much was read already. */
export function createOriginalReader(readBlob: ReadBlob): (ref: BlobRef) => Promise<string | undefined> {
  let total = 0;
  const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return async (ref) => {
    const size = Math.min(ref.bytes, 2 * EDGE_BYTES);
    if (total + size > TOTAL_BYTES) return undefined;
    total += size;
    if (ref.bytes <= 2 * EDGE_BYTES) {
      const bytes = await readBlob(ref).catch(() => undefined);
      return bytes === undefined ? undefined : decode(bytes);
    }
    const head = await readBlob(ref, { end: EDGE_BYTES }).catch(() => undefined);
    const tail = await readBlob(ref, { start: ref.bytes - EDGE_BYTES }).catch(() => undefined);
    if (head === undefined || tail === undefined) return undefined;
    const between = formatBytes(ref.bytes - 2 * EDGE_BYTES);
    return `${decode(head)}\n… ${between} in between are not shown here …\n${decode(tail)}`;
  };
}
