/**
 * A process that waits for a session's next command, so that the command need not wait for it to start
 * (`npm run bench:sandbox`). It is made when a command has ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type EarlyStart, type LaunchPipe, launchPipesOf } from '../../protocol/sandbox.ts';
import type { OutputPipe, OutputPipes } from './OutputPipes.ts';

interface Waiting {
  /** Of its `EarlyStart`: it can run only commands with the same key. */
  readonly key: string;
  readonly child: ChildProcess;
  readonly pipe: OutputPipe;
}

interface EarlyRun {
  readonly child: ChildProcess;
  readonly pipe: OutputPipe;
  /** The pipes for `admit`. */
  readonly gate: readonly LaunchPipe[];
}

/** A run with a single command needs none. */
const FROM_COMMAND = 2;

export class EarlyProcess {
  readonly #pipes: OutputPipes;
  #waiting: Waiting | undefined;
  #commands = 0;
  #isPreparing = false;
  #isDisposed = false;

  constructor(pipes: OutputPipes) {
    this.#pipes = pipes;
  }

  /** True if a process waits, perhaps for a command of another kind. */
  get isReady(): boolean {
    return this.#waiting !== undefined;
  }

  /** Starts a command in the waiting process; undefined if none waits for such a command. The caller owns it then. */
  run(start: EarlyStart): EarlyRun | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.key !== keyOf(start)) return undefined;
    this.#waiting = undefined;
    const { child, pipe } = waiting;
    if (!isRunning(child)) {
      end(waiting);
      return undefined;
    }
    setRefs(waiting, 'ref');
    return { child, pipe, gate: start.send(launchPipesOf(child)) };
  }

  /** Call when a command has ended that could have been started early. `searched`: as for `OutputPipes`. Never rejects. */
  async prepare(start: EarlyStart, searched: string): Promise<void> {
    this.#commands += 1;
    if (this.#commands < FROM_COMMAND || this.#isPreparing || this.#isDisposed) return;
    const key = keyOf(start);
    if (this.#waiting?.key === key) return;
    this.#discard();
    this.#isPreparing = true;
    const pipe = await this.#pipes.take(searched).catch(() => undefined);
    this.#isPreparing = false;
    if (pipe === undefined) return;
    try {
      if (this.#isDisposed) pipe.reader.destroy();
      else this.#waiting = started(start, key, pipe);
    } catch {
      // Out of processes or descriptors: the next command is started when it comes.
      pipe.reader.destroy();
    } finally {
      pipe.closeWriteEnd();
    }
  }

  /** Ends the process. */
  dispose(): void {
    this.#isDisposed = true;
    this.#discard();
  }

  #discard(): void {
    if (this.#waiting !== undefined) end(this.#waiting);
    this.#waiting = undefined;
  }
}

function started(start: EarlyStart, key: string, pipe: OutputPipe): Waiting {
  const child = spawn(start.program, start.args, {
    ...{ cwd: '/', env: {}, detached: true },
    stdio: ['ignore', pipe.writeEnd, pipe.writeEnd, ...start.inherit],
  });
  // A process that could not be started is not running, so no command gets it.
  for (const one of [child, ...launchPipesOf(child)]) one.on('error', () => undefined);
  const waiting = { key, child, pipe };
  setRefs(waiting, 'unref');
  return waiting;
}

const keyOf = ({ program, args, inherit }: EarlyStart): string => JSON.stringify([program, args, inherit]);

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

function end({ child, pipe }: Waiting): void {
  child.kill('SIGKILL');
  for (const one of launchPipesOf(child)) one.destroy();
  pipe.reader.destroy();
}

/** Whether the process keeps this one alive: only while it runs a command. */
function setRefs({ child, pipe }: Waiting, way: 'ref' | 'unref'): void {
  for (const one of [child, pipe.reader, ...launchPipesOf(child)]) one[way]();
}
