/**
 * A driven session (`--input-format stream-json`) inside another program's process: all input and output is passed in,
 * and it neither ends the process nor handles its signals.
 */

import type { SessionThreads } from '../openContext.ts';
import { parseArguments } from '../options.ts';
import { createPermissionEngine } from '../permissionThread/ThreadedEngine.ts';
import { type AppPaths, programVersion, readAppPaths } from '../process/appPaths.ts';
import { prefetchEnvironment } from '../process/environment.ts';
import { createTokenEncoder } from '../process/threads.ts';
import { printMode } from './headless.ts';
import type { HeadlessIo } from './headlessProcess.ts';

export interface DriveOptions extends Pick<AppPaths, 'cwd' | 'env'> {
  /** The arguments after the program's name; `--input-format stream-json` is one of them. */
  readonly argv: readonly string[];
  readonly input: AsyncIterable<Uint8Array>;
  /** Receives complete lines. */
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Ends the session: interrupts its turn and discards queued prompts. */
  readonly stop: AbortSignal;
}

/** Runs the session until its input ends; returns the exit code. */
export async function drive(options: DriveOptions): Promise<number> {
  const { argv, writeError } = options;
  const parsed = await parseArguments(argv, programVersion());
  if (parsed.type === 'exit') {
    writeError(parsed.stderr);
    return parsed.code;
  }
  const place = readAppPaths(options.cwd, options.env);
  let threads: SessionThreads | undefined;
  const io: HeadlessIo = {
    ...hostedIo(options),
    openThreads(debug) {
      const engine = createPermissionEngine(place, debug.write);
      threads = { engine, encoder: createTokenEncoder(place.packageRoot) };
      return threads;
    },
  };
  try {
    return await printMode(place, parsed.options, prefetchEnvironment(place), io);
  } finally {
    await Promise.all([threads?.engine.close(), threads?.encoder.close()]);
  }
}

function hostedIo({ input, write, writeError, stop }: DriveOptions): HeadlessIo {
  let isClosed = false;
  return {
    input,
    isTerminal: false,
    output: {
      printError: (text) => writeError(`clawdcode: ${text}\n`),
      write: (text) => void (isClosed || write(text)),
      writeError: (text) => void (isClosed || writeError(text)),
      close() {
        isClosed = true;
      },
    },
    watch(agent) {
      const stopped = new AbortController();
      const onStop = (): void => {
        stopped.abort();
        agent.submit({ type: 'interrupt' });
      };
      if (stop.aborted) onStop();
      else stop.addEventListener('abort', onStop, { once: true });
      return {
        interrupted: stopped.signal,
        stopHandling: () => stop.removeEventListener('abort', onStop),
      };
    },
  };
}
