/**
 * Temporary copies of files in case a tool call changes them: one file that is unlinked once it is open, so that
 * nothing is left behind however the program ends. Each content is stored once.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** Size of a batch that is collected before writing. */
const BATCH_BYTES = 2 ** 20;

export class Stash {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #places = new Map<string, Place>();
  #file: FileHandle | undefined;
  /** Position of the next content, whether written or pending. */
  #end = 0;
  #writing: Promise<void> = Promise.resolve();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  hasRoom(bytes: number): boolean {
    return this.#end + bytes <= this.#maxBytes;
  }

  /** False if the limit or the disk leaves no room. The bytes must not be modified afterwards. */
  async add(hash: string, bytes: Uint8Array): Promise<boolean> {
    if (this.#places.has(hash)) return true;
    if (!this.hasRoom(bytes.length)) return false;
    this.#places.set(hash, { at: this.#end, bytes: bytes.length });
    this.#end += bytes.length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= BATCH_BYTES) await this.#flush();
    return this.#places.has(hash);
  }

  /** Undefined if it was never added. */
  async read(hash: string): Promise<Buffer | undefined> {
    const place = this.#places.get(hash);
    if (place === undefined) return undefined;
    await this.#flush();
    const buffer = Buffer.allocUnsafe(place.bytes);
    let filled = 0;
    while (filled < buffer.length) {
      const got = await this.#file?.read(buffer, filled, buffer.length - filled, place.at + filled);
      if (got === undefined || got.bytesRead === 0) return undefined;
      filled += got.bytesRead;
    }
    return buffer;
  }

  /** Leaves nothing behind, unless another program has put something into the folder. */
  async close(): Promise<void> {
    this.#places.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
    await rmdir(this.#folder).catch(() => {});
  }

  /** Writes one batch at a time, even if called concurrently. */
  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  /** Forgets contents that could not be written: later reads return undefined. */
  async #writeWaiting(): Promise<void> {
    if (this.#waitingBytes === 0) return;
    const bytes = this.#waiting.length === 1 ? this.#waiting[0] : Buffer.concat(this.#waiting);
    if (bytes === undefined) return;
    const start = this.#end - bytes.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      this.#file ??= await this.#open();
      for (let done = 0; done < bytes.length; )
        done += (await this.#file.write(bytes, done, bytes.length - done, start + done)).bytesWritten;
    } catch {
      for (const [hash, { at }] of this.#places)
        if (at >= start && at < start + bytes.length) this.#places.delete(hash);
    }
  }

  async #open(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${randomBytes(9).toString('hex')}.stash`);
    const file = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return file;
  }
}
