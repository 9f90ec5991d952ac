/** What a command that only reads does look at: files, folders, repositories. Pure. */

import type { Shown } from '../lookups/gitShown.ts';

/** What a read-only command looks at. */
export interface ReadOnlyUse {
  /** Files whose content it shows; may be patterns. */
  readonly contents: readonly string[];
  /** Files of which it shows that they exist, or their size and dates. */
  readonly names: readonly string[];
  /** Folders, or files, of which it shows the content of all that is in them. */
  readonly trees?: readonly Tree[];
  /** Patterns that the shell replaces with the names of files. */
  readonly patterns?: readonly OpenPattern[];
  /** Directories from which git looks for its repository, relative to where the command runs. */
  readonly repositories?: readonly string[];
  /** It shows what it finds in the files that git tracks below these places. */
  readonly tracked?: readonly string[];
  /** It shows the content of the files that git names when asked this way. */
  readonly shown?: readonly Shown[];
  /** Files that, anywhere upwards, make it run something else. */
  readonly versionFiles?: readonly string[];
}

export interface Tree {
  readonly path: string;
  /** Names of which the rest is not looked at, `*.ts`; nothing = every file. */
  readonly only?: readonly string[];
  /** Folders of these names are left out. */
  readonly without?: readonly string[];
  /** Whether files and folders count whose names begin with a dot. */
  readonly hidden: boolean;
  /** Whether what `.gitignore` names is left out. */
  readonly ignores?: boolean;
  /** Only that the files exist is shown; of links, what they lead to. */
  readonly namesOnly?: boolean;
  /** Whether it follows the links that it finds. */
  readonly follows: boolean;
  /** Names with blanks or quotes would be taken for several. */
  readonly plainNames?: boolean;
  /** All that it looks for is code, by the endings of names. */
  readonly codeOnly?: boolean;
}

export interface OpenPattern {
  readonly pattern: string;
  /** Names are split at blanks, and read as patterns once more. */
  readonly bare: boolean;
}

/** Everything that several uses look at. */
export function mergeUses(uses: readonly ReadOnlyUse[]): ReadOnlyUse {
  const [only] = uses;
  if (uses.length === 1 && only !== undefined) return only;
  return {
    contents: [...new Set(uses.flatMap(({ contents }) => contents))],
    names: [...new Set(uses.flatMap(({ names }) => names))],
    trees: uses.flatMap(({ trees = [] }) => trees),
    patterns: uses.flatMap(({ patterns = [] }) => patterns),
    repositories: [...new Set(uses.flatMap(({ repositories = [] }) => repositories))],
    tracked: uses.flatMap(({ tracked = [] }) => tracked),
    shown: uses.flatMap(({ shown = [] }) => shown),
    versionFiles: [...new Set(uses.flatMap(({ versionFiles = [] }) => versionFiles))],
  };
}
