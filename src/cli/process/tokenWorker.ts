import { join } from 'node:path';
import { type TokenEncoder, WorkerEncoder } from '../../context/index.ts';
import { startQuietThread } from './quietThread.ts';

/** Counts tokens exactly in a thread of its own, which begins with the first question. */
export function createTokenEncoder(packageRoot: string): TokenEncoder {
  const file = join(packageRoot, 'dist/tokenWorker.js');
  return new WorkerEncoder(() => startQuietThread(file, { name: 'tokens', maxHeapMb: MAX_HEAP_MB }));
}

/** Ten times what both vocabularies and a batch of texts take; a thread that wants more had better die. */
const MAX_HEAP_MB = 256;
