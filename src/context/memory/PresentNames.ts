/** Which of a few names a directory has: asked of the disk again only when the directory itself has changed. */
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CacheStore } from '../storage/CacheStore.ts';
import { stampOf } from './memoryFiles.ts';

/** Directories that are remembered. */
const MAX_REMEMBERED = 256;
/**
 * Milliseconds after a change in which another one may carry the same time: file systems count in steps of up to
 * two seconds (FAT), as Git's index assumes of its "racy" entries.
 */
const COARSEST_CLOCK_MS = 2000;

export class PresentNames {
  readonly #names: readonly string[];
  readonly #now: () => number;
  readonly #known = new CacheStore<{ readonly stamp: string; readonly names: readonly string[] }>(
    MAX_REMEMBERED,
    Number.POSITIVE_INFINITY,
  );

  /** `now`: ms since the epoch. */
  constructor(names: readonly string[], now: () => number = Date.now) {
    this.#names = names;
    this.#now = now;
  }

  /** In the order in which they were given; whatever has such a name, links that lead nowhere included. */
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
