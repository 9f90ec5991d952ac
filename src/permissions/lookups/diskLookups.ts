import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { entriesOf, lstatOf, readFileNow } from '../../disk/fileLookups.ts';
import { blockingFile } from '../../disk/gitFiles.ts';
import { pathOutside } from '../../disk/ownPrograms.ts';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { isSensitive } from '../files/sensitive.ts';
import type { DiskLookups } from '../policy.ts';
import { holdsAnySecret, holdsCredentials } from './credentialSettings.ts';
import { filesBelow, findUpwards, isDirectory, isMisread, linksIn, listTree } from './filesBelow.ts';
import type { OnGitProblem } from './gitObjects.ts';
import {
  gitFetches,
  gitFolder,
  gitHeldCredentials,
  gitMessagesHoldSecret,
  gitRunsPrograms,
  gitSecrets,
  gitShows,
  includedSettings,
  repositoryTop,
  trackedFiles,
  trackedPaths,
} from './gitPrograms.ts';
import { gitSettingLookups } from './gitSettingPrograms.ts';
import { createHomeLinks } from './homeLinks.ts';
import { realpathForAll } from './realpathForAll.ts';
import { untilChanged } from './untilChanged.ts';
import { toolsFolderLookup } from './versionManagers.ts';

/** Lookups on the real disk, with git run in the user's environment. */
export function diskLookups(env: Readonly<Record<string, string | undefined>>): DiskLookups {
  let problem: string | undefined;
  const onProblem: OnGitProblem = (why) => {
    problem = why;
  };
  return {
    realpath: realpathForAll,
    expandGlob,
    linksIn,
    homeLinks: createHomeLinks(env),
    listTree,
    isDirectory,
    filesBelow: (top, selection) => filesBelow(top, selection, env),
    linkId,
    linkedSecrets: createLinkedSecrets(),
    findUpwards,
    readText: (path) => readFileNow(path, MAX_BYTES)?.toString('utf8'),
    toolsFolderNamed: toolsFolderLookup(env),
    gitFolder,
    holdsCredentials: untilChanged(holdsCredentials),
    holdsAnySecret: untilChanged(holdsAnySecret),
    gitIncludes: includedSettings,
    blocksGit: (directory) => blockingFile(directory, env),
    gitRunsPrograms,
    gitFetches,
    ...gitSettingLookups(env),
    repositoryTop,
    trackedFiles,
    trackedPaths,
    gitShows: gitShows(env, onProblem),
    gitHeldCredentials: gitHeldCredentials(env, onProblem),
    gitSecrets: gitSecrets(env, onProblem),
    gitMessagesHoldSecret: gitMessagesHoldSecret(env, onProblem),
    gitProblem: () => problem,
    projectProgram: (workspace, name) => projectProgram(env, workspace, name),
  };
}

/** Maximum entries read for one pattern; a command that matches more needs approval anyway. */
const MAX_ENTRIES = 5000;

/**
 * The existing paths to which a shell may expand an absolute path with wildcards, in which a backslash escapes the next
 * character; undefined if there are too many. May include paths that the shell would not: `**` matches both as in bash
 * (like `*`) and, as in zsh, at any depth.
 */
function expandGlob(pattern: string): readonly string[] | undefined {
  let entriesRead = 0;
  const list = (directory: string): readonly Dirent[] => {
    if (entriesRead > MAX_ENTRIES) return [];
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      entriesRead += entries.some(({ name }) => isMisread(name)) ? Number.POSITIVE_INFINITY : entries.length;
      return entries;
    } catch {
      // Not a directory, or unreadable: the shell finds nothing there either.
      return [];
    }
  };
  /** With a third star, zsh follows links. */
  const below = (directory: string, follows: boolean): readonly string[] => [
    directory,
    ...list(directory)
      .filter(
        (entry) =>
          !entry.name.startsWith('.') && (entry.isDirectory() || (follows && entry.isSymbolicLink())),
      )
      .flatMap(({ name }) => below(`${directory}/${name}`, follows)),
  ];
  let found: readonly string[] = ['/'];
  for (const part of pattern.split('/').filter((one) => one !== '')) {
    if (!hasGlob(part)) found = found.map((directory) => inside(directory, part));
    else
      found = found.flatMap((directory) => [
        ...(/^\*{2,}$/.test(part) ? below(directory, part.length > 2) : []),
        ...[...list(directory).map(({ name }) => name), ...dots(part)]
          .filter((name) => mayMatch(part, name))
          .map((name) => inside(directory, name)),
      ]);
  }
  return entriesRead > MAX_ENTRIES ? undefined : found;
}

/** Not normalized: `..` after a link is the parent of its target, and `.?/x` matches `../x` in some shells. */
const inside = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

/** In some shells, `.*` also matches the directory and its parent. */
const dots = (part: string): readonly string[] => (part.startsWith('.') ? ['.', '..'] : []);

function mayMatch(part: string, name: string): boolean {
  // A quoted wildcard is an ordinary character.
  if (name === part) return true;
  if (name.startsWith('.') && /^[*?]/.test(part)) return false;
  return globsOverlap(part, name.replace(/[*?[\]{}()]/g, '?'));
}

const MAX_BYTES = 64 * 1024;

/** The first file of that name in the PATH, if `pathOutside` removes its folder, or would after following a link. */
function projectProgram(
  env: Readonly<Record<string, string | undefined>>,
  workspace: readonly string[],
  name: string,
): string | undefined {
  if (name.includes('/')) return undefined;
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const file = join(resolve(workspace[0] ?? '', folder), name);
    if (!existsSync(file)) continue;
    const isOutside = [folder, dirname(realpathForAll(file))].every(
      (place) => pathOutside({ ...env, PATH: place }, workspace, realpathForAll) !== '',
    );
    return isOutside ? undefined : file;
  }
  return undefined;
}

// Finds secrets that also have an ordinary name: a hard link to `.env` is the same file.

/** Secrets behind this many entries are not found; the folders nearest to the top come first. */
const MAX_WALKED = 50_000;

/** Folders whose files share others: packages, and this program's records of objects of git. */
const ordinary = new Set(['node_modules', '.git', '.clawdcode']);

/** Identifies a file that has several names; undefined for any other. Never throws. */
function linkId(path: string): string | undefined {
  const found = lstatOf(path);
  return found?.isFile() === true && found.nlink > 1n ? `${found.dev} ${found.ino}` : undefined;
}

/**
 * Returns a function that finds the files in some folders that are secret by their names and have several, by `linkId`.
 * It searches once for all lookups of one decision. Never throws.
 */
function createLinkedSecrets(): (folders: readonly string[]) => ReadonlyMap<string, string> {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return (folders) => {
    const key = JSON.stringify(folders);
    const found = known.get(key) ?? secretsIn(folders);
    // A decision takes one turn of the event loop.
    if (known.size === 0) setImmediate(() => known.clear());
    known.set(key, found);
    return found;
  };
}

function secretsIn(folders: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pending = [...folders];
  let left = MAX_WALKED;
  // The loop also visits folders appended in its body.
  for (const folder of pending) {
    if (ordinary.has(basename(folder))) continue;
    for (const entry of entriesOf(folder)) {
      left -= 1;
      if (left < 0) return found;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile() && isSensitive(path)) {
        const id = linkId(path);
        if (id !== undefined) found.set(id, path);
      }
    }
  }
  return found;
}
