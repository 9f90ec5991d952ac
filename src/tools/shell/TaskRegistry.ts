/** Owns every running command, in the foreground and background, so that none survives the program. */
import type { TaskChange, TaskInfo, TaskPort, TaskStopper } from '../../protocol/tasks.ts';
import { EarlyProcess } from './EarlyProcess.ts';
import type { OutputCapture } from './OutputCapture.ts';
import { OutputPipes } from './OutputPipes.ts';
import { type CommandEnd, type CommandSpec, type RunningCommand, startCommand } from './startCommand.ts';

/** Time for a child that outlives its shell to exit. */
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
  /** Set once the shell has exited. */
  end?: CommandEnd;
  endedAtMs?: number;
  stoppedBy?: TaskStopper;
  /** True while a tool call waits for the task to end, so the model learns of it from that call. */
  isAwaited?: boolean;
  /** True if the model knows how the task ended, or has stopped it. */
  isReported?: boolean;
}

type KeptCommand = Pick<BackgroundTask, 'command' | 'run' | 'capture' | 'recent' | 'startedAtMs'>;

export class TaskRegistry implements TaskPort {
  /** Running commands, with the id of the tool call that started each. */
  readonly #running = new Map<RunningCommand, string>();
  readonly #tasks = new Map<string, BackgroundTask>();
  readonly #listeners = new Set<(change: TaskChange) => void>();
  readonly #pipes = new OutputPipes();
  readonly #early = new EarlyProcess(this.#pipes);
  #lastNumber = 0;
  #disposed = false;

  async start(spec: CommandSpec, callId: string): Promise<RunningCommand> {
    const run = await startCommand(spec, this.#pipes, this.#early);
    this.#running.set(run, callId);
    if (this.#disposed) await this.#end(run);
    return run;
  }

  /** Turns a running command into a background task that the model can read and stop. */
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
      task.isReported = task.isAwaited === true || task.stoppedBy === 'model';
      this.#notify({ type: 'ended', id, isKnown: task.isReported });
    });
    const finished = [...this.#tasks.values()].filter(({ end }) => end !== undefined);
    for (const old of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED_TASKS))) {
      void old.capture.close();
      this.#tasks.delete(old.id);
    }
    this.#notify({ type: 'started', id });
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

  /** Sends the signal before returning. */
  stopTask(id: string, by: TaskStopper): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    if (task.end === undefined) task.stoppedBy ??= by;
    void this.#end(task.run);
  }

  takeUnreported(): readonly TaskInfo[] {
    const unreported = [...this.#tasks.values()].filter(
      ({ end, isReported }) => end !== undefined && isReported !== true,
    );
    for (const task of unreported) task.isReported = true;
    return unreported.map(infoOf);
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

  /** The tool calls with a process that may still run, in the background or while exiting. */
  callIds(): readonly string[] {
    return [...new Set(this.#running.values())];
  }

  /**
   * Call when a foreground command has finished: stops processes it left behind after a grace period. True if there are
   * any.
   */
  settle(run: RunningCommand): boolean {
    if (!run.alive()) {
      void this.#forget(run);
      return false;
    }
    const timer = setTimeout(() => void this.#end(run), ORPHAN_GRACE_MS);
    // `dispose` stops them at once; the timer alone must not keep the process alive.
    timer.unref();
    return true;
  }

  /** Stops a command now. Sends the signal before returning; resolves when the process group is gone. */
  stopRun(run: RunningCommand): Promise<void> {
    return this.#end(run);
  }

  /** Stops everything that still runs. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#listeners.clear();
    this.#early.dispose();
    await Promise.all([...this.#running.keys()].map((run) => this.#end(run)));
    await Promise.all([...this.#tasks.values()].map(({ capture }) => capture.close()));
    await this.#pipes.dispose();
  }

  #notify(change: TaskChange): void {
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

/** Maximum characters of `RecentText`. */
const RECENT_CHARACTERS = 256 * 1024;
const LAST_LINE_CHARACTERS = 200;

/** The end of a running command's output, in bounded memory, for display while it runs. */
export class RecentText {
  readonly #pieces: string[] = [];
  #length = 0;
  #missing = 0;
  readonly #listeners = new Set<() => void>();

  push(text: string): void {
    if (text === '') return;
    // A single piece may exceed the limit.
    const kept = text.slice(-RECENT_CHARACTERS);
    this.#missing += text.length - kept.length;
    this.#pieces.push(kept);
    this.#length += kept.length;
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#length - first.length < RECENT_CHARACTERS) break;
      this.#pieces.shift();
      this.#length -= first.length;
      this.#missing += first.length;
    }
    if (this.#pieces.length > MAX_PIECES) this.#pieces.splice(0, this.#pieces.length, this.#pieces.join(''));
    for (const listener of [...this.#listeners]) listener();
  }

  /** The kept text, and the number of characters before it. */
  read(): { readonly text: string; readonly missing: number } {
    return { text: this.#pieces.join(''), missing: this.#missing };
  }

  /** Forgets everything so far. */
  clear(): void {
    this.#pieces.length = 0;
    this.#length = 0;
    this.#missing = 0;
    for (const listener of [...this.#listeners]) listener();
  }

  /** The last non-empty line, cut to 200 characters. */
  lastLine(): string {
    let end = '';
    for (let at = this.#pieces.length - 1; at >= 0; at--) {
      end = (this.#pieces[at] ?? '') + end;
      const line = end.trimEnd();
      const feed = line.lastIndexOf('\n');
      if (line !== '' && (feed !== -1 || line.length > LAST_LINE_CHARACTERS))
        return line.slice(feed + 1).slice(0, LAST_LINE_CHARACTERS);
    }
    return end.trimEnd().slice(0, LAST_LINE_CHARACTERS);
  }

  /** Calls the listener after every push. Returns the unsubscribe function. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Merges the pieces of a command that prints one character at a time. */
const MAX_PIECES = 1024;
