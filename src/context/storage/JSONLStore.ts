/**
 * One log file: appends batches of lines through a queue and reads them back, tolerating damage. Written lines are
 * never changed. Files have mode 0600, folders 0700.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { createWorkQueue } from '../../protocol/workQueue.ts';
import { seal } from './entryLine.ts';
import { type LogContents, readLog } from './logReader.ts';
import { makeStoredFolder, openToAppend, syncFolder, unlessMissing } from './storedFiles.ts';

/** The file that this store read or wrote was deleted, replaced or truncated. */
export class LogVanishedError extends Error {
  override readonly name = 'LogVanishedError';
  /** True if the next write first restores the file's contents; otherwise the caller has to write them again. */
  readonly isRestored: boolean;
  constructor(file: string, isRestored: boolean) {
    super(`The session's file ${file} was removed or replaced while the session was open.`);
    this.isRestored = isRestored;
  }
}

export class JSONLStore {
  readonly #file: string;
  #handle: FileHandle | undefined;
  /** Handle of a deleted or replaced file: the system keeps its contents as long as it is open. */
  #vanished: FileHandle | undefined;
  /** Identity and size of the file when it was last read or written. */
  #known: Pick<Stats, 'dev' | 'ino' | 'size'> | undefined;
  /** True if the file may not end with a newline. */
  #mayBeTorn = true;
  readonly #enqueue = createWorkQueue();
  readonly #openFile: typeof openToAppend;

  constructor(file: string, openFile: typeof openToAppend = openToAppend) {
    this.#file = file;
    this.#openFile = openFile;
  }

  getFilePath(): string {
    return this.#file;
  }

  exists(): Promise<boolean> {
    return lstat(this.#file).then(
      () => true,
      () => false,
    );
  }

  /** Appends the batch with one write; resolves when the system has accepted it. Rejects with the system's error. */
  append(entries: readonly JSONLEntry[]): Promise<void> {
    return this.appendLines(entries.map((entry) => JSON.stringify(entry)));
  }

  /** The same for lines without newlines. Adds a checksum to each. */
  appendLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return Promise.resolve();
    return this.#enqueue(() => this.#write(lines.map((line) => `${seal(line)}\n`).join('')));
  }

  /**
   * Resolves when all appended lines are on disk and survive a power failure. If it rejects, lines appended since the
   * last successful sync may be lost and have to be appended again.
   */
  sync(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#handle === undefined) return;
      await this.#look();
      await this.#handle?.datasync();
    });
  }

  /** Opens an existing file, so that it can be restored if it is deleted later. Never rejects. */
  hold(): Promise<void> {
    return this.#enqueue(async () => {
      if (await this.exists()) await this.#open().catch(() => undefined);
    });
  }

  /** Reads the file, by default in full; a missing file is empty. */
  readAll(read: (file: string) => Promise<LogContents> = readLog): Promise<LogContents> {
    return this.#enqueue(async () => {
      const found = await lstat(this.#file).catch(unlessMissing);
      if (found === undefined) return { entries: [], damaged: [] };
      this.#known ??= found;
      return read(this.#file);
    });
  }

  /** Deletes the file; does nothing if there is none. */
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

  async #write(text: string): Promise<void> {
    const handle = await this.#open();
    const bytes = Buffer.from(this.#mayBeTorn && (await isTorn(handle)) ? `\n${text}` : text);
    // A failed write may leave a partial line: the next write checks for it.
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
    await makeStoredFolder(folder, folder);
    const handle = await this.#openFile(this.#file);
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

  /** Detects that the file was deleted, replaced or truncated: writes to an open handle would succeed but be lost. */
  async #look(): Promise<void> {
    const known = this.#known;
    if (known === undefined) return;
    const found = await lstat(this.#file).catch(unlessMissing);
    const isSame = found?.ino === known.ino && found.dev === known.dev;
    if (isSame && found.size === known.size) return;
    if (isSame && found.size > known.size) {
      // A write failed half-way, or another program wrote without the lock.
      this.#mayBeTorn = true;
      this.#known = found;
      return;
    }
    this.#known = undefined;
    // If the file was truncated, the handle has no more data than the path.
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

/** Appends one file to another. A retry after a failure repeats lines, which readers skip. */
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

/** The handle is unusable, but the path may still work. */
function isStale(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ESTALE' || code === 'EBADF' || code === 'ENODEV' || code === 'ENXIO';
}

function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): Pick<Stats, 'dev' | 'ino'> {
  return { dev, ino };
}
