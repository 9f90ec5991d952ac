import { readlinkSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { realpath } from '../../disk/realPath.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** What Linux shows each process of itself or of another: its folder, its root, its open files. */
const ofProcess = /^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/;

/**
 * Resolves a path as `realpath` does, but for one that leads through the folder of a process: `/proc/self/cwd` is another
 * folder to this program than to a command that was started in another. Such a path is followed up to there.
 */
export function realpathForAll(path: string): string {
  const real = realpath(path);
  return real === path ? real : (processPlaceOn(path) ?? real);
}

/** Whether a resolved path leads to something else in each process. */
export const dependsOnProcess = (realPath: string): boolean => ofProcess.test(realPath);

/** The path from where it enters a folder of a process; undefined where it does not. */
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

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
