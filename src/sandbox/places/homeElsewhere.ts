/**
 * Finds entries of the home that belong neither to the project nor to a program: documents, other projects. They are
 * hidden from commands that run without approval, as a second line of defense after the check of the command's text.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { lstatOf, namesIn, readSmallText, resolved } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';

export interface HiddenPlace {
  readonly path: string;
  readonly isDirectory: boolean;
  /** The folder cannot be entered. If it appeared empty, git would report tracked files there as deleted. */
  readonly isClosed?: boolean;
  /** It appears as a readable empty file, so that a search that comes across it does not fail. Linux only. */
  readonly isEmpty?: boolean;
}

interface ElsewhereOptions {
  /** Resolved. */
  readonly home: string;
  /** The user's environment, which names program folders. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths that stay visible: workspaces, their git folders, paths that settings and rules allow; resolved. */
  readonly kept: readonly string[];
}

export interface Elsewhere {
  readonly hidden: readonly HiddenPlace[];
  /** Paths inside hidden folders that stay visible. */
  readonly readable: readonly string[];
}

/** Programs on macOS and from snap keep their data there. */
const programFolders = new Set(['Library', 'Applications', 'snap']);
/** Variables that name program folders. */
const naming = /(?:PATH|HOME|ROOT|PREFIX|DIR|SDK|VIRTUAL_ENV)$/;
/** Each is a mount, and a command waits for all of them. With more, the entire home is hidden. */
const MAX_HIDDEN = 300;

/** Returns nothing if the home itself is open. Never throws. */
export function homeElsewhere({ home, env, kept }: ElsewhereOptions): Elsewhere {
  if (home === '/' || kept.some((path) => isInside(home, path))) return { hidden: [], readable: [] };
  const names = namesIn(home);
  const open = [...kept, ...foldersOfPrograms({ home, env, kept }), ...linkTargets(home, names)].filter(
    (path) => path.startsWith(`${home}/`),
  );
  const isOfPrograms = (name: string): boolean => name.startsWith('.') || programFolders.has(name);
  const hidden = names
    .filter((name) => !isOfPrograms(name))
    .map((name) => join(home, name))
    .filter((path) => !open.includes(path))
    .flatMap((path): readonly HiddenPlace[] => {
      const found = lstatOf(path);
      if (found?.isDirectory()) return [{ path, isDirectory: true }];
      return found?.isFile() ? [{ path, isDirectory: false }] : [];
    });
  if (hidden.length > MAX_HIDDEN) {
    const shown = names.filter(isOfPrograms).map((name) => join(home, name));
    return { hidden: [{ path: home, isDirectory: true }], readable: [...new Set([...shown, ...open])] };
  }
  const readable = open.filter((path) => hidden.some((place) => isInside(path, place.path)));
  return { hidden, readable: [...new Set(readable)] };
}

/**
 * The folders that variables name; for a `bin` folder its parent, which also contains the libraries. Leaves out those
 * in the project, which are visible anyway and whose links must not open their targets.
 */
function foldersOfPrograms({ home, env, kept }: ElsewhereOptions): readonly string[] {
  return Object.entries(env)
    .filter(([name]) => naming.test(name) && !/^(?:HOME|OLDPWD|XDG_.*)$/.test(name))
    .flatMap(([, value = '']) => value.split(':'))
    .filter((path) => path.startsWith(`${home}/`) && !kept.some((place) => isInside(path, place)))
    .map((path) => (/^\.?s?bin$/.test(basename(path)) ? dirname(path) : path))
    .flatMap((path) => resolved(path))
    .filter((path) => path !== home);
}

/** Targets of linked dot files, as in a dotfiles repository. */
function linkTargets(home: string, names: readonly string[]): readonly string[] {
  const config = join(home, '.config');
  return [
    ...names.filter((name) => name.startsWith('.')).map((name) => join(home, name)),
    ...namesIn(config).map((name) => join(config, name)),
  ].flatMap((path) => (lstatOf(path)?.isSymbolicLink() ? resolved(path) : []));
}

/** Object folders that a git folder borrows from: `gitrepository-layout(5)`. */
export function borrowedObjects(gitFolder: string): readonly string[] {
  const objects = join(gitFolder, 'objects');
  return (
    readSmallText(join(objects, 'info/alternates'))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => resolved(resolve(objects, line)))
      // The repository is untrusted, and must not open arbitrary folders.
      .filter((path) => basename(path) === 'objects')
  );
}
