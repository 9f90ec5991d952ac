/** Suggests names similar to a missing one, so that a typo in a path costs one step instead of three. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { count } from '../../protocol/text/numbers.ts';
import { quotedName } from '../../protocol/text/visible.ts';

const MAX_NAMES = 2000;
const MAX_SUGGESTIONS = 5;

/**
 * Returns the real path of a file that exists for the session's sandboxed commands, in their private temporary folder,
 * and not at `path`; undefined if there is none.
 */
export type SandboxPathLookup = (path: string) => string | undefined;

/**
 * A hint for a path that does not exist. `sandboxPath` is where the session's commands have the file. `fromRoot` is the
 * same path resolved against the project root, since models keep using root-relative paths after a `cd`. It is suggested
 * but never opened instead, because the shell's directory may have a file of that name too. Otherwise suggests the most
 * similar names in the same directory, or the deepest directory that exists.
 */
export async function suggestForMissing(
  path: string,
  fromRoot: string,
  sandboxPath?: string,
): Promise<string> {
  if (sandboxPath !== undefined)
    return ` Only the commands of this session have it, in their private temporary folder: use ${sandboxPath}`;
  if (fromRoot !== path && (await exists(fromRoot))) return ` Did you mean ${fromRoot}?`;
  const directory = dirname(path);
  const names = await readdir(directory).catch(() => undefined);
  if (names === undefined) {
    if (directory === path) return '';
    const existing = await deepestExisting(directory);
    return ` Its directory does not exist either; the deepest one that does is ${existing}.`;
  }
  const similar = similarNames(basename(path), names.slice(0, MAX_NAMES));
  if (similar.length === 0) return ' Use Glob to find it.';
  return ` Did you mean ${similar.map((name) => join(directory, name)).join(' or ')}?`;
}

/** The names that differ from `wanted` by case, extension or a few letters; nearest first. */
function similarNames(wanted: string, names: readonly string[]): string[] {
  const stem = (name: string): string => basename(name, extname(name)).toLowerCase();
  return names
    .map((name) => {
      const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
      return { name, distance: stem(name) === stem(wanted) ? Math.min(distance, 1) : distance };
    })
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

async function deepestExisting(directory: string): Promise<string> {
  const parent = dirname(directory);
  const isThere = await readdir(directory).then(
    () => true,
    () => false,
  );
  return isThere || parent === directory ? directory : deepestExisting(parent);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Levenshtein distance with two rows of numbers. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

// Files and folders that prompts mention.

const MAX_LISTED = 200;
/** Maximum names read; a folder may have millions. */
const MAX_NAMES_READ = 20_000;

/** The kind of entry at a path, following links; undefined if there is no file or folder. */
export async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isDirectory() === true) return 'folder';
  return info?.isFile() === true ? 'file' : undefined;
}

/** True if all of the paths are in `root`. Links in them must be resolved. */
export const areInside = (paths: readonly string[], root: string): boolean =>
  paths.every((path) => isInside(path, root));

/** Folders first, then files, each on a line. Rejects with system errors. */
export async function listFolder(path: string): Promise<{ readonly text: string; readonly summary: string }> {
  const all = (await readdir(path, { withFileTypes: true })).slice(0, MAX_NAMES_READ);
  const names = all
    .map((entry) => ({ name: quotedName(entry.name), isFolder: entry.isDirectory() }))
    .sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name));
  const shown = names.slice(0, MAX_LISTED).map(({ name, isFolder }) => `${name}${isFolder ? '/' : ''}`);
  const more = names.length - shown.length;
  return {
    text: [...shown, ...(more === 0 ? [] : [`(${count(more, 'more name')}; use Glob to find files.)`])].join(
      '\n',
    ),
    summary: count(names.length, 'name'),
  };
}
