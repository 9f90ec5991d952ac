/** Paths as models write them, made absolute; absolute paths, made short for people. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Makes a path absolute against `cwd`; `~` is the user's home; a `file://` URL is taken as its path. */
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
    // A lone percent sign: it was never encoded.
    return path;
  }
}

/** Whether `path` is `folder` or lies below it; both absolute. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path relative to `base` where it lies below it, else as it is. */
export function shortPath(path: string, base: string): string {
  if (!isBelow(path, base)) return path;
  return relative(base, path) || '.';
}
