/**
 * Detects protected places that are no longer the file or folder that they were before a command. No sandboxed command
 * can replace them; if one does, or another program, this is what the user has to know.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { lstatOf } from '../../disk/fileLookups.ts';

interface ReplacedPlace {
  readonly path: string;
  /** True if it was a folder. */
  readonly wasFolder: boolean;
}

interface KnownPlaces {
  /** Those where something else is now. */
  replaced(): readonly ReplacedPlace[];
  /** Call when the command has ended. */
  release(): void;
}

/**
 * Remembers places as they are now; links and missing ones are left out. Those in `held` are kept open, so that nothing
 * else gets the inode number of one that is removed.
 */
export function rememberPlaces(paths: readonly string[], held: readonly string[]): KnownPlaces {
  const descriptors = held.flatMap(opened);
  const known = [...new Set([...held, ...paths])].flatMap((path) => {
    const found = lstatOf(path);
    return found?.isDirectory() || found?.isFile() ? [{ path, found, wasFolder: found.isDirectory() }] : [];
  });
  return {
    replaced: () =>
      known.filter(({ path, found }) => {
        const now = lstatOf(path);
        return now !== undefined && (now.ino !== found.ino || now.dev !== found.dev);
      }),
    release() {
      for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    },
  };
}

/** Does not follow links, nor wait for the other end of a pipe. */
function opened(path: string): readonly number[] {
  try {
    return [openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)];
  } catch {
    return [];
  }
}
