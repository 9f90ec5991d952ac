/**
 * Paths of files and folders in settings. Each is resolved once, when the settings are read; the result is what the user
 * sees and approves, and what is opened. A path in which a link appears later opens nothing.
 */
import { dirname, join, relative, resolve } from 'node:path';
import { isInside, realpath } from './paths.ts';
import type { ResolvedPath } from './realFile.ts';

interface Base {
  readonly home: string;
  /** The project's root, absolute. */
  readonly root: string;
}

/** Makes a path of the settings absolute: it may be in the home (`~/…`) or relative to the project. */
export function absolutePath(written: string, { home, root }: Base): string {
  return written === '~' || written.startsWith('~/') ? join(home, written.slice(2)) : resolve(root, written);
}

/** Resolves a path of the settings. `path` has no links on the way to the home or the project, but may have others. */
export function resolveSettingsPath(written: string, { home, root }: Base): ResolvedPath {
  const path = absolutePath(written, { home: realpath(home), root: realpath(root) });
  return { path, realPath: realpath(path) };
}

/** True if a link inside the project takes the path outside it: anyone who can change the project can move that link. */
export function leavesProject({ path, realPath }: ResolvedPath, { home, root }: Base): boolean {
  const project = realpath(root);
  // The links of a home are the user's own.
  if (realPath === path || isInside(realPath, project) || project === realpath(home)) return false;
  for (let at = path; at !== dirname(at); at = dirname(at)) if (isInside(realpath(at), project)) return true;
  return false;
}

/** The resolved paths that have not changed; leaves out those in which a link has appeared since. */
export function unmoved(realPaths: readonly string[]): readonly string[] {
  return realPaths.filter((path) => realpath(path) === path);
}

/** For an agent in a worktree, the same files of the worktree replace those of the project. Absolute paths. */
export function pathsInWorktree(
  realPaths: readonly string[],
  { project, worktree }: { readonly project: string; readonly worktree: string },
): readonly string[] {
  if (project === worktree) return realPaths;
  const place = realpath(worktree);
  return realPaths.map((path) => (isInside(path, project) ? join(place, relative(project, path)) : path));
}
