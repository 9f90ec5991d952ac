/**
 * Devices in place of ignore files (a link `.gitignore` to `/dev/zero`), which ripgrep would read without an end. A folder
 * with such a file is left out of a search of the folders above; a search in it reads no ignore files of that kind.
 */
import { basename, join, relative } from 'node:path';
import { type SpecialFile, specialIgnoreFiles, specialIgnoreFilesBelow } from '../../disk/ignorePipes.ts';
import { isInside } from '../../disk/paths.ts';
import type { ResolvedPath } from '../../disk/realFile.ts';
import { shortPath } from '../paths.ts';

/** For more, the search fails. */
const MAX_DEVICES = 100;

/** Those of the place and its parents; looked up before each search. */
export const devicesAbove = (place: ResolvedPath): readonly SpecialFile[] =>
  specialIgnoreFiles(place.realPath).filter(({ isPipe }) => !isPipe);

/** Those of all folders in the place; looked up after a search that did not end. */
export async function devicesBelow(
  place: ResolvedPath,
  signal: AbortSignal,
): Promise<readonly SpecialFile[]> {
  const found: SpecialFile[] = [];
  for await (const one of specialIgnoreFilesBelow(place.realPath, signal))
    if (!one.isPipe && one.folder !== place.realPath && found.length < MAX_DEVICES) found.push(one);
  return found;
}

/** The arguments with which ripgrep, running in `cwd`, opens none of these devices. */
export function argumentsAround(
  devices: readonly SpecialFile[],
  place: ResolvedPath,
  cwd: string,
): readonly string[] {
  const base = shortPath(place.path, cwd);
  return devices.map(({ path, folder }) => {
    if (isAround(folder, place)) return kindOption(basename(path));
    // A pattern applies to the path that ripgrep prints; within its directory, to the one relative to that.
    const written = join(base, relative(place.realPath, folder));
    const pattern = written.replace(/[\\*?[\]{}]/g, '\\$&');
    return `--glob=!${written.startsWith('/') ? '**' : '/'}${pattern}`;
  });
}

/** True if its patterns would apply to all of the place. */
const isAround = (folder: string, place: ResolvedPath): boolean => isInside(place.realPath, folder);

function kindOption(name: string): string {
  if (name === '.gitignore') return '--no-ignore-vcs';
  return name === 'exclude' ? '--no-ignore-exclude' : '--no-ignore-dot';
}

/** The notes for the model about them. */
export const deviceNotes = (
  devices: readonly SpecialFile[],
  place: ResolvedPath,
  cwd: string,
): readonly string[] =>
  devices.map(({ path, folder }) => {
    const what = `${shortPath(path, cwd)} is a device and not a file`;
    if (isAround(folder, place)) return `(${what}, so files that ${basename(path)} files list are included.)`;
    return `(${what}, so ${shortPath(folder, cwd)} was left out. Pass it as path to search it.)`;
  });
