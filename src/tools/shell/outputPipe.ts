/**
 * The pipe for a command's output. Node's own "pipe" is a socket, on which `> /dev/stderr` and `tee /dev/stdout` fail;
 * a named pipe behaves as programs expect. If none can be created, the caller uses Node's.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface OutputPipe {
  readonly reader: Socket;
  /** Descriptor for the child; close ours once the child has it, otherwise the end of the output is never seen. */
  readonly writeEnd: number;
  closeWriteEnd(): void;
}

/**
 * Creates a pipe through a temporary name in the directory, removed when this resolves. `searched`: the PATH in which
 * `mkfifo` is looked up. Undefined if no pipe can be created.
 */
export async function openOutputPipe(directory: string, searched: string): Promise<OutputPipe | undefined> {
  const path = join(directory, 'output');
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path], { env: { PATH: searched } });
    // Open the reader first and non-blocking: opening one end of a named pipe waits for the other.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY);
    await rm(path, { force: true });
    const reader = new Socket({ fd: readEnd, readable: true, writable: false });
    return { reader, writeEnd, closeWriteEnd: () => closeSync(writeEnd) };
  } catch {
    return undefined;
  }
}
