/**
 * Finds files that git's configuration includes and hook folders that it names: writing there controls what git runs.
 * Pure.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { readGitSettings } from './gitSettings.ts';

/** More than any real configuration includes. */
const MAX_FILES = 50;

/**
 * Returns all files, absolute, that the given git configurations include, directly or indirectly. Conditions count as
 * met, and files need not exist. `read` returns a file's text or undefined. Source: git-config, Includes.
 */
export function gitIncludes(
  configurations: readonly string[],
  home: string,
  read: (path: string) => string | undefined,
): readonly string[] {
  const included = new Set<string>();
  const waiting = [...configurations];
  // The loop also visits files appended to `waiting` in its body.
  for (const file of waiting)
    for (const path of pathsIn(read(file) ?? '')) {
      const target = path.startsWith('~/')
        ? join(home, path.slice(2))
        : isAbsolute(path)
          ? path
          : join(dirname(file), path);
      if (included.has(target) || included.size >= MAX_FILES) continue;
      included.add(target);
      waiting.push(target);
    }
  return [...included];
}

/**
 * Returns the hook folders, absolute, that git configurations and their includes set for a repository with this
 * worktree. Source: git-config, core.hooksPath: a relative path is relative to the folder where hooks run.
 */
export function gitHookFolders(
  configurations: readonly string[],
  { home, worktree }: { readonly home: string; readonly worktree: string },
  read: (path: string) => string | undefined,
): readonly string[] {
  const files = [...configurations, ...gitIncludes(configurations, home, read)];
  return files
    .flatMap((file) => valuesIn(read(file) ?? '', /^core$/, 'hookspath'))
    .filter((path) => path !== '')
    .map((path) =>
      path.startsWith('~/') ? join(home, path.slice(2)) : isAbsolute(path) ? path : join(worktree, path),
    );
}

const pathsIn = (text: string): readonly string[] => valuesIn(text, /^include(?:if)?$/, 'path');

/** Returns the values of a setting in the sections with this name, with or without a subsection. */
const valuesIn = (text: string, sections: RegExp, name: string): readonly string[] =>
  readGitSettings(text).settings.flatMap(({ section, key, value }) =>
    sections.test(section) && key === name && value !== undefined ? [value] : [],
  );
