/** Finds which of a few names exist in a directory; checks the disk again only after the directory has changed. */
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CacheStore } from '../storage/CacheStore.ts';
import { stampOf } from './memoryFiles.ts';

/** Maximum directories to cache. */
const MAX_REMEMBERED = 256;
/**
 * Time in milliseconds after a change in which another change may get the same timestamp: the resolution of file
 * systems is up to two seconds (FAT). Git's index treats such "racy" entries alike.
 */
const COARSEST_CLOCK_MS = 2000;

export class PresentNames {
  readonly #names: readonly string[];
  readonly #now: () => number;
  readonly #known = new CacheStore<{ readonly stamp: string; readonly names: readonly string[] }>(
    MAX_REMEMBERED,
    Number.POSITIVE_INFINITY,
  );

  /** `now`: milliseconds since the epoch. */
  constructor(names: readonly string[], now: () => number = Date.now) {
    this.#names = names;
    this.#now = now;
  }

  /** The existing names, in the given order; includes broken links. */
  async in(directory: string): Promise<readonly string[]> {
    const info = await stat(directory).catch(() => undefined);
    if (info === undefined) return [];
    const stamp = stampOf(info);
    const known = this.#known.get(directory);
    if (known?.stamp === stamp) return known.names;
    const isThere = await Promise.all(this.#names.map((name) => exists(join(directory, name))));
    const names = this.#names.filter((_, index) => isThere[index]);
    const isSettled = this.#now() - Math.max(info.mtimeMs, info.ctimeMs) > COARSEST_CLOCK_MS;
    if (isSettled) this.#known.set(directory, { stamp, names });
    return names;
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
