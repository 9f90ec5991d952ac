/** The program inside this process, for the SDK: the same code and the same lines, without a process around them. */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createEventQueue } from '../../sdk/eventQueue.ts';
import type { Connect, ProgramEnd } from '../../sdk/launch.ts';
import type { DriveOptions } from '../headless/drive.ts';
import { createTail } from './childProcess.ts';

/** The part of the program's bundle that is needed here: `cli/main.ts`. */
interface Program {
  drive(options: DriveOptions): Promise<number>;
}

export function inProcessIn(packageRoot: string): Connect {
  let loaded: Promise<Program> | undefined;
  return ({ argv, cwd, env }, onWarning) => {
    loaded ??= loadProgram(packageRoot);
    const input = createEventQueue<Uint8Array>();
    const lines = createEventQueue<string>();
    const stderr = createTail(onWarning);
    const stop = new AbortController();
    const run = async (program: Program): Promise<ProgramEnd> => {
      const exitCode = await program.drive({
        ...{ argv, env, input, cwd: resolve(cwd ?? '') },
        write(text) {
          for (const line of text.split('\n')) if (line !== '') lines.push(line);
        },
        writeError: stderr.add,
        stop: stop.signal,
      });
      return { exitCode, stderr: stderr.text() };
    };
    const ended = loaded
      .then(run)
      .catch((error: unknown): ProgramEnd => {
        const problem = `because of an error: ${error instanceof Error ? error.message : String(error)}`;
        return { exitCode: undefined, problem, stderr: stderr.text() };
      })
      .finally(lines.end);
    return {
      write: (line) => input.push(Buffer.from(`${line}\n`)),
      endInput: input.end,
      stop() {
        stop.abort();
        input.end();
      },
      lines,
      ended,
    };
  };
}

/** Loads the program's own bundle, as its launcher does, but keeps no compiled code. */
async function loadProgram(packageRoot: string): Promise<Program> {
  const { openPieces } = await import(pathToFileURL(join(packageRoot, 'bin/pieces.js')).href);
  return openPieces(join(packageRoot, 'dist')).load('cli.cjs');
}
