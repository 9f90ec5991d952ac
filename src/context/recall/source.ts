/** Bytes that can be read in parts, wherever they lie: in the log, in the blob store, or one after the other. */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { BlobStore } from '../storage/index.ts';

export interface Source {
  readonly bytes: number;
  /** The bytes from `start` up to, not including, `end`; fewer where it ends. Rejects when the disk does. */
  read(start: number, end: number): Promise<Buffer>;
}

export function textSource(text: string): Source {
  const buffer = Buffer.from(text);
  return { bytes: buffer.length, read: async (start, end) => buffer.subarray(start, end) };
}

/** Undefined where the content is gone: somebody cleared the folder, or the disk failed. */
export async function blobSource(ref: BlobRef, blobs: BlobStore): Promise<Source | undefined> {
  const probe = await blobs.read(ref, { start: 0, end: 1 }).catch(() => undefined);
  if (probe === undefined) return undefined;
  return {
    bytes: ref.bytes,
    read: async (start, end) => (await blobs.read(ref, { start, end })) ?? Buffer.alloc(0),
  };
}

/** Texts one after the other; only those that a read touches are made again, so that a long range costs little. */
export function joinedSource(
  parts: readonly { readonly bytes: number; readonly text: () => string }[],
): Source {
  return {
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    read: async (start, end) => {
      const read: Buffer[] = [];
      let at = 0;
      for (const part of parts) {
        if (at >= end) break;
        if (at + part.bytes > start)
          read.push(Buffer.from(part.text()).subarray(Math.max(0, start - at), end - at));
        at += part.bytes;
      }
      return Buffer.concat(read);
    },
  };
}
