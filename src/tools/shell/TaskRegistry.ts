/** Owns every command that runs, in front or in the background, so that none is left when the program ends. */
import type { OutputCapture } from './OutputCapture.ts';
import { type CommandEnd, type CommandSpec, type RunningCommand, startCommand } from './startCommand.ts';

/** What a child that outlives its shell is given to end by itself. */
const ORPHAN_GRACE_MS = 1000;
/** Finished background tasks whose output can still be read; older ones are forgotten. */
const MAX_FINISHED_TASKS = 50;

export interface BackgroundTask {
  readonly id: string;
  readonly command: string;
  readonly run: RunningCommand;
  readonly capture: OutputCapture;
  readonly startedAtMs: number;
  /** Set when the shell has exited. */
  end?: CommandEnd;
  endedAtMs?: number;
}

export class TaskRegistry {
  /** Each with the call that started it. */
  readonly #running = new Map<RunningCommand, string>();
  readonly #tasks = new Map<string, BackgroundTask>();
  #lastNumber = 0;
  #disposed = false;

  async start(spec: CommandSpec, callId: string): Promise<RunningCommand> {
    const run = await startCommand(spec);
    this.#running.set(run, callId);
    if (this.#disposed) await this.#end(run);
    return run;
  }

  /** Makes a running command a background task that the model can read and stop. */
  keep(command: string, run: RunningCommand, capture: OutputCapture, startedAtMs: number): BackgroundTask {
    this.#lastNumber += 1;
    const task: BackgroundTask = { id: `b${this.#lastNumber}`, command, run, capture, startedAtMs };
    this.#tasks.set(task.id, task);
    void run.finished.then((end) => {
      task.end = end;
      task.endedAtMs = Date.now();
      if (!run.alive()) void this.#forget(run);
    });
    const finished = [...this.#tasks.values()].filter(({ end }) => end !== undefined);
    for (const old of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED_TASKS))) {
      this.#tasks.delete(old.id);
    }
    return task;
  }

  task(id: string): BackgroundTask | undefined {
    return this.#tasks.get(id);
  }

  taskIds(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  /** The calls of which a process may still run, in the background or on its way out. */
  callIds(): readonly string[] {
    return [...new Set(this.#running.values())];
  }

  /** A command in the foreground is over: what it left behind is ended after a grace. True when there is such. */
  settle(run: RunningCommand): boolean {
    if (!run.alive()) {
      void this.#forget(run);
      return false;
    }
    const timer = setTimeout(() => void this.#end(run), ORPHAN_GRACE_MS);
    // `dispose` ends it at once; the timer alone is no reason to stay.
    timer.unref();
    return true;
  }

  /** Stops a command now. The signal is sent before this returns; it resolves when the group is gone. */
  stop(run: RunningCommand): Promise<void> {
    return this.#end(run);
  }

  /** Ends everything that still runs. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await Promise.all([...this.#running.keys()].map((run) => this.#end(run)));
  }

  async #end(run: RunningCommand): Promise<void> {
    await run.stop();
    await run.finished;
    await this.#forget(run);
  }

  async #forget(run: RunningCommand): Promise<void> {
    this.#running.delete(run);
    await run.release();
  }
}
