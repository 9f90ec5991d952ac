/**
 * The pipes for the output of commands. Node's own "pipe" is a socket, on which `> /dev/stderr` and `tee /dev/stdout`
 * fail; a named pipe behaves as programs expect. Node cannot make one, and starting mkfifo took half the time of a short
 * command, so several are made at once, and the next ones while a command runs (`npm run bench:sandbox`).
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeScratch } from './scratch.ts';

export interface OutputPipe {
  readonly reader: Socket;
  /** Descriptor for the child; close ours once the child has it, otherwise the end of the output is never seen. */
  readonly writeEnd: number;
  /** Only the first call does something. */
  closeWriteEnd(): void;
}

/** Pipes made by one mkfifo. */
const BATCH = 16;

export class OutputPipes {
  /** A private folder that is hidden from sandboxed commands. */
  #folder: string | undefined;
  /** Paths of the unused pipes in that folder. */
  readonly #spare: string[] = [];
  #made = 0;
  #making: Promise<boolean> | undefined;
  #isDisposed = false;

  /**
   * Opens a pipe and removes its name. `searched`: the PATH in which `mkfifo` is looked up. Undefined if no pipe can be
   * created; the caller then uses Node's.
   */
  async take(searched: string): Promise<OutputPipe | undefined> {
    for (;;) {
      const isNew = this.#spare.length === 0;
      while (this.#spare.length === 0) if (!(await this.#make(searched))) return undefined;
      const path = this.#spare.pop() ?? '';
      if (this.#spare.length === 0 && !this.#isDisposed) void this.#make(searched);
      try {
        return opened(path);
      } catch {
        // Something that cleans the temporary directory may have removed them; new ones must work.
        await this.#clear();
        if (isNew) return undefined;
      } finally {
        await rm(path, { force: true });
      }
    }
  }

  /** Removes the spare pipes. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#making;
    await this.#clear();
  }

  /** Makes spare pipes; callers at the same time share them. False if that fails. */
  #make(searched: string): Promise<boolean> {
    this.#making ??= this.#makeBatch(searched)
      .then(
        () => true,
        () => this.#clear().then(() => false),
      )
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  async #makeBatch(searched: string): Promise<void> {
    const folder = this.#folder ?? (await makeScratch(tmpdir()));
    this.#folder = folder;
    const paths = Array.from({ length: BATCH }, () => join(folder, `output-${++this.#made}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { env: { PATH: searched } });
    this.#spare.push(...paths);
  }

  async #clear(): Promise<void> {
    this.#spare.splice(0);
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Throws a system error. */
function opened(path: string): OutputPipe {
  // The reader first and non-blocking: opening one end of a named pipe waits for the other.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  const reader = new Socket({ fd: readEnd, readable: true, writable: false });
  let isOpen = true;
  const closeWriteEnd = (): void => {
    if (isOpen) closeSync(writeEnd);
    isOpen = false;
  };
  return { reader, writeEnd, closeWriteEnd };
}
