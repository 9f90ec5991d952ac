/** Looks through a workspace for files with secrets, as `.env` is one. */
import { join } from 'node:path';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { isInside } from '../plan.ts';
import { createIndexLook, repositoryAbove } from './indexLook.ts';

/** Each is a mount. */
const MAX_SECRETS = 100;

/**
 * A function that finds the files with secrets in a folder, the nearest first, but for those that git tracks: it shows
 * them anyway, and would take one that is hidden from it for changed. Never throws.
 */
export function createSecretsWalk(
  isSensitive: (path: string) => boolean,
): (root: string) => readonly string[] {
  const lookAtIndex = createIndexLook();
  const walk = createFolderWalk((path, entries) => ({
    found: {
      secrets: entries
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(path, name))
        .filter(isSensitive),
      isRepository: entries.some(({ name }) => name === '.git'),
    },
  }));
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const secrets = folders.flatMap(({ found }) => found.secrets);
    const above = secrets.length === 0 || repositories.includes(root) ? undefined : repositoryAbove(root);
    const repositoryOf = (path: string): string | undefined =>
      repositories.findLast((folder) => isInside(path, folder)) ?? above;
    const tracked = [...new Set(secrets.map(repositoryOf))].flatMap((repository) =>
      repository === undefined
        ? []
        : lookAtIndex(
            repository,
            secrets.filter((path) => repositoryOf(path) === repository),
          ).tracked,
    );
    return secrets.filter((path) => !tracked.includes(path)).slice(0, MAX_SECRETS);
  };
}
