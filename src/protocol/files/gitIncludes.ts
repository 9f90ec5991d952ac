/** Files that git's settings include, and folders with hooks that they name: writing there decides what git runs. Pure. */
import { dirname, isAbsolute, join } from 'node:path';

/** More than anybody includes. */
const MAX_FILES = 50;

/**
 * The files, absolute, that configurations of git include, and those that these include in turn; conditions count as met,
 * and a file may be missing. `read` gives the text of a file, or nothing. Source: git-config, Includes.
 */
export function gitIncludes(
  configurations: readonly string[],
  home: string,
  read: (path: string) => string | undefined,
): readonly string[] {
  const included = new Set<string>();
  const waiting = [...configurations];
  // It grows meanwhile.
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
 * The folders for hooks that configurations of git, and what these include, name for a repository with this worktree;
 * absolute. Source: git-config, core.hooksPath: a relative path is that of the folder where hooks run.
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

const section = /^\s*\[\s*([\w.-]+)\s*(?:"(?:[^"\\]|\\.)*")?\s*\]/;

/** The values of a setting in sections of some name, with or without a second part. */
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

/** Without quotes, escapes and a comment at the end. */
function plainValue(written: string): string {
  const pieces = written.match(/"(?:[^"\\]|\\.)*"|\\.|[^"\\#;]|[#;].*$/g) ?? [];
  return pieces
    .filter((piece) => !/^[#;]/.test(piece))
    .map((piece) => (piece.startsWith('"') ? piece.slice(1, -1) : piece))
    .join('')
    .replace(/\\(.)/g, '$1')
    .trim();
}
