/**
 * Finds files that git's configuration includes and hook folders that it names: writing there controls what git runs.
 * Pure.
 */
import { dirname, isAbsolute, join } from 'node:path';

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
    .flatMap((file) => valuesIn(read(file) ?? '', /^core$/i, 'hookspath'))
    .filter((path) => path !== '')
    .map((path) =>
      path.startsWith('~/') ? join(home, path.slice(2)) : isAbsolute(path) ? path : join(worktree, path),
    );
}

const pathsIn = (text: string): readonly string[] => valuesIn(text, /^include(?:if)?$/i, 'path');

const section = /^\s*\[\s*([\w.-]+)\s*(?:"(?:[^"\\]|\\.)*"\s*)?\]/;

/** Returns the values of a setting in the sections with this name, with or without a subsection. */
function valuesIn(text: string, sections: RegExp, name: string): readonly string[] {
  const setting = new RegExp(`^\\s*${name}\\s*=\\s*(.*)$`, 'i');
  let isWanted = false;
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\\\r?\n/g, '')
    .split(/\r?\n/)
    .flatMap((line) => {
      const head = section.exec(line);
      if (head !== null) isWanted = sections.test(head[1] ?? '');
      const written = setting.exec(line.slice(head?.[0].length ?? 0))?.[1];
      return isWanted && written !== undefined ? [plainValue(written)] : [];
    });
}

/** Removes quotes, escapes and a trailing comment. */
function plainValue(written: string): string {
  const pieces = written.match(/"(?:[^"\\]|\\.)*"|\\.|[^"\\#;]|[#;].*$/g) ?? [];
  return pieces
    .filter((piece) => !/^[#;]/.test(piece))
    .map((piece) => (piece.startsWith('"') ? piece.slice(1, -1) : piece))
    .join('')
    .replace(/\\(.)/g, '$1')
    .trim();
}
