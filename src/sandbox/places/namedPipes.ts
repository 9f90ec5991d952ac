/**
 * Finds named pipes outside writable places: a read-only mount does not keep a command from writing to one, and the
 * program at the other end may obey what it reads.
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { resolved } from '../../disk/fileLookups.ts';
import { createFolderWalk } from '../../disk/folderWalk.ts';

/** Each is a mount. */
const MAX_PIPES = 50;
/** Matches no folder, so the walk leaves none out. */
const NO_NAME = /^$/;

/**
 * Creates a function that finds the pipes this user can write to: in the home, in `/run`, in the folders there, and
 * directly in the temporary folders. It rereads a folder only if it has changed. Never rejects.
 */
export function createPipeSearch(): (
  home: string,
  temporary: readonly string[],
) => Promise<readonly string[]> {
  const inTop = walkOf(0);
  const inFolders = walkOf(1);
  return async (home, temporary) => {
    const found: string[] = [];
    for (const [walk, places] of [[inFolders, [home, '/run']] as const, [inTop, temporary] as const])
      for (const place of new Set(places.flatMap(resolved)))
        found.push(...(await walk.inSlices(place)).folders.flatMap((folder) => folder.found));
    return [...new Set(found)].filter(isWritable).slice(0, MAX_PIPES);
  };
}

const walkOf = (maxDepth: number) =>
  createFolderWalk(
    (folder, entries) => ({
      found: entries.filter((entry) => entry.isFIFO()).map(({ name }) => join(folder, name)),
    }),
    { skipped: NO_NAME, maxDepth, maxFolders: 300 },
  );

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
