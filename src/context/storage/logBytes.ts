/** Reads a log or its archive from any offset of the log; a damaged archive is read up to the damage. */
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib';
import { openStored } from './storedFiles.ts';

/** The end of the name of an archive, in a project's `archive/`. */
export const archiveSuffix = '.jsonl.zst';

function isArchive(file: string): boolean {
  return file.endsWith(archiveSuffix);
}

/** The folder with everything that belongs to a log or an archive. */
export function folderOfLog(file: string): string {
  return isArchive(file) ? dirname(dirname(file)) : dirname(file);
}

/** An archive that can only be unpacked up to a place; thrown after everything before that place was read. */
export class DamagedArchiveError extends Error {
  override readonly name = 'DamagedArchiveError';
  constructor(file: string, problem: string) {
    super(`${problem} (${file})`);
  }
}

/** An archive that unpacks to far more than a log; thrown after as much was read as a log may have. */
export class InflatedArchiveError extends DamagedArchiveError {
  constructor(file: string, limit: number) {
    super(
      file,
      `The archive unpacks to more than ${Math.round(limit / 2 ** 20)} MB, as no session of its size does, so only that much is read. ` +
        `If you trust it, unpack it with \`zstd -d\` and replace it with the result`,
    );
  }
}

/** What is read of an archive: sessions are packed to about an eighth, only short ones to much less. */
const maxUnpackedBytes = (packedBytes: number): number => Math.max(128 * 2 ** 20, 64 * packedBytes);

/** Yields everything before the damage, then reports it to `onDamage`. */
export async function* beforeDamage<T>(
  source: AsyncIterable<T>,
  onDamage: (error: DamagedArchiveError) => void,
): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    if (!(error instanceof DamagedArchiveError)) throw error;
    onDamage(error);
  }
}

const chunkBytes = 256 * 1024;

/** The bytes from `start` on, unpacked. Rejects on a disk error, and with `DamagedArchiveError`. */
export async function* bytesOf(file: string, start = 0): AsyncGenerator<Buffer> {
  if (!isArchive(file)) {
    const log = await openStored(file);
    yield* log.createReadStream({ start, highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
    return;
  }
  let skip = start;
  for await (const chunk of unpackedBytesOf(file)) {
    if (chunk.length > skip) yield chunk.subarray(skip);
    skip = Math.max(0, skip - chunk.length);
  }
}

/** The content of an archive, which may still have another name. Rejects like `bytesOf`. */
export async function* unpackedBytesOf(file: string): AsyncGenerator<Buffer> {
  const archive = await openStored(file, dirname(dirname(file)));
  try {
    const { size } = await archive.stat();
    const limit = maxUnpackedBytes(size);
    let bytes = 0;
    for await (const chunk of unpacked(file, archive)) {
      bytes += chunk.length;
      if (bytes > limit) throw new InflatedArchiveError(file, limit);
      yield chunk;
    }
  } finally {
    await archive.close();
  }
}

function damageOf(readable: number, bytes: number): string {
  const part = readable === 0 ? `none of its ${bytes} bytes` : `only its first ${readable} of ${bytes} bytes`;
  return `The archive is damaged: ${part} can be unpacked`;
}

/** Unpacks block by block, because a stream that hits damage discards its unread output. */
async function* unpacked(file: string, archive: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await archive.stat();
  let at = 0;
  do {
    // A stream for each frame: Node may ignore what follows the first one.
    const stream = createZstdDecompress({ chunkSize: chunkBytes });
    stream.on('error', () => {});
    let isWhole = false;
    try {
      for await (const { bytes, isLast } of frameParts(archive, at)) {
        if (!(yield* outputFor(bytes, stream))) break;
        at += bytes.length;
        isWhole = isLast;
      }
    } finally {
      stream.destroy();
    }
    if (!isWhole) throw new DamagedArchiveError(file, damageOf(at, size));
  } while (at < size);
}

/** Returns false if these bytes are damaged. */
async function* outputFor(bytes: Buffer, stream: ZstdDecompress): AsyncGenerator<Buffer, boolean> {
  let isTaken = false;
  let wake = (): void => {};
  const onChange = (): void => wake();
  stream.on('readable', onChange).on('close', onChange);
  stream.write(bytes, () => {
    isTaken = true;
    wake();
  });
  try {
    for (;;) {
      const chunk: Buffer | null = stream.read();
      if (chunk !== null) yield chunk;
      else if (isTaken || stream.destroyed) return !stream.destroyed;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    stream.off('readable', onChange).off('close', onChange);
  }
}

const magic = 0xfd2fb528;
const blockHeaderBytes = 3;
const checksumBytes = 4;
const maxBlockBytes = 128 * 1024;

interface FramePart {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/**
 * The header, the blocks and the checksum of a Zstandard frame, as RFC 8878 defines them; without a last part if some
 * are not there in full. Older Node releases unpack a shortened frame without an error.
 */
async function* frameParts(archive: FileHandle, start: number): AsyncGenerator<FramePart> {
  let at = start;
  const look = async (length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await archive.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  const head = await look(6);
  if (head.length < 6 || head.readUInt32LE(0) !== magic) return;
  const descriptor = head.readUInt8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const hasChecksum = (descriptor & 4) !== 0;
  let length = 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
  let kind: 'header' | 'block' | 'last block' | 'checksum' = 'header';
  for (;;) {
    const bytes = await look(length);
    if (bytes.length < length) return;
    at += length;
    const isLast = kind === 'checksum' || (kind === 'last block' && !hasChecksum);
    yield { bytes, isLast };
    if (isLast) return;
    if (kind === 'last block') {
      kind = 'checksum';
      length = checksumBytes;
      continue;
    }
    const header = await look(blockHeaderBytes);
    if (header.length < blockHeaderBytes) return;
    const block = header.readUIntLE(0, blockHeaderBytes);
    kind = (block & 1) === 1 ? 'last block' : 'block';
    // A run-length block stores its byte once and the number of repetitions.
    const contentBytes = ((block >> 1) & 3) === 1 ? 1 : block >> 3;
    if (contentBytes > maxBlockBytes) return;
    length = blockHeaderBytes + contentBytes;
  }
}
