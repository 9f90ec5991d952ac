/** Finds files inside and above a folder. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entriesForAll, entriesOf, isClosed, readFileNow } from '../../disk/fileLookups.ts';
import { globsOverlap } from '../files/globOverlap.ts';
import { isSensitive } from '../files/sensitive.ts';

/** Maximum entries read below one folder: they take about half a second, and two seconds. */
const MAX_ENTRIES = 50_000;
const MAX_ENTRIES_IF_LARGE = 250_000;

export interface FilesBelow {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly links: readonly string[];
}

export interface Selection {
  /** Whether to include entries whose names begin with a dot. */
  readonly hidden: boolean;
  /** Names of folders to leave out. */
  readonly without?: readonly string[];
  /** Whether to read more entries, since searches for code are common in large folders. */
  readonly codeOnly?: boolean;
  /** Whether to leave out files and folders that `.gitignore` names by a plain name or ending. */
  readonly ignores?: boolean;
}

/**
 * Everything inside a folder, absolute, or the file itself. Undefined if there is too much, or if it contains a folder
 * or link whose name is not UTF-8, a folder that only other programs may be able to read, or an ignore file that is a
 * link to something outside or to no list of patterns. Does not follow links, and skips folders that this user may not
 * read. `env` tells where the user's own ignore file is.
 */
export function filesBelow(
  top: string,
  selection: Selection,
  env: Readonly<Record<string, string | undefined>> = {},
): FilesBelow | undefined {
  const files: string[] = [];
  const folders: string[] = [];
  const links: string[] = [];
  if (linksAbove(isDirectory(top) ? top : dirname(top)).some((link) => isForeign(link))) return undefined;
  if (isUnknown(top)) return undefined;
  if (!isDirectory(top)) return { files: [top], folders, links };
  const isGit = selection.ignores === true && isDirectory(join(top, '.git'));
  const above = isGit || !selection.hidden ? unhiddenAbove(dirname(top)) : [];
  const pending: Folder[] = [
    {
      folder: top,
      ignored: above.length === 0 ? new Set() : undefined,
      unhidden: selection.hidden ? [] : [...above, ...unhiddenInAll(env)],
    },
  ];
  const maxEntries = selection.codeOnly === true ? MAX_ENTRIES_IF_LARGE : MAX_ENTRIES;
  let entriesRead = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder } = next;
    // A nested repository has its own ignore rules.
    const isOwn = folder !== top && exists(join(folder, '.git'));
    const ignored = isGit
      ? ignoredBelow(folder, isOwn ? next.ignored && new Set() : next.ignored)
      : undefined;
    const unhidden = selection.hidden ? [] : [...next.unhidden, ...unhiddenBy(folder)];
    const entries = entriesForAll(folder);
    if (entries === undefined) return undefined;
    for (const entry of entries) {
      entriesRead += 1;
      const { name } = entry;
      if (entriesRead > maxEntries || (isMisread(name) && !entry.isFile())) return undefined;
      // Some programs print the lines of an ignore file that they cannot parse.
      if (entry.isSymbolicLink() && ignoreFiles.includes(name)) {
        const link = join(folder, name);
        if (leadsOut(link, top) || isForeign(link)) return undefined;
      }
      if (!selection.hidden && name.startsWith('.') && !isUnhidden(name, folder, unhidden)) continue;
      const path = join(folder, name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (!entry.isDirectory()) {
        if (!entry.isFile() || !isIgnoredFile(name, ignored)) files.push(path);
      } else if (
        ignored?.has(name) !== true &&
        ignored?.has(`${name}/`) !== true &&
        selection.without?.includes(name) !== true
      ) {
        folders.push(path);
        pending.push({ folder: path, ignored, unhidden });
      }
    }
  }
  return { files, folders, links };
}

/** True if we cannot look up a path, but other programs may be able to. */
function isUnknown(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return !isClosed(error) && !/^(?:ENOTDIR|ELOOP)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}

interface Folder {
  readonly folder: string;
  /** Undefined if a pattern here or above re-includes something or cannot be read: nothing counts as ignored then. */
  readonly ignored: ReadonlySet<string> | undefined;
  /** Patterns of entries that are included even if hidden, split at slashes. */
  readonly unhidden: readonly (readonly string[])[];
}

/**
 * The files in which rg, ag and fd look for patterns. A pattern that re-includes something or cannot be read counts for
 * all three, whichever of them reads it.
 */
const ignoreFiles = [
  '.gitignore',
  '.ignore',
  '.rgignore',
  '.agignore',
  '.hgignore',
  '.fdignore',
  '.git/info/exclude',
];

function leadsOut(link: string, top: string): boolean {
  try {
    return !realpathSync(link).startsWith(`${realpathSync(top)}/`);
  } catch {
    return false;
  }
}

/** Ignore files in a folder and its parents that are links or reached through one. */
function linksAbove(folder: string): readonly string[] {
  const own = ignoreFiles.map((name) => join(folder, name)).filter((file) => realOf(file) !== file);
  return folder === dirname(folder) ? own : [...own, ...linksAbove(dirname(folder))];
}

/** True if a link leads to a file that is not a list of patterns, judging by its name. */
function isForeign(link: string): boolean {
  const real = realOf(link);
  return isSensitive(real) || !/ignore|exclude/i.test(basename(real));
}

/** The path itself if nothing is there. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The lines `!pattern`: ripgrep searches such entries even if hidden. An unreadable file could contain any pattern.
 */
function unhiddenBy(folder: string): readonly (readonly string[])[] {
  return [...ignoreFiles.map((name) => join(folder, name)), ...excludesOf(folder)].flatMap(unhiddenIn);
}

function unhiddenIn(file: string): readonly (readonly string[])[] {
  const text = readText(file);
  if (text === undefined) return [['*']];
  return text.split('\n').flatMap((line) => {
    const pattern = line.startsWith('!') ? line.slice(1).trimEnd().replace(/\/+$/, '') : '';
    return pattern ? [pattern.split('/').filter((part) => part !== '')] : [];
  });
}

/** The same for the user's own ignore file, which ripgrep finds as git does: gitignore(5), `core.excludesFile`. */
function unhiddenInAll({
  HOME: home = '',
  XDG_CONFIG_HOME: config = join(home, '.config'),
}: Readonly<Record<string, string | undefined>>): readonly (readonly string[])[] {
  const settings = [join(home, '.gitconfig'), join(config, 'git/config')].map((file) => readText(file) ?? '');
  const named = settings.flatMap((text) =>
    [...text.matchAll(/^[^#;\n]*\bexcludesfile\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(([, path = '']) => path),
  );
  const files = [join(config, 'git/ignore'), ...named.map((path) => resolve(home, path.replace(/^~\//, '')))];
  return files.flatMap(unhiddenIn);
}

/** The exclude files of a worktree or submodule, whose `.git` is a file that names the repository's folder. */
function excludesOf(folder: string): readonly string[] {
  const link = join(folder, '.git');
  if (!exists(link) || isDirectory(link)) return [];
  const at = resolve(folder, /^gitdir:[ \t]*(.*)/.exec(readText(link) ?? '')?.[1]?.trimEnd() ?? '.');
  const common = resolve(at, readText(join(at, 'commondir'))?.trimEnd() ?? '');
  return [at, common].map((place) => join(place, 'info/exclude'));
}

const unhiddenAbove = (folder: string): readonly (readonly string[])[] =>
  folder === dirname(folder)
    ? unhiddenBy(folder)
    : [...unhiddenAbove(dirname(folder)), ...unhiddenBy(folder)];

/** True if a pattern may match the name; `src/**` matches only inside a `src` folder. */
function isUnhidden(name: string, folder: string, unhidden: Folder['unhidden']): boolean {
  const parents = folder.split('/');
  return unhidden.some((parts) => {
    const last = parts.at(-1) ?? '*';
    if (!/^\*+$/.test(last)) return globsOverlap(last, name);
    return parts.every((part) => /[*?[{\\]/.test(part) || parents.includes(part));
  });
}

/** True if a line names the file, or all files with its ending. */
const isIgnoredFile = (name: string, ignored: Folder['ignored']): boolean =>
  ignored !== undefined &&
  ignored.size > 0 &&
  (ignored.has(name) || [...name.matchAll(/\./g)].some(({ index }) => ignored.has(`*${name.slice(index)}`)));

/** What is ignored in a folder and below: a plain name, `name/` or `*.ending` in `.gitignore`. */
function ignoredBelow(folder: string, inherited: Folder['ignored']): Folder['ignored'] {
  if (inherited === undefined) return undefined;
  const texts = [...ignoreFiles.map((name) => join(folder, name)), ...excludesOf(folder)].map(plainText);
  if (texts.some((text) => text === undefined || /^[^\S\n]*!/m.test(text))) return undefined;
  const lines = (texts[0] ?? '')
    .split('\n')
    .flatMap((line) => /^([\w.-]+\/?|\*(?:\.[\w-]+)+) *\r?$/.exec(line)?.[1] ?? []);
  return new Set([...inherited, ...lines]);
}

/** Like `readText`, but undefined for what versions of ripgrep read differently: a byte order mark, or no UTF-8. */
function plainText(path: string): string | undefined {
  const found = readFileNow(path, 1_000_000);
  if (found === null) return '';
  const text = found?.toString('utf8');
  return text === undefined || text.startsWith('\ufeff') || text.includes('\ufffd') ? undefined : text;
}

/** The nearest file with one of these names, in a directory or its parents. */
export function findUpwards(directory: string, names: readonly string[]): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const found = names.map((name) => join(at, name)).find((path) => exists(path));
    if (found !== undefined || at === dirname(at)) return found;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Empty if there is no such file; undefined if it cannot be read. */
function readText(path: string): string | undefined {
  const found = readFileNow(path, 1_000_000);
  // Like ripgrep, ignores a byte order mark.
  return found === null ? '' : found?.toString('utf8').replace(/^\ufeff+/, '');
}

/** True for a directory or a link to one. Never throws. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

export interface TreeEntry {
  /** Relative to the given path; empty for the path itself. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** True if a name is not UTF-8: the entry cannot be looked up by the decoded name. */
export const isMisread = (name: string): boolean => name.includes('\ufffd');

/** A larger tree needs approval anyway. */
const MAX_TREE = 1000;

/**
 * The entry at a path and, for a folder, everything inside it, without following links. Empty if nothing exists;
 * undefined if there is too much, or it cannot be read. Never throws.
 */
export function listTree(top: string): readonly TreeEntry[] | undefined {
  try {
    const info = lstatSync(top, { throwIfNoEntry: false });
    if (info === undefined) return [];
    const found: TreeEntry[] = [{ path: '', kind: kindOf(info) }];
    for (const { path, kind } of found) {
      if (kind !== 'folder') continue;
      const entries = readdirSync(join(top, path), { withFileTypes: true });
      for (const entry of entries) found.push({ path: join(path, entry.name), kind: kindOf(entry) });
      if (found.length > MAX_TREE || entries.some(({ name }) => isMisread(name))) return undefined;
    }
    return found;
  } catch (error) {
    // A path inside a file does not exist.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? [] : undefined;
  }
}

/** The links in a folder, absolute. Empty if there is no such folder. Never throws. */
export const linksIn = (folder: string): readonly string[] =>
  entriesOf(folder)
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name));

function kindOf(entry: { isSymbolicLink(): boolean; isDirectory(): boolean }): TreeEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'folder' : 'file';
}
