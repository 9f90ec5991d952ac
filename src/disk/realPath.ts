import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** No system opens a longer one, even relative to the longest directory. */
const MAX_PATH = 8192;

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Resolves the links of a path, also those that lead to something which does not exist: a write would follow them. What
 * does not exist is kept as it is. Never throws.
 */
export function realpath(path: string): string {
  return resolved(path, MAX_LINKS);
}

function resolved(path: string, links: number): string {
  if (path.length > MAX_PATH) return path;
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const place = resolved(parent, links);
    const target = links > 0 ? linkAt(join(place, basename(path))) : undefined;
    return target === undefined ? join(place, basename(path)) : resolved(resolve(place, target), links - 1);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Whether an absolute path is a folder or lies in it. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);

/** How many folders an absolute path leads through: whatever closes or opens one place comes after what is around it. */
export const depthOf = (path: string): number => path.split('/').filter((part) => part !== '').length;
