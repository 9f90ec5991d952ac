/**
 * Caches of package managers and compilers that fail without a place to write to. The real ones in the home stay
 * unwritten: what a confined command puts there would be run by others. Names as in each program's documentation. Pure.
 */
import { join } from 'node:path';

const folders: Readonly<Record<string, string>> = {
  npm_config_cache: 'npm',
  YARN_CACHE_FOLDER: 'yarn',
  GOCACHE: 'go-build',
  UV_CACHE_DIR: 'uv',
  CCACHE_DIR: 'ccache',
};

/** One variable for each, below `root`; programs make the folders themselves. */
export function cacheVariables(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, join(root, folder)]));
}
