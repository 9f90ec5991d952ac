/**
 * One log file: appends batches of lines through a single queue, reads them back tolerantly.
 * Nothing that was written is ever changed. Files are 0600, folders 0700.
 */
import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type LogContents, readLog } from './logReader.ts';

/** The file that this store read or wrote is gone or was replaced: what it held must be written again. */
export class LogVanishedError extends Error {
  override readonly name = 'LogVanishedError';
  constructor(file: string) {
    super(`The session's file ${file} was removed or replaced while the session was open.`);
  }
}

export class JSONLStore {
  readonly #file: string;
  #handle: FileHandle | undefined;
  /** Which file the path led to when it was last read or written. */
  #identity: Pick<Stats, 'dev' | 'ino'> | undefined;
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

  /** The same for entries that are already lines, without their line feeds. */
  appendLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return Promise.resolve();
    return this.#enqueue(() => this.#write(`${lines.join('\n')}\n`));
  }

  /** Resolves when everything that was appended is on the disk itself, also after a power cut. */
  sync(): Promise<void> {
    return this.#enqueue(async () => this.#handle?.sync());
  }

  /** Reads everything; a file that does not exist is empty. */
  readAll(): Promise<LogContents> {
    return this.#enqueue(async () => {
      const found = await stat(this.#file).catch(unlessMissing);
      if (found === undefined) return { entries: [], damaged: [] };
      this.#identity ??= found;
      return readLog(this.#file);
    });
  }

  /** Removes the file; one that is not there is no error. */
  delete(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#release();
      this.#identity = undefined;
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
    try {
      const { handle, torn } = await this.#open();
      const bytes = Buffer.from(torn ? `\n${text}` : text);
      for (let written = 0; written < bytes.length; )
        written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
    } catch (error) {
      // What the failed write left behind is unknown: opening again looks at it.
      await this.#release();
      throw error;
    }
  }

  async #open(): Promise<{ handle: FileHandle; torn: boolean }> {
    await this.#checkIdentity();
    if (this.#handle !== undefined) return { handle: this.#handle, torn: false };
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const handle = await open(this.#file, 'a+', 0o600);
    this.#handle = handle;
    const opened = await handle.stat();
    this.#identity = opened;
    if (opened.size === 0) {
      await syncFolder(dirname(this.#file));
      return { handle, torn: false };
    }
    const last = await handle.read(Buffer.alloc(1), 0, 1, opened.size - 1);
    return { handle, torn: last.buffer[0] !== 10 };
  }

  /** A file that was deleted under an open handle still takes writes, and loses them. */
  async #checkIdentity(): Promise<void> {
    if (this.#identity === undefined) return;
    const found = await stat(this.#file).catch(unlessMissing);
    if (found?.ino === this.#identity.ino && found.dev === this.#identity.dev) return;
    this.#identity = undefined;
    throw new LogVanishedError(this.#file);
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

/** Makes a new file's name durable; where a folder cannot be synced, the file still is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
