import { join } from 'node:path';
import { openCatalogue, type SessionCatalogue } from '../../context/index.ts';
import type { Usage } from '../../protocol/messages.ts';
import type { Place } from '../process/appPaths.ts';
import { startQuietThread } from '../process/quietThread.ts';

/**
 * The sessions of all projects. What writes and searches the index has a thread of its own, which begins with the
 * first question and keeps nobody from leaving.
 */
export function openSessionCatalogue(
  { dataRoot, packageRoot }: Pick<Place, 'dataRoot' | 'packageRoot'>,
  costUsd?: (model: string, usage: Usage) => number | undefined,
): SessionCatalogue {
  const file = join(packageRoot, 'dist/catalogueWorker.js');
  return openCatalogue({
    dataRoot,
    ...(costUsd === undefined ? {} : { costUsd }),
    startWorker: () =>
      startQuietThread(file, { name: 'sessions', maxHeapMb: MAX_HEAP_MB, workerData: { dataRoot } }),
  });
}

/** Ten times what a batch and its lines take; lines of many pictures lie outside of this heap. */
const MAX_HEAP_MB = 512;
