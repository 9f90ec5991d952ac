/**
 * The files of ClawdCode itself. It loads parts of them while it runs, outside the sandbox, so nothing that works in the
 * workspace may change them, even if it is installed there or the workspace is a checkout of it.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isDirectory, namesIn } from '../../disk/fileLookups.ts';
import { realpath } from '../../disk/paths.ts';
import { OWN_PACKAGES } from './ownPackages.ts';

/** Folders of `node_modules`: Node, and those of our packages, each with its parts for this machine. */
const FOLDERS = [...new Set(['node', ...OWN_PACKAGES.map((name) => name.split('/')[0] ?? name)])];

/**
 * Returns existing files and folders, links resolved. `packageRoot`: the folder of the installed package. `compiled`: where
 * Node keeps compiled code if NODE_COMPILE_CACHE is set; it runs what it finds there unchecked.
 */
export function ownFiles(
  packageRoot: string,
  node: string = process.execPath,
  compiled: string | undefined = getCompileCacheDir(),
): readonly string[] {
  const places = [
    ...(isInstalled(packageRoot)
      ? // A package in a nested `node_modules` would be loaded instead of the one next to it.
        [packageRoot]
      : ['bin', 'dist', 'package.json'].map((name) => join(packageRoot, name))),
    ...modulesAround(packageRoot).flatMap((folder) =>
      FOLDERS.flatMap((name) => linkedFrom(join(folder, name))),
    ),
    node,
    ...(compiled === undefined ? [] : [compiled]),
  ];
  return [...new Set(places.filter((place) => existsSync(place)).map(realpath))];
}

/**
 * Creates the folders of our packages that are missing, empty, because only existing ones can be protected: a command could
 * create an optional package that ClawdCode then loads. Never throws. `isWritable`: for commands.
 */
export function createOwnFolders(packageRoot: string, isWritable: (path: string) => boolean): void {
  for (const folder of modulesAround(packageRoot).filter(isWritable))
    for (const name of FOLDERS)
      try {
        mkdirSync(join(folder, name));
      } catch {
        // It is there, or this program cannot write there: then commands cannot either.
      }
}

const isInstalled = (packageRoot: string): boolean => basename(dirname(packageRoot)) === 'node_modules';

/** All places where Node looks for the packages of ClawdCode. */
function modulesAround(packageRoot: string): readonly string[] {
  const found: string[] = [];
  for (let folder = packageRoot; ; folder = dirname(folder)) {
    const modules = basename(folder) === 'node_modules' ? folder : join(folder, 'node_modules');
    const isOwn = folder === packageRoot && isInstalled(packageRoot);
    if (!isOwn && !found.includes(modules) && isDirectory(realpath(modules))) found.push(modules);
    if (folder === dirname(folder)) return found;
  }
}

/** A folder and, with pnpm's links, the folders of the packages in it and of the parts next to them. */
function linkedFrom(folder: string): readonly string[] {
  const found = new Set([realpath(folder)]);
  for (const path of found)
    for (const name of namesIn(path)) {
      const target = realpath(join(path, name));
      if (dirname(target) === path || !FOLDERS.includes(basename(dirname(target)))) continue;
      found.add(dirname(target));
    }
  return [...found];
}
