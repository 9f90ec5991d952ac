/**
 * Keeps the git processes that we start from waiting forever and from outliving us: git opens whatever a repository
 * has in place of a file, and a pipe without a writer blocks it.
 */
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lstatOf, readSmallText, statOf } from './fileLookups.ts';
import { OWN_GIT_ARGUMENTS } from './ownPrograms.ts';
import { realpath } from './paths.ts';

/**
 * The program and arguments that run git so that it is killed when the thread that started it ends, where the machine
 * can do that: setpriv(1) of util-linux. `program`: git, as a name or path.
 */
export function ownGit(
  args: readonly string[],
  program = 'git',
): { readonly program: string; readonly args: readonly string[] } {
  const all = [...OWN_GIT_ARGUMENTS, ...args];
  setpriv ??= findSetpriv();
  return setpriv === ''
    ? { program, args: all }
    : { program: setpriv, args: [...KILLED_WITH_US, program, ...all] };
}

/** Exit code of setpriv if git is not installed. */
export const NO_GIT = 127;

const KILLED_WITH_US = ['--pdeathsig', 'KILL', '--'];

/** Its path; empty if there is none. */
let setpriv: string | undefined;

function findSetpriv(): string {
  if (process.platform !== 'linux') return '';
  const found = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => statOf(path)?.isFile() === true);
  // That of busybox has no such option.
  return found === undefined || /busybox|toybox/.test(realpathSync(found)) ? '' : found;
}

/** False if git would find no repository from a folder, so that starting it is of no use. */
export function mayHaveRepository(directory: string): boolean {
  // Git looks in the folders around the resolved one.
  for (let at = realpath(resolve(directory)); ; at = dirname(at)) {
    // The second name is that of a bare repository, or of the git folder itself.
    if (['.git', 'HEAD'].some((name) => lstatOf(join(at, name)) !== undefined)) return true;
    if (at === dirname(at)) return false;
  }
}

/** Files of a git folder that git reads for nearly every command, and the bytes that they never exceed. */
const files: Readonly<Record<string, number>> = {
  HEAD: 64 * 1024,
  commondir: 64 * 1024,
  config: 8 * 2 ** 20,
  'config.worktree': 8 * 2 ** 20,
  index: 2 ** 30,
  'packed-refs': 2 ** 30,
  shallow: 2 ** 28,
  'info/exclude': 8 * 2 ** 20,
  'info/attributes': 8 * 2 ** 20,
  'info/grafts': 2 ** 28,
  'objects/info/alternates': 2 ** 20,
  'objects/info/commit-graph': 2 ** 31,
};

/** Files at the top of a worktree that git reads. */
const ofWorktree = ['.gitattributes', '.gitignore', '.gitmodules'];

/**
 * False if git could block or run out of memory on the files of the repository that it would find from a folder: they
 * are pipes, devices, sockets or absurdly large. True if there is no repository. Only the files that git opens first are
 * checked, so a time limit is needed as well.
 */
export function isReadableByGit(directory: string): boolean {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = statOf(join(at, '.git'));
    if (found !== undefined) {
      if (!ofWorktree.every((name) => isPlain(join(at, name), files.config))) return false;
      if (found.isDirectory()) return isReadableFolder(join(at, '.git'));
      if (!isPlain(join(at, '.git'), files.HEAD)) return false;
      const [, folder] = /^gitdir: (.+?)\s*$/.exec(readSmallText(join(at, '.git'))) ?? [];
      return folder === undefined || isReadableFolder(resolve(at, folder));
    }
    // A bare repository, or the git folder itself.
    if (statOf(join(at, 'objects'))?.isDirectory() === true && !isReadableFolder(at)) return false;
    if (at === dirname(at)) return true;
  }
}

function isReadableFolder(folder: string): boolean {
  if (!hasPlainFiles(folder)) return false;
  const [, ref] = /^ref: (refs\/.+?)\s*$/.exec(readSmallText(join(folder, 'HEAD'))) ?? [];
  const common = readSmallText(join(folder, 'commondir')).trim();
  const shared = common === '' ? folder : resolve(folder, common);
  if (shared !== folder && !hasPlainFiles(shared)) return false;
  return ref === undefined || [folder, shared].every((place) => isPlain(join(place, ref), files.HEAD));
}

const hasPlainFiles = (folder: string): boolean =>
  Object.entries(files).every(([name, maxBytes]) => isPlain(join(folder, name), maxBytes));

/** True for a regular file of at most that size, for a folder, and if nothing is there. */
function isPlain(path: string, maxBytes = 0): boolean {
  const found = statOf(path);
  if (found === undefined || found.isDirectory()) return true;
  return found.isFile() && found.size <= maxBytes;
}
