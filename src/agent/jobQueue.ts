/** Runs jobs one after another, each with its own abort signal. */

export type Job = (signal: AbortSignal) => Promise<void>;

export interface JobQueue {
  /** Runs the job after those queued before it; ignored after `close`. */
  add(job: Job): void;
  /** Aborts the running job; queued jobs still run. */
  abort(): void;
  busy(): boolean;
  /** Resolves when no job is running or queued. */
  idle(): Promise<void>;
  /** Aborts the running job and drops queued ones. */
  close(): Promise<void>;
}

interface JobQueuePorts {
  /** Receives errors thrown by jobs, which are bugs; the next job still runs. */
  readonly onBug: (error: unknown) => void;
  /** Called after each job, once it is no longer running; may add another. */
  readonly onDone: (signal: AbortSignal) => void;
}

export function createJobQueue({ onBug, onDone }: JobQueuePorts): JobQueue {
  /** The first job is running or about to start. */
  const jobs: { readonly job: Job; readonly controller: AbortController }[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  const runAll = async (): Promise<void> => {
    // Lets the caller of `add` finish its synchronous work before the job starts.
    await Promise.resolve();
    for (let head = jobs[0]; head !== undefined; head = jobs[0]) {
      const { signal } = head.controller;
      await head.job(signal).catch(onBug);
      jobs.shift();
      onDone(signal);
    }
    running = undefined;
  };
  const idle = async (): Promise<void> => {
    while (running !== undefined) await running;
  };

  return {
    add(job) {
      if (closed) return;
      jobs.push({ job, controller: new AbortController() });
      running ??= runAll();
    },
    abort: () => jobs[0]?.controller.abort(),
    busy: () => jobs.length > 0,
    idle,
    async close() {
      closed = true;
      jobs.splice(1);
      jobs[0]?.controller.abort();
      await idle();
    },
  };
}
