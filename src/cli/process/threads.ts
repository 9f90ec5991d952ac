/** The worker threads. Each starts with its first request, and none keeps the process alive. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  openCatalogue,
  type SessionCatalogue,
  type TokenEncoder,
  WorkerEncoder,
} from '../../context/index.ts';
import type { Usage } from '../../protocol/messages.ts';
import type { AppPaths } from './appPaths.ts';

/** Ten times what both vocabularies and a batch of texts take; a thread that needs more had better end. */
const TOKENS_HEAP_MB = 256;
/** Ten times what a batch and its lines take; lines of many pictures are outside of this heap. */
const SESSIONS_HEAP_MB = 512;

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

/** Counts tokens exactly in a thread of its own. */
export function createTokenEncoder(packageRoot: string): TokenEncoder {
  const file = join(packageRoot, 'dist/tokenWorker.js');
  return new WorkerEncoder(() => startQuietThread(file, { name: 'tokens', maxHeapMb: TOKENS_HEAP_MB }));
}

/** The sessions of all projects. Their index is written and searched in a thread of its own. */
export function openSessionCatalogue(
  { dataRoot, packageRoot }: Pick<AppPaths, 'dataRoot' | 'packageRoot'>,
  costUsd?: (model: string, usage: Usage) => number | undefined,
): SessionCatalogue {
  const file = join(packageRoot, 'dist/catalogueWorker.js');
  return openCatalogue({
    dataRoot,
    ...(costUsd === undefined ? {} : { costUsd }),
    startWorker: () =>
      startQuietThread(file, { name: 'sessions', maxHeapMb: SESSIONS_HEAP_MB, workerData: { dataRoot } }),
  });
}
