import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { realpath } from '../disk/realPath.ts';

/** The project's root: the nearest folder upwards that holds `.git`, else the working directory itself. */
export function findRoot(cwd: string): string {
  const start = realpath(cwd);
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return directory;
    if (directory === dirname(directory)) return start;
  }
}
