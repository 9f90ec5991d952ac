import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { realpath } from '../../disk/realPath.ts';
import { ownProgramEnvironment } from '../../protocol/ownPrograms.ts';

/** Most files that `@` completion offers; a larger repository is completed folder by folder. */
const MAX_FILES = 50_000;

/** Files of the project that git would not ignore, relative to the working directory, for `@` completion. */
export async function listFiles(root: string, cwd: string): Promise<string[]> {
  const rg = await import('@vscode/ripgrep').then((module) => module.rgPath).catch(() => 'rg');
  return new Promise((resolve) => {
    const args = ['--files', '--hidden', '--glob', '!.git', '--no-messages', '--null', root];
    const env = ownProgramEnvironment(process.env, root, realpath);
    execFile(rg, args, { env, maxBuffer: 64 * 1024 * 1024, timeout: 5000 }, (_error, stdout) => {
      // An error after some output (a folder that may not be read) still leaves a useful list.
      const paths = stdout
        // A name may hold a line feed, and what follows it is no path.
        .split('\0')
        .filter((path) => path !== '')
        .slice(0, MAX_FILES);
      resolve(paths.map((path) => relative(cwd, path)).sort());
    });
  });
}
