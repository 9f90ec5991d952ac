/** Converts paths as models write them to absolute paths, and absolute paths to short ones for display. */
import { join, relative, resolve } from 'node:path';
import { isInside } from '../disk/paths.ts';

/** Resolves a path against `cwd`; expands `~` to the user's home and accepts `file://` URLs. */
export function absolutePath(path: string, cwd: string, home: string): string {
  const plain = path.startsWith('file:///') ? pathOfUrl(path) : path;
  if (plain === '~') return home;
  if (plain.startsWith('~/')) return join(home, plain.slice(2));
  return resolve(cwd, plain);
}

function pathOfUrl(url: string): string {
  const path = url.slice('file://'.length);
  try {
    return decodeURIComponent(path);
  } catch {
    // An invalid percent sequence: the path was never encoded.
    return path;
  }
}

/** The path relative to `base` if it is inside; otherwise unchanged. */
export function shortPath(path: string, base: string): string {
  if (!isInside(path, base)) return path;
  return relative(base, path) || '.';
}
