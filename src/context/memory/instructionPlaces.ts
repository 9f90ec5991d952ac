/** In which directories instruction files count. Pure. */
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { isInside } from './safeFiles.ts';

/** In each directory the first of these that exists counts; other agents' names are fallbacks. */
export const INSTRUCTION_NAMES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md'] as const;

/** Directories that one look goes into because something near them was touched. */
const MAX_NESTED = 100;
/** No system opens a longer path. */
const MAX_PATH = 4096;
/** What was installed or checked out there was written by strangers, and not for this project. */
const FOREIGN: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'site-packages',
  'vendor',
  'third_party',
  '.venv',
  'venv',
  '.git',
]);

/** From the repository's root down to the working directory, nearest last. */
export function directoriesBetween(root: string, cwd: string): string[] {
  if (!isInside(cwd, root)) return [cwd];
  const chain = [root];
  let directory = root.endsWith(sep) ? root.slice(0, -1) : root;
  for (const part of relative(root, cwd)
    .split(sep)
    .filter((name) => name !== '')) {
    directory += sep + part;
    chain.push(directory);
  }
  return chain;
}

/**
 * The directories below the root that lie above a file that was touched, or above an instruction file that is
 * known already; outermost first, each once, none of `covered`. Relative paths are relative to the root.
 */
export function nestedDirectories(
  touched: Iterable<string>,
  known: Iterable<string>,
  root: string,
  covered: readonly string[],
): string[] {
  const done = new Set(covered);
  const found: string[] = [];
  const files = [...known].filter((path) => INSTRUCTION_NAMES.some((name) => name === basename(path)));
  for (const file of [...files, ...touched]) {
    if (file.length > MAX_PATH) continue;
    const path = resolve(root, file);
    const directory = dirname(path);
    if (done.has(directory) || !isInside(path, root) || isForeign(directory, root)) continue;
    for (const one of directoriesBetween(root, directory)) {
      if (done.has(one)) continue;
      if (found.length >= MAX_NESTED) return found;
      done.add(one);
      found.push(one);
    }
  }
  return found;
}

function isForeign(directory: string, root: string): boolean {
  return relative(root, directory)
    .split(sep)
    .some((name) => FOREIGN.has(name));
}
