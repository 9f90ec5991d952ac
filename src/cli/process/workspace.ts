import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { realpath } from '../../disk/realPath.ts';

/**
 * The project's root: the nearest folder upwards that holds `.git`, else the working directory itself. What another user
 * has put into a folder that everybody may write, such as /tmp, is not the project of who works below it (as git's
 * safe.directory). `uid`: the user running the program; undefined on systems without user ids.
 */
export function findRoot(cwd: string, uid: number | undefined = process.getuid?.()): string {
  const start = realpath(cwd);
  for (let directory = start; ; directory = dirname(directory)) {
    const git = join(directory, '.git');
    if (existsSync(git) && !isPlanted(git, directory, uid)) return directory;
    if (directory === dirname(directory)) return start;
  }
}

function isPlanted(path: string, folder: string, uid: number | undefined): boolean {
  if (uid === undefined) return false;
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  return owner !== 0 && owner !== uid && (statSync(folder).mode & 0o002) !== 0;
}
