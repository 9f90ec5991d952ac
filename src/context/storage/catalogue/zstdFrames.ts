/**
 * Whether a file of Zstandard frames is whole. Older releases of Node unpack a file that was cut short without a word,
 * and what is missing would be gone with the archive.
 */
import { type FileHandle, open } from 'node:fs/promises';

const magic = 0xfd2fb528;
const firstSkippable = 0x184d2a50;
const blockHeaderBytes = 3;
const checksumBytes = 4;

/** Walks over the blocks, as RFC 8878 has them, without unpacking any. Rejects when the disk does. */
export async function isWholeZstd(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    let at = 0;
    while (at < size) {
      const end = await frameEnd(handle, at);
      if (end === undefined || end > size) return false;
      at = end;
    }
    return size > 0;
  } finally {
    await handle.close();
  }
}

/** The byte behind the frame that begins here; undefined where none does, or where it has no end. */
async function frameEnd(handle: FileHandle, start: number): Promise<number | undefined> {
  const head = await read(handle, start, 14);
  if (head.length < 6) return undefined;
  const found = head.readUInt32LE(0);
  if (head.length >= 8 && (found & 0xfffffff0) >>> 0 === firstSkippable)
    return start + 8 + head.readUInt32LE(4);
  if (found !== magic) return undefined;
  const descriptor = head.readUInt8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let at = start + 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (let isLast = false; !isLast; ) {
    const header = await read(handle, at, blockHeaderBytes);
    if (header.length < blockHeaderBytes) return undefined;
    const block = header.readUIntLE(0, blockHeaderBytes);
    const type = (block >> 1) & 3;
    if (type === 3) return undefined;
    isLast = (block & 1) === 1;
    // A block of one repeated byte names how often, and holds it once.
    at += blockHeaderBytes + (type === 1 ? 1 : block >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : checksumBytes);
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
