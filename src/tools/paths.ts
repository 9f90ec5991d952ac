/** Converts paths as models write them to absolute paths, and absolute paths to short ones for display. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

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

/** True if `path` is `folder` or inside it; both absolute. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path relative to `base` if it is inside; otherwise unchanged. */
export function shortPath(path: string, base: string): string {
  if (!isBelow(path, base)) return path;
  return relative(base, path) || '.';
}
