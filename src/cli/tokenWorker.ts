import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type TokenEncoder, WorkerEncoder } from '../context/index.ts';

/**
 * Counts tokens exactly in a thread of its own, which begins with the first question. What it would print is
 * dropped: the screen belongs to others.
 */
export function createTokenEncoder(packageRoot: string): TokenEncoder {
  const file = join(packageRoot, 'dist/tokenWorker.js');
  return new WorkerEncoder(
    () =>
      new Worker(file, {
        name: 'tokens',
        execArgv: [],
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      }),
  );
}

/** Ten times what both vocabularies and a batch of texts take; a thread that wants more had better die. */
const MAX_HEAP_MB = 256;
