/** The input of a decision: the rules in force, the mode, and where the user works. */
import { basename, dirname } from 'node:path';
import type { IndexPaths } from '../disk/gitIndex.ts';
import type { PermissionDecision, PermissionMode } from '../protocol/permissions.ts';
import type { HomeLink } from './files/protectedNames.ts';
import type { FilesBelow, Selection, TreeEntry } from './lookups/filesBelow.ts';
import type { GitCall, GitSettingsFound } from './lookups/gitSettingPrograms.ts';
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
  /**
   * Additional directories of the workspace, absolute, resolved when the settings were read: see
   * `workspaceFolders`.
   */
  readonly additionalDirectories: readonly string[];
  readonly home: string;
  /** Where commands run. */
  readonly platform: NodeJS.Platform;
  /** Files that settings run outside the sandbox (hooks and the like), absolute, links resolved. */
  readonly executedFiles?: readonly string[];
  /** Files and folders of ClawdCode itself, absolute, links resolved. */
  readonly ownFiles?: readonly string[];
  /** Absolute path of the settings file to which "always" writes. */
  readonly localSettingsFile: string;
}

/** Lookups on disk and in git. All of them block and never throw. */
export interface DiskLookups {
  /** Resolves the links of the deepest existing ancestor; see `realpathForAll`. */
  readonly realpath: (path: string) => string;
  /** The paths to which a shell may expand a path with wildcards; undefined if there are too many. */
  readonly expandGlob: (pattern: string) => readonly string[] | undefined;
  /** The entries at a path and inside it, without following links; undefined if there are too many. */
  readonly listTree: (path: string) => readonly TreeEntry[] | undefined;
  /** The links in a folder, absolute. */
  readonly linksIn: (folder: string) => readonly string[];
  /** The paths in the hidden places of the home that lead elsewhere through links. */
  readonly homeLinks: (home: string) => readonly HomeLink[];
  /** Identifies a file that has several names (hard links); undefined for any other. */
  readonly linkId: (path: string) => string | undefined;
  /** The files in these folders that are secret by their names and have several, by `linkId`. */
  readonly linkedSecrets: (folders: readonly string[]) => ReadonlyMap<string, string>;
  /** True for a directory or a link to one. */
  readonly isDirectory: (path: string) => boolean;
  /** Everything inside a folder, absolute; undefined if there is too much. */
  readonly filesBelow: (folder: string, selection: Selection) => FilesBelow | undefined;
  /** The nearest file with one of these names, in a directory or its parents. */
  readonly findUpwards: (directory: string, names: readonly string[]) => string | undefined;
  /** The text of a file of the project; undefined if there is none, or it is large. */
  readonly readText: (path: string) => string | undefined;
  /** The file, in a directory or its parents, with which a version manager may run another program under this name. */
  readonly toolsFolderNamed: (directory: string, program: string) => string | undefined;
  /** The folder with the settings of the repository that git finds from a directory. */
  readonly gitFolder: (directory: string) => string | undefined;
  /** True for settings, of a repository or a package manager, that hold a password or a token; absent = none do. */
  readonly holdsCredentials?: (path: string) => boolean;
  /** True for any file that contains what looks like a secret, or other files that cannot be searched; absent = none does. */
  readonly holdsAnySecret?: (path: string) => boolean;
  /** The files, absolute, that git includes in its settings for a directory, the user's included. */
  readonly gitIncludes: (directory: string, home: string) => readonly string[];
  /** The top folder of the repository that git finds from a directory. */
  readonly repositoryTop: (directory: string) => string | undefined;
  /** The files in git's index, absolute; undefined if unknown. */
  readonly trackedFiles: (directory: string) => readonly string[] | undefined;
  /** These files and the submodules next to them, absolute; undefined if unknown. */
  readonly trackedPaths: (directory: string) => IndexPaths | undefined;
  /** The files, absolute, whose content a git command shows; runs git. undefined if unknown. */
  readonly gitShows: (
    directory: string,
    shown: Shown,
    workspace: readonly string[],
  ) => readonly string[] | undefined;
  /** True if settings at these paths held a password or token in any version that git may show; runs git. */
  readonly gitHeldCredentials: (
    directory: string,
    paths: readonly string[],
    shown: Shown,
    workspace: readonly string[],
  ) => boolean;
  /**
   * The files, absolute, of which a git command shows a version with a secret: among its objects and the `named` files
   * as for files on disk, otherwise any secret in all files. Runs git. undefined if not all of them can be searched.
   */
  readonly gitSecrets: (
    directory: string,
    shown: Shown,
    workspace: readonly string[],
    named: readonly string[] | undefined,
  ) => readonly string[] | undefined;
  /** True if a message of a commit, tag or note contains a secret; runs git. undefined if not all can be searched. */
  readonly gitMessagesHoldSecret: (directory: string, workspace: readonly string[]) => boolean | undefined;
  /** Why git could not answer the last of these queries; undefined if it did, or if another reason is known. */
  readonly gitProblem?: () => string | undefined;
  /** The file, absolute, that would block git in a directory; undefined if there is none. See `blockingFile`. */
  readonly blocksGit: (directory: string) => string | undefined;
  /** True if git would start programs that the repository found from a directory names. */
  readonly gitRunsPrograms: (directory: string) => boolean;
  /**
   * The setting of that repository, or the hook, that makes git start a program when it runs a subcommand there, with
   * its file; see `gitProgramSetting`.
   */
  readonly gitProgramSetting: (directory: string, call: GitCall) => string | undefined;
  /** The same, but only for settings that lead git to repositories in which commands can write. */
  readonly gitRemoteSetting: (directory: string, call: GitCall) => string | undefined;
  /** The settings, of that repository and of the user, that git would read. */
  readonly gitSettings: (directory: string, home: string) => GitSettingsFound;
  /** True if a read-only git command there may also fetch missing objects, where its environment allows that. */
  readonly gitFetches: (directory: string) => boolean;
  /** The file in the workspace, or controlled by it, that the user's PATH finds for a program's name. */
  readonly projectProgram: (workspace: readonly string[], name: string) => string | undefined;
}

export interface Policy extends PolicyFacts, DiskLookups {
  /**
   * Deny rules do not apply to a folder that a read-only command searches: the caller checks each file in it.
   */
  readonly listsSearched?: true;
  readonly parseCommand: (command: string) => ParsedCommand;
}

/**
 * The project's root and the added directories. A directory no longer counts once its path leads elsewhere: a command
 * may have replaced it with a link.
 */
export function workspaceFolders({
  root,
  additionalDirectories,
  realpath,
}: Pick<Policy, 'root' | 'additionalDirectories' | 'realpath'>): readonly string[] {
  return [root, ...additionalDirectories.filter((directory) => realpath(directory) === directory)];
}

// Combines the decisions about the parts of one call.

const weight = { allow: 0, ask: 1, deny: 2 } as const;

/** The most severe of several decisions, the first among equals; undefined if there are none. */
export function gravest<T extends PermissionDecision>(decisions: readonly T[]): T | undefined {
  return decisions.reduce<T | undefined>(
    (worst, next) => (worst === undefined || weight[next.behavior] > weight[worst.behavior] ? next : worst),
    undefined,
  );
}

/** Maximum number of reasons in an approval prompt. */
const MAX_REASONS = 5;

/** The reasons of all decisions with this result, one per line, up to a limit. */
export function reasonOf(
  decisions: readonly PermissionDecision[],
  behavior: PermissionDecision['behavior'],
): string {
  const reasons = [
    ...new Set(decisions.filter((one) => one.behavior === behavior).map(({ reason }) => reason)),
  ];
  if (behavior === 'allow') return reasons[0] ?? '';
  const shown = reasons.slice(0, MAX_REASONS);
  const more = reasons.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** True for a file or folder that exists. */
export const isThere = (path: string, policy: Policy): boolean =>
  policy.findUpwards(dirname(path), [basename(path)]) === path;

/** True if git tracks a file, or one inside a folder: build output is not tracked. `path`: absolute, links resolved. */
export function isTracked(path: string, policy: Policy): boolean {
  if (!isThere(path, policy)) return false;
  const files = policy.trackedFiles(dirname(path));
  return files === undefined || files.some((file) => file === path || file.startsWith(`${path}/`));
}
