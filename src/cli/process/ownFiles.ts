/**
 * The files of ClawdCode itself. It loads parts of them while it runs, outside the sandbox, so nothing that works in the
 * workspace may change them, even if it is installed there or the workspace is a checkout of it.
 */
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { realpath } from '../../disk/paths.ts';

/** Programs that ClawdCode starts, as folders of `node_modules`: Node, and ripgrep with its binary for this machine. */
const PROGRAMS = ['node', '@vscode'];

/**
 * Returns existing files and folders, links resolved. `packageRoot`: the folder of the installed package. `compiled`: where
 * Node keeps compiled code if NODE_COMPILE_CACHE is set; it runs what it finds there unchecked.
 */
export function ownFiles(
  packageRoot: string,
  node: string = process.execPath,
  compiled: string | undefined = getCompileCacheDir(),
): readonly string[] {
  const above = dirname(packageRoot);
  // An installed package shares this folder with its dependencies.
  const modules = [join(packageRoot, 'node_modules'), ...(basename(above) === 'node_modules' ? [above] : [])];
  const places = [
    ...['bin', 'dist', 'package.json'].map((name) => join(packageRoot, name)),
    ...modules.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))),
    node,
    ...(compiled === undefined ? [] : [compiled]),
  ];
  return [...new Set(places.filter((place) => existsSync(place)).map(realpath))];
}
