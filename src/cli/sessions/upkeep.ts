/**
 * What is done for the sessions of a project while one is open: its place is noted, the oldest beyond the limit are
 * packed, and the index is brought nearer to what is on disk. All of it later than anything that somebody waits for,
 * and none of it keeps the program from ending.
 */
import { basename } from 'node:path';
import { archiveOldest, getProjectStoragePath, rememberPlace } from '../../context/index.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessionCatalogue } from '../process/threads.ts';

export interface UpkeepOptions {
  readonly place: Pick<AppPaths, 'dataRoot' | 'root' | 'packageRoot'>;
  readonly maxSessions: number;
  /** A run without a user is short: it leaves the index alone. */
  readonly interactive: boolean;
  readonly onError: (error: unknown) => void;
}

/** After the first frame, and after what a start does besides. */
const PACK_AFTER_MS = 500;
const INDEX_AFTER_MS = 20_000;
/** Of what nobody has looked for so far: a few seconds of one thread. Whoever searches reads the rest. */
const INDEX_BYTES = 64 * 2 ** 20;

/** Begins, and answers how to stop. */
export function startUpkeep({ place, maxSessions, interactive, onError }: UpkeepOptions): () => void {
  const { dataRoot, root } = place;
  const controller = new AbortController();
  const { signal } = controller;
  const later = (afterMs: number, work: () => Promise<unknown>): NodeJS.Timeout =>
    setTimeout(() => void work().catch((error) => signal.aborted || onError(error)), afterMs).unref();

  const timers = [
    later(PACK_AFTER_MS, async () => {
      await rememberPlace(dataRoot, root);
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
