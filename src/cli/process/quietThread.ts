import { Worker } from 'node:worker_threads';

export interface QuietThread {
  /** What debuggers and process lists call it. */
  readonly name: string;
  /** It dies of a larger heap than this. */
  readonly maxHeapMb: number;
  readonly workerData?: unknown;
}

/** A thread whose output is dropped, as the screen belongs to others, and that inherits no switches of Node's. */
export function startQuietThread(file: string, { name, maxHeapMb, workerData }: QuietThread): Worker {
  return new Worker(file, {
    name,
    workerData,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
}
