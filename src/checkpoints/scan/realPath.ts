import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { look } from './diskEntry.ts';

/**
 * The path without links on the way to it; the last part is left unchanged, so that a link stays a link. Parts that
 * do not exist are kept.
 */
export function canonicalPath(path: string): string {
  const parent = dirname(path);
  return parent === path ? path : joined(realFolder(parent), basename(path));
}

/** Where a link leads, through further links; undefined for what is not a link, and for a circle. */
export function linkedPath(path: string): string | undefined {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (look(at)?.kind !== 'link') return at === path ? undefined : at;
    at = canonicalPath(resolve(dirname(at), readlinkSync(at)));
  }
  return undefined;
}

const MAX_LINKS = 40;

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : joined(realFolder(parent), basename(folder));
  }
}

const joined = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);
