/** What a decision is made from: the rules in force, the mode, and where the user works. */
import type { PermissionMode } from '../protocol/permissions.ts';
import type { FilesBelow, Selection, TreeEntry } from './lookups/filesBelow.ts';
import type { Shown } from './lookups/gitShown.ts';
import type { SourcedRule } from './rules/rules.ts';
import type { ParsedCommand } from './shell/parsedCommand.ts';

/** The part that is plain data, so that it can be sent to a thread. */
export interface PolicyFacts {
  readonly mode: PermissionMode;
  readonly rules: readonly SourcedRule[];
  /** The project's root, absolute. */
  readonly root: string;
  /** Where the program was started: a folder of the project; absent = its root. */
  readonly startDirectory?: string;
  /** Further directories that count as the workspace, absolute. */
  readonly additionalDirectories: readonly string[];
  readonly home: string;
  /** Absolute path of the settings file that "always" writes to. */
  readonly localSettingsFile: string;
}

/** What a decision asks the disk and git about. All of it blocks. */
export interface DiskLookups {
  /** Resolves links of the deepest existing ancestor; see `realpathForAll`. Never throws. */
  readonly realpath: (path: string) => string;
  /** The paths that a shell may make of one with wildcards; undefined when there are too many; never throws. */
  readonly expandGlob: (pattern: string) => readonly string[] | undefined;
  /** What stands at a path and below it, without following links; undefined when that is too much; never throws. */
  readonly listTree: (path: string) => readonly TreeEntry[] | undefined;
  /** The links in a folder, absolute; never throws. */
  readonly linksIn: (folder: string) => readonly string[];
  /** Whether there is a directory of that name, or a link to one; never throws. */
  readonly isDirectory: (path: string) => boolean;
  /** Everything below a folder, absolute; undefined when there is too much; never throws. */
  readonly filesBelow: (folder: string, selection: Selection) => FilesBelow | undefined;
  /** The nearest file of one of these names, in a directory or above it; never throws. */
  readonly findUpwards: (directory: string, names: readonly string[]) => string | undefined;
  /** The file, in a directory or above it, that has version managers run tools from a folder; never throws. */
  readonly toolsFolderNamed: (directory: string) => string | undefined;
  /** The folder with the settings of the repository that git would find from a directory; never throws. */
  readonly gitFolder: (directory: string) => string | undefined;
  /** The files, absolute, that git includes in its settings for a directory, the user's own among them; never throws. */
  readonly gitIncludes: (directory: string, home: string) => readonly string[];
  /** The files that git has in its index, absolute; undefined = not known; never throws. */
  readonly trackedFiles: (directory: string) => readonly string[] | undefined;
  /** The files, absolute, of which a git command shows the content; asks git. undefined = not known; never throws. */
  readonly gitShows: (directory: string, shown: Shown) => readonly string[] | undefined;
  /** Whether git would start programs that the repository found from a directory names; never throws. */
  readonly gitRunsPrograms: (directory: string) => boolean;
}

export interface Policy extends PolicyFacts, DiskLookups {
  readonly parseCommand: (command: string) => ParsedCommand;
}
