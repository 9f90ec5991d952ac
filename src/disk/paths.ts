/** Where absolute, normalized paths lie. Compares text only: the caller resolves links. */

import { readlinkSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { lstatOf } from './fileLookups.ts';

/** True if `path` is `folder` or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The number of components of a path, to sort outer places before inner ones. */
export function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}

/** No system opens a longer path, even relative to the longest directory. */
const MAX_PATH = 8192;

/** The limit of Linux. */
const MAX_LINKS = 40;

/**
 * Resolves the links of a path, including those whose target does not exist, since a write would follow them. Missing
 * parts are kept as they are. Never throws.
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

/** Where a symbolic link leads, as written; undefined if the path is no link. */
export function linkAt(path: string): string | undefined {
  // Few paths are links, and an exception for each other one would take ten times as long.
  if (lstatOf(path)?.isSymbolicLink() !== true) return undefined;
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Where programs put temporary files; links not resolved. */
export const temporaryFolders = (): readonly string[] => [tmpdir(), '/tmp', '/var/tmp'];
