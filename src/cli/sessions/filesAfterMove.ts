/**
 * Rewinds of files in a session that started in another folder. If the project was moved, the paths in the log are
 * mapped to the new folder; if the old project still exists, its files are not changed from here.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import type { FileCheckpoints, PathChange, RestoreStep } from '../../protocol/checkpoints.ts';

/**
 * Wraps the port for a session whose log started with the project root `began`; returns it unchanged if `began` is
 * undefined or the same.
 */
export function filesAfterMove<T extends FileCheckpoints>(
  files: T,
  began: string | undefined,
  root: string,
): T {
  if (began === undefined || began === root) return files;
  const isThere = existsSync(began);
  const old = isThere ? realpathSync.native(began) : began;
  const isForeign = ({ path }: PathChange): boolean => isInside(path, old) && !isInside(path, root);
  const here = (change: PathChange): PathChange =>
    isForeign(change) ? { ...change, path: join(root, relative(old, change.path)) } : change;

  return {
    ...files,
    async plan(changes, isShown) {
      if (!isThere) return files.plan(changes.map(here), isShown);
      const { steps } = await files.plan(
        changes.filter((change) => !isForeign(change)),
        isShown,
      );
      const left = new Set(changes.filter(isForeign).map(({ path }) => path));
      return { steps: [...steps, ...[...left].map((path) => refused(path, old))] };
    },
    // Changes in another project may still be shown here.
    diff: (changes) => files.diff(isThere ? changes : changes.map(here)),
  };
}

function refused(path: string, project: string): RestoreStep {
  return {
    path,
    action: 'refuse',
    reason: `it belongs to another project, ${project}`,
    added: 0,
    removed: 0,
  };
}
