/**
 * Stores large contents next to the logs, each once: `<folder>/aa/<sha256 of the bytes>`, mode 0600. A file is complete
 * and on disk before it gets its name. Content that does not match its name is never returned: content of up to 4 MB
 * that is read in full is checked by hash, other content by size if it is known. A link counts as missing content.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fdatasync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import { newId } from './newEntries.ts';
import type { Blobs, Redaction } from './sessionStore.ts';
import {
  assertRealFolders,
  createStored,
  makeStoredFolder,
  openStored,
  StoredLinkError,
  syncFolder,
} from './storedFiles.ts';

/** Limits for stored outputs. */
interface BlobLimits {
  /** Outputs up to this many bytes are stored in full. */
  readonly wholeBytes: number;
  /** Of a larger output, this many bytes of its beginning and of its end are stored. */
  readonly edgeBytes: number;
}

const defaultLimits: BlobLimits = { wholeBytes: 2 ** 30, edgeBytes: 64 * 2 ** 20 };
/** Content up to this size is hashed when it is read in full or stored again: this takes a few milliseconds. */
const maxCheckedBytes = 4 * 2 ** 20;
/** The folder of unfinished files. */
const unfinished = 'unfinished';
const dayMs = 24 * 60 * 60 * 1000;

export class BlobStore implements Blobs {
  readonly #folder: string;
  /** The project's folder, which contains this one. */
  readonly #project: string;
  readonly #limits: BlobLimits;
  readonly #redaction: Redaction | undefined;
  #ready = false;

  /** `redaction` removes secrets before content is stored; the hash is that of the stored content. */
  constructor(folder: string, limits: BlobLimits = defaultLimits, redaction?: Redaction) {
    this.#folder = folder;
    this.#project = dirname(folder);
    this.#limits = limits;
    this.#redaction = redaction;
  }

  /** Path for the content with this hash, whether or not it exists. */
  pathOf(hash: string): string {
    if (!isHash(hash)) throw new TypeError(`${JSON.stringify(hash)} is not a SHA-256 in hex.`);
    return join(this.#folder, hash.slice(0, 2), hash);
  }

  /** Opens the content with this hash; undefined if it is missing or a link. */
  async openContent(hash: string): Promise<FileHandle | undefined> {
    if (!isHash(hash)) return undefined;
    return openStored(this.pathOf(hash), this.#project).catch(unlessMissing);
  }

  /** Throws a `StoredLinkError` if nothing could be stored because a folder is a link. */
  assertRealFolders(): void {
    assertRealFolders(this.#project, join(this.#folder, unfinished));
  }

  /** Stores the content once. Rejects on a disk error. */
  async put(data: Uint8Array | string): Promise<BlobRef> {
    const bytes = this.#withoutSecrets(data);
    const hash = hashOf(bytes);
    const ref = { hash, bytes: bytes.length, lines: countLines(bytes) };
    if (await this.#has(ref)) return ref;
    const file = this.newTemporaryFile();
    const handle = await this.create(file);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    await this.adopt(file, ref);
    return ref;
  }

  /** Opens a sink for output of unknown length; small output is never written to a temporary file. */
  openSink(): BlobSink {
    const sink = createBlobSink(this.verbatim(), this.#limits);
    return this.#redaction === undefined ? sink : redactedSink(sink, this.#redaction);
  }

  /**
   * The content, or its bytes from `start` (inclusive) to `end` (exclusive). Undefined if it is missing or does not
   * match its name.
   */
  async read(
    ref: Pick<BlobRef, 'hash'> & Partial<Pick<BlobRef, 'bytes'>>,
    range: { readonly start?: number; readonly end?: number } = {},
  ): Promise<Buffer | undefined> {
    const handle = await this.openContent(ref.hash);
    if (handle === undefined) return undefined;
    try {
      const { size } = await handle.stat();
      if (ref.bytes !== undefined && ref.bytes !== size) return undefined;
      const start = clamp(range.start ?? 0, size);
      const buffer = Buffer.alloc(Math.max(0, clamp(range.end ?? size, size) - start));
      let filled = 0;
      for (let got = -1; filled < buffer.length && got !== 0; filled += got)
        got = (await handle.read(buffer, filled, buffer.length - filled, start + filled)).bytesRead;
      const content = buffer.subarray(0, filled);
      const isWhole = filled === size && size <= maxCheckedBytes;
      return isWhole && hashOf(content) !== ref.hash ? undefined : content;
    } finally {
      await handle.close();
    }
  }

  /** A path for a new temporary file. Files left by killed processes are removed after a day. */
  newTemporaryFile(): string {
    const folder = join(this.#folder, unfinished);
    this.assertRealFolders();
    // Every time, since the folder may have been deleted.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!this.#ready) {
      removeAbandoned(folder);
      this.#ready = true;
    }
    return join(folder, newId());
  }

  /** For sinks: creates that file. */
  create(file: string): Promise<FileHandle> {
    return createStored(file, this.#project);
  }

  /** For sinks: moves a finished file to its name, or deletes it if the content already exists. */
  async adopt(file: string, ref: BlobRef): Promise<void> {
    if (await this.#has(ref)) return rm(file, { force: true });
    const target = this.pathOf(ref.hash);
    await makeStoredFolder(dirname(target), this.#project);
    await rename(file, target);
    await syncFolder(dirname(target));
  }

  /** The same folder without redaction, for contents whose hash must match that of the original file. */
  verbatim(): BlobStore {
    return this.#redaction === undefined ? this : new BlobStore(this.#folder, this.#limits);
  }

  /** The text as it would be stored. */
  redact(text: string): string {
    return this.#redaction?.text(text) ?? text;
  }

  #withoutSecrets(data: Uint8Array | string): Uint8Array {
    if (typeof data === 'string') return Buffer.from(this.redact(data));
    return this.#redaction === undefined ? data : redactedBytes(data, this.#redaction);
  }

  async #has(ref: BlobRef): Promise<boolean> {
    const handle = await this.openContent(ref.hash);
    try {
      const size = (await handle?.stat())?.size;
      if (handle === undefined || size !== ref.bytes) return false;
      if (size > maxCheckedBytes) return true;
      const content = await handle.readFile().catch(() => undefined);
      return content !== undefined && hashOf(content) === ref.hash;
    } finally {
      await handle?.close();
    }
  }
}

/** Removes files left by processes that crashed while writing. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() === true && Date.now() - found.mtimeMs > dayMs) rmSync(file, { force: true });
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function clamp(position: number, size: number): number {
  return Math.min(Math.max(0, Math.trunc(position)), size);
}

function unlessMissing(error: unknown): undefined {
  const isMissing = error instanceof StoredLinkError || (error as NodeJS.ErrnoException).code === 'ENOENT';
  if (!isMissing) throw error;
}

// Sink for one output of unknown length. Writes are synchronous to slow down a producer that is faster than the disk,
// so that memory stays bounded. Small output stays in memory until it is finished.

/** Bytes collected in memory before a write. */
const gatherBytes = 256 * 1024;
const syncFile = promisify(fdatasync);

/**
 * Creates a sink. Beyond `limits.wholeBytes` the file keeps the beginning, followed by a ring buffer with the latest
 * bytes; `finish` joins both edges, and the returned reference describes what was left out: `originalBytes`, and
 * `omitted` with `offset` and `bytes`. `write` never throws: `finish` reports disk errors.
 */
function createBlobSink(store: BlobStore, limits: BlobLimits): BlobSink {
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

/** Copies the beginning and the end of the output from a file that ends in a ring buffer. */
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
  const target = await store.create(path);
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

/**
 * A sink that removes secrets. Decodes bytes as Latin-1, so that binary output is not changed: everything that
 * identifies a secret is ASCII.
 */
function redactedSink(sink: BlobSink, redaction: Redaction): BlobSink {
  const redactor = redaction.open();
  return {
    write(chunk) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : asBuffer(chunk);
      const safe = redactor.write(bytes.toString('latin1'));
      if (safe !== '') sink.write(Buffer.from(safe, 'latin1'));
    },
    finish() {
      const rest = redactor.flush();
      if (rest !== '') sink.write(Buffer.from(rest, 'latin1'));
      return sink.finish();
    },
    discard: () => sink.discard(),
  };
}

/** Removes secrets from complete content. */
function redactedBytes(bytes: Uint8Array, redaction: Redaction): Uint8Array {
  const text = asBuffer(bytes).toString('latin1');
  const safe = redaction.text(text);
  return safe === text ? bytes : Buffer.from(safe, 'latin1');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Number of lines in UTF-8 text, including a last one without a newline. */
function countLines(bytes: Uint8Array): number {
  const feeds = countLineFeeds(bytes);
  return bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? feeds + 1 : feeds;
}

/** Number of newlines. A plain loop: `indexOf` takes a hundred times as long if all bytes are newlines. */
function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === 10) count += 1;
  return count;
}
