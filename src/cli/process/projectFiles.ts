import { relative } from 'node:path';
import { realpath } from '../../disk/paths.ts';
import { type LookUpPlace, ownEnvironment } from './lookUp.ts';

/** Maximum number of files that `@` completion offers; larger repositories are completed folder by folder. */
const MAX_FILES = 50_000;

/** Returns project files not ignored by git, relative to the working directory, for `@` completion. */
export async function listFiles(place: LookUpPlace, cwd: string): Promise<string[]> {
  const { root } = place;
  const { searchFolder } = await import('../../tools/search/searchFolder.ts');
  // If an error occurs after some output (an unreadable folder), the list is still useful. Empty if the folder has moved.
  const found = await searchFolder({
    args: ['--files', '--hidden', '--glob=!.git', '--no-messages', '--null'],
    separator: '\0',
    place: { path: root, realPath: realpath(root) },
    ...{ cwd: root, root, env: ownEnvironment(place), signal: new AbortController().signal },
    pathOf: () => undefined,
  }).catch(() => undefined);
  const paths = (found?.items ?? []).slice(0, MAX_FILES);
  return paths.map((path) => relative(cwd, `${root}/${path}`)).sort();
}
