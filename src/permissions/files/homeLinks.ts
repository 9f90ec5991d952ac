/**
 * Names that a file has in the home folder besides its own: `~/.config/nvim` may be a link into a project with dot files,
 * and what programs obey there, or keep secret, is known by its name in the home.
 */
import { join, relative } from 'node:path';
import type { Policy } from '../policy.ts';
import { contains } from './filePattern.ts';
import { protectedNames } from './protectedNames.ts';
import { secretFolders } from './sensitive.ts';

/** Absolute paths below the home folder that lead to the same file or folder through a link. */
export function namesInHome(
  realPath: string,
  { home, linksIn, realpath }: Pick<Policy, 'home' | 'linksIn' | 'realpath'>,
): readonly string[] {
  return folders.flatMap((folder) =>
    linksIn(join(home, folder)).flatMap((link) => {
      const target = realpath(link);
      // A link to what is around the home says nothing about what lies there.
      if (contains(target, realpath(home)) || !contains(target, realPath)) return [];
      return [join(link, relative(target, realPath))];
    }),
  );
}

/** Folders of the home in which a link may stand in the place of what a program obeys or keeps secret. */
const folders: readonly string[] = [
  ...new Set([
    '',
    ...secretFolders.flatMap((folder) => [...parentsOf(folder), folder]),
    ...protectedNames.flatMap(({ pattern }) =>
      pattern.startsWith('~/') ? parentsOf(pattern.slice('~/'.length)) : [],
    ),
  ]),
];

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
