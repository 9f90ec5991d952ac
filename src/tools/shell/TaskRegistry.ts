/** Owns every command that runs, in front or in the background, so that none is left when the program ends. */
import type { TaskChange, TaskInfo, TaskPort, TaskStopper } from '../../protocol/tasks.ts';
import type { OutputCapture } from './OutputCapture.ts';
import type { RecentText } from './RecentText.ts';
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
  readonly recent: RecentText;
  readonly startedAtMs: number;
  /** Set when the shell has exited. */
  end?: CommandEnd;
  endedAtMs?: number;
  stoppedBy?: TaskStopper;
  /** The model waits for its end, and is told of it by that. */
  isAwaited?: boolean;
  /** The model has seen how it ended, or has ended it. */
  isTold?: boolean;
}

/** A command that is to go on in the background. */
export type KeptCommand = Pick<BackgroundTask, 'command' | 'run' | 'capture' | 'recent' | 'startedAtMs'>;

export class TaskRegistry implements TaskPort {
  /** Each with the call that started it. */
  readonly #running = new Map<RunningCommand, string>();
  readonly #tasks = new Map<string, BackgroundTask>();
  readonly #listeners = new Set<(change: TaskChange) => void>();
  #lastNumber = 0;
  #disposed = false;

  async start(spec: CommandSpec, callId: string): Promise<RunningCommand> {
    const run = await startCommand(spec);
    this.#running.set(run, callId);
    if (this.#disposed) await this.#end(run);
    return run;
  }

  /** Makes a running command a background task that the model can read and stop. */
  keep(command: KeptCommand): BackgroundTask {
    this.#lastNumber += 1;
    const task: BackgroundTask = { id: `b${this.#lastNumber}`, ...command };
    const { id, run } = task;
    this.#tasks.set(id, task);
    if (run.pid !== undefined) run.confinement?.keep(run.pid);
    void run.finished.then((end) => {
      task.end = end;
      task.endedAtMs = Date.now();
      if (!run.alive()) void this.#forget(run);
      task.isTold = task.isAwaited === true || task.stoppedBy === 'model';
      this.#tell({ type: 'ended', id, isKnown: task.isTold });
    });
    const finished = [...this.#tasks.values()].filter(({ end }) => end !== undefined);
    for (const old of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED_TASKS))) {
      void old.capture.close();
      this.#tasks.delete(old.id);
    }
    this.#tell({ type: 'started', id });
    return task;
  }

  list(): readonly TaskInfo[] {
    return [...this.#tasks.values()].map(infoOf);
  }

  output(id: string): { readonly text: string; readonly missing: number } | undefined {
    return this.#tasks.get(id)?.recent.read();
  }

  stop(id: string): void {
    this.stopTask(id, 'user');
  }

  /** The signal is sent before this returns. */
  stopTask(id: string, by: TaskStopper): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    if (task.end === undefined) task.stoppedBy ??= by;
    void this.#end(task.run);
  }

  takeUntold(): readonly TaskInfo[] {
    const untold = [...this.#tasks.values()].filter(
      ({ end, isTold }) => end !== undefined && isTold !== true,
    );
    for (const task of untold) task.isTold = true;
    return untold.map(infoOf);
  }

  subscribe(listener: (change: TaskChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(id: string, listener: () => void): () => void {
    return this.#tasks.get(id)?.recent.watch(listener) ?? (() => undefined);
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
  stopRun(run: RunningCommand): Promise<void> {
    return this.#end(run);
  }

  /** Ends everything that still runs. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#listeners.clear();
    await Promise.all([...this.#running.keys()].map((run) => this.#end(run)));
    await Promise.all([...this.#tasks.values()].map(({ capture }) => capture.close()));
  }

  #tell(change: TaskChange): void {
    for (const listener of [...this.#listeners]) listener(change);
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

function infoOf(task: BackgroundTask): TaskInfo {
  const { id, command, startedAtMs, recent, run, end, endedAtMs, stoppedBy } = task;
  const sandbox = run.confinement?.record();
  const known = { id, command, startedAtMs, lastLine: recent.lastLine() };
  const info = sandbox === undefined ? known : { ...known, sandbox };
  if (end === undefined) return info;
  const by = stoppedBy === undefined ? {} : { stoppedBy };
  const how =
    end.type === 'failed'
      ? { problem: end.message }
      : { code: end.code, ...(end.signal === undefined ? {} : { signal: end.signal }) };
  return { ...info, end: { endedAtMs: endedAtMs ?? startedAtMs, ...how, ...by } };
}
