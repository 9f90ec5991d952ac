/**
 * A sink for one output of unknown length. Writing is synchronous: it holds back a producer that is faster
 * than the disk, so that memory stays bounded. Small output stays in memory until it is finished.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fdatasync, openSync, rmSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import type { BlobLimits, BlobStore } from './BlobStore.ts';
import { countLineFeeds } from './lines.ts';

/** Bytes that gather in memory before they are written. */
const gatherBytes = 256 * 1024;
const syncFile = promisify(fdatasync);

/**
 * Makes a sink. Beyond `limits.wholeBytes` the file keeps the beginning, and behind it a ring of the latest
 * bytes; finishing then joins both edges, and the reference says what was left out: `originalBytes`, and
 * `omitted` with `offset` and `bytes`. `write` never throws: a failing disk is told by `finish`.
 */
export function createBlobSink(store: BlobStore, limits: BlobLimits): BlobSink {
  const { wholeBytes, edgeBytes } = limits;
  const hash = createHash('sha256');
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let file: { readonly path: string; readonly fd: number } | undefined;
  let total = 0;
  let feeds = 0;
  let lastByte = 10;
  let failure: unknown;
  let closed = false;

  function write(chunk: Uint8Array | string): void {
    if (closed || failure !== undefined || chunk.length === 0) return;
    gathered.push(Buffer.from(chunk));
    gatheredBytes += gathered.at(-1)?.length ?? 0;
    if (gatheredBytes < gatherBytes) return;
    try {
      spill();
    } catch (error) {
      failure = error;
    }
  }

  function spill(): void {
    const bytes = Buffer.concat(gathered);
    gathered = [];
    gatheredBytes = 0;
    if (file === undefined) {
      const path = store.newTemporaryFile();
      file = { path, fd: openSync(path, 'wx+', 0o600) };
    }
    for (let done = 0; done < bytes.length; ) {
      const room = total < wholeBytes ? wholeBytes - total : edgeBytes - ((total - wholeBytes) % edgeBytes);
      const at = total < wholeBytes ? total : wholeBytes + ((total - wholeBytes) % edgeBytes);
      const count = writeSync(file.fd, bytes, done, Math.min(room, bytes.length - done), at);
      done += count;
      total += count;
    }
    if (total > wholeBytes) return;
    hash.update(bytes);
    feeds += countLineFeeds(bytes);
    lastByte = bytes.at(-1) ?? lastByte;
  }

  async function finish(): Promise<BlobRef> {
    if (closed) throw new Error('The sink was already finished or discarded.');
    closed = true;
    if (file === undefined && failure === undefined) return store.put(Buffer.concat(gathered));
    try {
      if (failure !== undefined) throw failure;
      spill();
      if (file === undefined) throw new Error('unreachable: spilling makes the file');
      if (total > wholeBytes) return await joinEdges(store, file.path, total, limits);
      await syncFile(file.fd);
      const ref = { hash: hash.digest('hex'), bytes: total, lines: feeds + (lastByte === 10 ? 0 : 1) };
      await store.adopt(file.path, ref);
      return ref;
    } finally {
      drop();
    }
  }

  function drop(): void {
    gathered = [];
    if (file === undefined) return;
    closeSync(file.fd);
    rmSync(file.path, { force: true });
    file = undefined;
  }

  return {
    write,
    finish,
    async discard() {
      if (closed) return;
      closed = true;
      drop();
    },
  };
}

/** Copies the first bytes and the last ones out of a file that ends in a ring. */
async function joinEdges(
  store: BlobStore,
  source: string,
  total: number,
  { wholeBytes, edgeBytes }: BlobLimits,
): Promise<BlobRef> {
  const overflow = total - wholeBytes;
  const turn = wholeBytes + (overflow % edgeBytes);
  const tail: [number, number][] =
    overflow < edgeBytes
      ? [[wholeBytes - (edgeBytes - overflow), wholeBytes + overflow]]
      : [
          [turn, wholeBytes + edgeBytes],
          [wholeBytes, turn],
        ];
  const path = store.newTemporaryFile();
  const target = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let feeds = 0;
  let lastByte = 10;
  try {
    for (const [start, end] of [[0, edgeBytes], ...tail] as [number, number][]) {
      if (start === end) continue;
      for await (const chunk of createReadStream(source, { start, end: end - 1 })) {
        const bytes: Buffer = chunk;
        hash.update(bytes);
        feeds += countLineFeeds(bytes);
        lastByte = bytes.at(-1) ?? lastByte;
        await target.writeFile(bytes);
      }
    }
    await target.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await target.close();
  }
  const ref = {
    hash: hash.digest('hex'),
    bytes: 2 * edgeBytes,
    lines: feeds + (lastByte === 10 ? 0 : 1),
    originalBytes: total,
    omitted: { offset: edgeBytes, bytes: total - 2 * edgeBytes },
  };
  await store.adopt(path, ref);
  return ref;
}
