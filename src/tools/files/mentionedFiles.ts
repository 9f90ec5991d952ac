/** What prompts mention: whether it exists, where it is, and the names in a folder. */
import { readdir, stat } from 'node:fs/promises';
import { isInside } from '../../disk/paths.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { count } from '../units.ts';

const MAX_NAMES = 200;
/** Names that are looked at; a folder may have millions. */
const MAX_LOOKED_AT = 20_000;

/** What is at a path, with links followed; undefined for nothing, and for anything that is not a file or folder. */
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
  const all = (await readdir(path, { withFileTypes: true })).slice(0, MAX_LOOKED_AT);
  const names = all
    .map((entry) => ({ name: quotedName(entry.name), isFolder: entry.isDirectory() }))
    .sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name));
  const shown = names.slice(0, MAX_NAMES).map(({ name, isFolder }) => `${name}${isFolder ? '/' : ''}`);
  const more = names.length - shown.length;
  return {
    text: [...shown, ...(more === 0 ? [] : [`(${count(more, 'more name')}; use Glob to find files.)`])].join(
      '\n',
    ),
    summary: count(names.length, 'name'),
  };
}
