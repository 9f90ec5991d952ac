import { dirname, join, sep } from 'node:path';
import { linkAt, realpath } from '../../disk/paths.ts';

/** Linux's limit. */
const MAX_LINKS = 40;

/** Paths on Linux that depend on the process: its working directory, its root, its open files. */
const ofProcess = /^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/;

/**
 * Resolves a path like `realpath`, but stops at a process folder: `/proc/self/cwd` is a different folder for us than
 * for a command that starts elsewhere.
 */
export function realpathForAll(path: string): string {
  const real = realpath(path);
  return real === path ? real : (processPlaceOn(path) ?? real);
}

/** True if a resolved path means something different in each process. */
export const dependsOnProcess = (realPath: string): boolean => ofProcess.test(realPath);

/** The path from where it enters a process folder; undefined if it does not. */
function processPlaceOn(path: string): string | undefined {
  const rest = path.split(sep).reverse();
  let place = '/';
  for (let links = 0; rest.length > 0; ) {
    const name = rest.pop() ?? '';
    if (name === '' || name === '.') continue;
    const next = name === '..' ? dirname(place) : join(place, name);
    if (ofProcess.test(next)) return join(next, ...rest.reverse());
    const target = name === '..' ? undefined : linkAt(next);
    if (target === undefined || ++links > MAX_LINKS) place = next;
    else {
      rest.push(...target.split(sep).reverse());
      if (target.startsWith('/')) place = '/';
    }
  }
  return undefined;
}
