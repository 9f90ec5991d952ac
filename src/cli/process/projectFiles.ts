import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { openIgnorePipes } from '../../disk/ignorePipes.ts';
import { type LookUpPlace, ownEnvironment } from './lookUp.ts';

/** Maximum number of files that `@` completion offers; larger repositories are completed folder by folder. */
const MAX_FILES = 50_000;

/** Returns project files not ignored by git, relative to the working directory, for `@` completion. */
export async function listFiles(place: LookUpPlace, cwd: string): Promise<string[]> {
  const { root } = place;
  const rg = await import('@vscode/ripgrep').then((module) => module.rgPath).catch(() => 'rg');
  return new Promise((resolve) => {
    const args = ['--files', '--hidden', '--glob', '!.git', '--no-messages', '--null', root];
    const env = ownEnvironment(place);
    const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 20_000 };
    const child = execFile(rg, args, { env, ...limits }, (_error, stdout) => {
      // If an error occurs after some output (an unreadable folder), the list is still useful.
      const paths = stdout
        // A file name may contain a line feed, so the list is separated by NUL.
        .split('\0')
        .filter((path) => path !== '')
        .slice(0, MAX_FILES);
      resolve(paths.map((path) => relative(cwd, path)).sort());
    });
    openIgnorePipes(child, root);
  });
}
