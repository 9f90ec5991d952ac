/**
 * One log file: appends batches of lines through a single queue, reads them back tolerantly.
 * Nothing that was written is ever changed. Files are 0600, folders 0700.
 */
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { seal } from './entryLine.ts';
import { makeFolder, syncFolder } from './folders.ts';
import { type LogContents, readLog } from './logReader.ts';

/** The file that this store read or wrote is gone, was replaced or cut. */
export class LogVanishedError extends Error {
  override readonly name = 'LogVanishedError';
  /** True when the next write puts back first what the file held; else it must be written again. */
  readonly isRestored: boolean;
  constructor(file: string, isRestored: boolean) {
    super(`The session's file ${file} was removed or replaced while the session was open.`);
    this.isRestored = isRestored;
  }
}

export class JSONLStore {
  readonly #file: string;
  #handle: FileHandle | undefined;
  /** A file that vanished under its name: as long as it is open, the system keeps what it holds. */
  #vanished: FileHandle | undefined;
  /** Which file the path led to when it was last read or written, and how long it was. */
  #known: Pick<Stats, 'dev' | 'ino' | 'size'> | undefined;
  /** True when the file may not end with a line feed. */
  #mayBeTorn = true;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  getFilePath(): string {
    return this.#file;
  }

  exists(): Promise<boolean> {
    return access(this.#file, constants.F_OK).then(
      () => true,
      () => false,
    );
  }

  /** Writes the batch with one call; resolves when the system has it. Rejects with the system's error. */
  append(entries: readonly JSONLEntry[]): Promise<void> {
    return this.appendLines(entries.map((entry) => JSON.stringify(entry)));
  }

  /** The same for entries that are already lines, without their line feeds. Each is given its checksum. */
  appendLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return Promise.resolve();
    return this.#enqueue(() => this.#write(lines.map((line) => `${seal(line)}\n`).join('')));
  }

  /**
   * Resolves when everything that was appended is on the disk itself, also after a power cut. When it rejects,
   * what was appended since the last time may be lost and has to be appended again.
   */
  sync(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#handle === undefined) return;
      await this.#look();
      await this.#handle?.datasync();
    });
  }

  /** Opens the file if there is one, so that it can be restored when it vanishes under its name. Never rejects. */
  hold(): Promise<void> {
    return this.#enqueue(async () => {
      if (await this.exists()) await this.#open().catch(() => undefined);
    });
  }

  /** Reads everything, or what `read` takes of it; a file that does not exist is empty. */
  readAll(read: (file: string) => Promise<LogContents> = readLog): Promise<LogContents> {
    return this.#enqueue(async () => {
      const found = await stat(this.#file).catch(unlessMissing);
      if (found === undefined) return { entries: [], damaged: [] };
      this.#known ??= found;
      return read(this.#file);
    });
  }

  /** Removes the file; one that is not there is no error. */
  delete(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#release();
      this.#known = undefined;
      await unlink(this.#file).catch(unlessMissing);
    });
  }

  close(): Promise<void> {
    return this.#enqueue(() => this.#release());
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #write(text: string): Promise<void> {
    const handle = await this.#open();
    const bytes = Buffer.from(this.#mayBeTorn && (await isTorn(handle)) ? `\n${text}` : text);
    // What a failed write leaves behind is unknown: the next one looks at it.
    this.#mayBeTorn = true;
    try {
      await writeAll(handle, bytes);
    } catch (error) {
      if (isStale(error)) await this.#release();
      throw error;
    }
    this.#mayBeTorn = false;
    if (this.#known !== undefined)
      this.#known = { ...identityOf(this.#known), size: this.#known.size + bytes.length };
  }

  async #open(): Promise<FileHandle> {
    await this.#look();
    if (this.#handle !== undefined) return this.#handle;
    const folder = dirname(this.#file);
    await makeFolder(folder);
    const handle = await open(this.#file, 'a+', 0o600);
    try {
      if (this.#vanished !== undefined) await copyAll(this.#vanished, handle);
      const opened = await handle.stat();
      if (opened.size === 0) await syncFolder(folder);
      this.#known = opened;
    } catch (error) {
      await handle.close();
      throw error;
    }
    await this.#vanished?.close();
    this.#vanished = undefined;
    this.#mayBeTorn = true;
    this.#handle = handle;
    return handle;
  }

  /** A file that was deleted under an open handle still takes writes, and loses them. */
  async #look(): Promise<void> {
    const known = this.#known;
    if (known === undefined) return;
    const found = await stat(this.#file).catch(unlessMissing);
    const isSame = found?.ino === known.ino && found.dev === known.dev;
    if (isSame && found.size === known.size) return;
    if (isSame && found.size > known.size) {
      // A write that failed half-way, or a program that writes without the lock.
      this.#mayBeTorn = true;
      this.#known = found;
      return;
    }
    this.#known = undefined;
    // Of a file that was cut, the open handle has no more than its name leads to.
    if (!isSame && this.#vanished === undefined && (await isFile(this.#handle)))
      this.#vanished = this.#handle;
    else await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
    throw new LogVanishedError(this.#file, this.#vanished !== undefined);
  }

  async #release(): Promise<void> {
    const open = [this.#handle, this.#vanished];
    this.#handle = undefined;
    this.#vanished = undefined;
    for (const handle of open) await handle?.close().catch(() => undefined);
  }
}

async function isFile(handle: FileHandle | undefined): Promise<boolean> {
  return (await handle?.stat().catch(() => undefined))?.isFile() ?? false;
}

async function isTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 10;
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
}

/** Appends all of one file to another. Repeated after a failure it repeats lines, which are read once. */
async function copyAll(from: FileHandle, to: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  if (await isTorn(to)) await writeAll(to, Buffer.from('\n'));
  for (let at = 0; ; ) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    await writeAll(to, buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** The handle itself is of no use any more; the path may be. */
function isStale(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ESTALE' || code === 'EBADF' || code === 'ENODEV' || code === 'ENXIO';
}

function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): Pick<Stats, 'dev' | 'ino'> {
  return { dev, ino };
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
