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

/** Ten times what both vocabularies and a batch of texts take; a thread that needs more should fail. */
const TOKENS_HEAP_MB = 256;
/** Ten times what a batch and its lines take; lines with many images are outside this heap. */
const SESSIONS_HEAP_MB = 512;

/** Maximum wait for another process that writes the index: it writes no longer than one batch. */
const INDEX_BUSY_MS = 5000;

interface QuietThread {
  /** The name shown in debuggers and process lists. */
  readonly name: string;
  /** The thread is terminated if its heap exceeds this size. */
  readonly maxHeapMb: number;
  readonly workerData?: unknown;
}

/**
 * Starts a thread without Node's command line switches. Its output is dropped, because the screen belongs to the UI.
 */
export function startThread(file: string, { name, maxHeapMb, workerData }: QuietThread): Worker {
  return new Worker(file, {
    name,
    workerData,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
}

/** Creates an exact token counter that runs in a thread. */
export function createTokenEncoder(packageRoot: string): TokenEncoder {
  const file = join(packageRoot, 'dist/tokenWorker.js');
  return new WorkerEncoder(() => startThread(file, { name: 'tokens', maxHeapMb: TOKENS_HEAP_MB }));
}

type CostUsd = (model: string, usage: Usage) => number | undefined;

/** Opens the catalogue of all projects' sessions. Its index is written and searched in a thread. */
export function openSessionCatalogue(
  { dataRoot, packageRoot }: Pick<AppPaths, 'dataRoot' | 'packageRoot'>,
  costUsd?: CostUsd,
): SessionCatalogue {
  const file = join(packageRoot, 'dist/catalogueWorker.js');
  return openCatalogue({
    dataRoot,
    ...(costUsd === undefined ? {} : { costUsd }),
    startWorker: () =>
      startThread(file, { name: 'sessions', maxHeapMb: SESSIONS_HEAP_MB, workerData: { dataRoot } }),
  });
}

/**
 * The same for a subcommand, which has no screen to keep responsive: without a thread, whose start takes longer than
 * most lists.
 */
export function openCommandCatalogue(
  { dataRoot }: Pick<AppPaths, 'dataRoot'>,
  costUsd?: CostUsd,
): SessionCatalogue {
  return openCatalogue({ dataRoot, busyMs: INDEX_BUSY_MS, ...(costUsd === undefined ? {} : { costUsd }) });
}
