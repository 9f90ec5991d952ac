/**
 * Background maintenance of a project's sessions while one is open: archives the oldest sessions beyond the limit, and
 * updates the search index. Runs later than anything the user waits for, and does not keep the program from ending.
 */
import { basename } from 'node:path';
import { archiveOldest, getProjectStoragePath } from '../../context/index.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessionCatalogue } from '../process/threads.ts';

interface UpkeepOptions {
  readonly place: Pick<AppPaths, 'dataRoot' | 'root' | 'packageRoot'>;
  readonly maxSessions: number;
  /** A headless run is short, so it leaves the index alone. */
  readonly interactive: boolean;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds after which archiving and indexing start: after the first frame and the rest of the start. */
const PACK_AFTER_MS = 500;
const INDEX_AFTER_MS = 20_000;
/** Maximum bytes to index: a few seconds of one thread. A search indexes the rest. */
const INDEX_BYTES = 64 * 2 ** 20;

/** Starts the maintenance and returns a function that stops it. */
export function startMaintenance({ place, maxSessions, interactive, onError }: UpkeepOptions): () => void {
  const { dataRoot, root } = place;
  const controller = new AbortController();
  const { signal } = controller;
  const later = (afterMs: number, work: () => Promise<unknown>): NodeJS.Timeout =>
    setTimeout(() => void work().catch((error) => signal.aborted || onError(error)), afterMs).unref();

  const timers = [
    later(PACK_AFTER_MS, async () => {
      const project = basename(getProjectStoragePath(dataRoot, root));
      await archiveOldest({ dataRoot, project, maxSessions, now: Date.now(), signal });
    }),
  ];
  if (interactive)
    timers.push(
      later(INDEX_AFTER_MS, async () => {
        const catalogue = openSessionCatalogue(place);
        await catalogue.refresh(undefined, { maxBytes: INDEX_BYTES, signal });
        await catalogue.close();
      }),
    );
  return () => {
    controller.abort();
    timers.forEach(clearTimeout);
  };
}
