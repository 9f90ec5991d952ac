/** Runs one job after the other, each under an abort signal of its own. */

export type Job = (signal: AbortSignal) => Promise<void>;

export interface JobQueue {
  /** Runs the job when those before it are done; not taken any more after `close`. */
  add(job: Job): void;
  /** Aborts the job at the head; those that wait behind it run next. */
  abort(): void;
  busy(): boolean;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
  /** Aborts what runs and forgets what waits. */
  close(): Promise<void>;
}

export interface JobQueuePorts {
  /** A job that throws is a bug: it is told here, and the next job runs. */
  readonly onBug: (error: unknown) => void;
  /** After each job, when it no longer counts as running; may add another. */
  readonly onDone: (signal: AbortSignal) => void;
}

export function createJobQueue({ onBug, onDone }: JobQueuePorts): JobQueue {
  /** The head is running, or about to. */
  const jobs: { readonly job: Job; readonly controller: AbortController }[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  const runAll = async (): Promise<void> => {
    // The caller of `add` goes on first, so that what it says next still belongs to the same moment.
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
