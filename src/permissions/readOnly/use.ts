/** The files, folders and repositories that a read-only command accesses. Pure. */

import type { Shown } from '../lookups/gitShown.ts';

/** Everything that a read-only command accesses. */
export interface ReadOnlyUse {
  /** Files whose content it shows; may be patterns. */
  readonly contents: readonly string[];
  /** Files whose existence, size or dates it shows. */
  readonly names: readonly string[];
  /**
   * It is not known to print only whole lines as they are, of files and of its input: they may be cut, joined or in
   * another form, so that a secret cannot be found in its output.
   */
  readonly rewrites?: boolean;
  /** It prints only names, or numbers about files: nothing that another program could cut a secret out of. */
  readonly printsNoText?: boolean;
  /** It prints what it finds in binary files. */
  readonly printsBinary?: boolean;
  /** Folders, or files, whose entire content it shows. */
  readonly trees?: readonly Tree[];
  /** Patterns that the shell expands to file names. */
  readonly patterns?: readonly OpenPattern[];
  /** Directories from which git looks for its repository, relative to where the command runs. */
  readonly repositories?: readonly string[];
  /** Shows the addresses of remote repositories, which may contain a token. */
  readonly showsAddresses?: boolean;
  /** Shows messages of commits, tags or notes. */
  readonly showsMessages?: boolean;
  /** Shows messages of the reflog: the words of earlier git commands, whose addresses may contain a token. */
  readonly showsReflog?: boolean;
  /** Git shows files as the programs of the user's settings convert them (`diff.*.textconv`). */
  readonly converts?: boolean;
  /** It shows matches in the files that git tracks in these places, relative to each of `repositories`. */
  readonly tracked?: readonly string[];
  /** It shows the content of the files that git lists for these queries in each of them. */
  readonly shown?: readonly Shown[];
  /** Files that, in any parent folder, make it run something else. */
  readonly versionFiles?: readonly string[];
  /** A file that it shows, in the closest parent folder that has one. */
  readonly manifest?: string;
  /** It writes a log, except in the environment of unapproved commands. */
  readonly writesLogs?: boolean;
}

export interface Tree {
  readonly path: string;
  /** Patterns of names, such as `*.ts`, to which it is limited; absent = every file. */
  readonly only?: readonly string[];
  /** Names of folders that are left out. */
  readonly without?: readonly string[];
  /** Whether it includes entries with names that begin with a dot. */
  readonly hidden: boolean;
  /** Whether it excludes what `.gitignore` names. */
  readonly ignores?: boolean;
  /** Shows only that the files exist; for links, their targets. */
  readonly namesOnly?: boolean;
  /** Whether it follows the links that it finds. */
  readonly follows: boolean;
  /** Everything it looks for is code, judging by file extensions. */
  readonly codeOnly?: boolean;
  /** Limited to the files that git tracks, at these paths or with these endings (`*.ts`); empty = all of them. */
  readonly tracked?: readonly string[];
  /** Shows everything in a folder among the tracked files. */
  readonly entersFolders?: boolean;
  /** The files are printed by a program that gets their names: each is judged as if the command named it. */
  readonly isNamed?: boolean;
  /** The names that are found become words of another command. */
  readonly words?: FoundWords;
}

/** The files whose names a command inserts or prints. */
export interface FoundFiles {
  /** Where they are. */
  readonly trees: readonly Tree[];
  /** Folders may be among them. */
  readonly hasFolders: boolean;
  /** The names do not begin with a path, and so may look like options. */
  readonly isBare: boolean;
  /** Each printed name ends with a NUL instead of a line feed. */
  readonly byNul: boolean;
  /** Another program prints only some of them. */
  readonly isFiltered?: boolean;
  /** Names that may be printed although no such file was searched. */
  readonly others?: readonly string[];
}

/** How the names that one command prints become words of another. */
export interface FoundWords {
  /** `xargs`: split at spaces, quotes and backslashes; `shell`: split at spaces, and expanded as patterns. */
  readonly split: 'never' | 'xargs' | 'shell';
  /** They do not begin with a path, so they may look like options. */
  readonly isBare: boolean;
  /** A loop takes one at a time, and may have changed the folder since they were printed. */
  readonly isOne: boolean;
}

export interface OpenPattern {
  readonly pattern: string;
  /** Names are split at spaces, and expanded as patterns again. */
  readonly bare: boolean;
}

/** What git searches and shows if words with a mark, in place of names, may be any path: everything. */
export function withUnknownWords(
  { tracked, shown }: ReadOnlyUse,
  mark: string,
): Pick<ReadOnlyUse, 'tracked' | 'shown'> {
  const isOpen = (one: unknown): boolean => JSON.stringify(one).includes(JSON.stringify(mark).slice(1, -1));
  return {
    ...(tracked && { tracked: tracked.map((word) => (isOpen(word) ? ':/' : word)) }),
    ...(shown && {
      shown: shown.map(
        (one): Shown =>
          isOpen(one)
            ? {
                objects: one.objects.filter((word) => !isOpen(word)),
                ...(one.onDisk && { onDisk: one.onDisk }),
                kind: 'any',
              }
            : one,
      ),
    }),
  };
}

/** Combines several uses. */
export function mergeUses(uses: readonly ReadOnlyUse[]): ReadOnlyUse {
  const [only] = uses;
  if (uses.length === 1 && only !== undefined) return only;
  const manifest = uses.find((use) => use.manifest !== undefined)?.manifest;
  return {
    contents: [...new Set(uses.flatMap(({ contents }) => contents))],
    names: [...new Set(uses.flatMap(({ names }) => names))],
    trees: uses.flatMap(({ trees = [] }) => trees),
    patterns: uses.flatMap(({ patterns = [] }) => patterns),
    repositories: [...new Set(uses.flatMap(({ repositories = [] }) => repositories))],
    ...(uses.some(({ showsAddresses }) => showsAddresses) && { showsAddresses: true }),
    ...(uses.some(({ showsMessages }) => showsMessages) && { showsMessages: true }),
    ...(uses.some(({ showsReflog }) => showsReflog) && { showsReflog: true }),
    ...(uses.some(({ converts }) => converts) && { converts: true }),
    ...(uses.some(({ rewrites }) => rewrites) && { rewrites: true }),
    ...(uses.every(({ printsNoText }) => printsNoText) && { printsNoText: true }),
    ...(uses.some(({ printsBinary }) => printsBinary) && { printsBinary: true }),
    tracked: uses.flatMap(({ tracked = [] }) => tracked),
    shown: uses.flatMap(({ shown = [] }) => shown),
    versionFiles: [...new Set(uses.flatMap(({ versionFiles = [] }) => versionFiles))],
    ...(manifest !== undefined && { manifest }),
    ...(uses.some(({ writesLogs }) => writesLogs) && { writesLogs: true }),
  };
}
