import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The project's root: the nearest folder upwards that holds `.git`, else the working directory itself. */
export function findRoot(cwd: string): string {
  const start = realpath(cwd);
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return directory;
    if (directory === dirname(directory)) return start;
  }
}

/** No system opens a longer one, even relative to the longest directory. */
const MAX_PATH = 8192;

/** Resolves the links of the deepest part of a path that exists; the rest is kept as it is. */
export function realpath(path: string): string {
  if (path.length > MAX_PATH) return path;
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realpath(parent), basename(path));
  }
}

/** Whether there is a directory of that name, or a link to one. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
