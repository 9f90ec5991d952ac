/**
 * The pipe that a command prints into. Node's own "pipe" is a socket, on which `> /dev/stderr` and
 * `tee /dev/stdout` fail; a named pipe behaves as programs expect. Where none can be made, Node's is used.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface OutputPipe {
  readonly reader: Socket;
  /** Descriptor for the child; close ours when the child has it, or the end is never seen. */
  readonly writeEnd: number;
  closeWriteEnd(): void;
}

/**
 * Makes a pipe by way of a name in the directory, which is gone again when this resolves. `searched`: the PATH in which the
 * system's program for that is looked up.
 */
export async function openOutputPipe(directory: string, searched: string): Promise<OutputPipe | undefined> {
  const path = join(directory, 'output');
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path], { env: { PATH: searched } });
    // The reader first and not blocking: opening one end of a named pipe waits for the other.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY);
    await rm(path, { force: true });
    const reader = new Socket({ fd: readEnd, readable: true, writable: false });
    return { reader, writeEnd, closeWriteEnd: () => closeSync(writeEnd) };
  } catch {
    return undefined;
  }
}
