/**
 * Finds files whose content in the tree equals the object in git byte for byte. If only line endings and `ident` are
 * converted, equal sizes mean equal bytes, since adding a file to git only ever removes bytes; filters, such as large
 * file storage, and other encodings may do anything.
 */

import type { Pace } from '../scan/Coverage.ts';
import type { IndexEntry } from './readIndex.ts';
import { type GitProgram, runGit } from './runGit.ts';

/** The files whose content git stores unchanged. */
export async function findVerbatim(
  git: GitProgram,
  root: string,
  files: ReadonlyMap<string, IndexEntry>,
  pace: Pace,
): Promise<ReadonlyMap<string, IndexEntry>> {
  const asked = findFiltered(git, root, [...files.keys()], pace);
  await pace.breathe();
  const [sizes, filtered] = await Promise.all([readSizes(git, root, files, pace), asked]);
  const verbatim = new Map<string, IndexEntry>();
  for (const [path, file] of files) {
    if (filtered?.has(path) === false && sizes?.get(file.oid) === file.size) verbatim.set(path, file);
    if (pace.isDue()) await pace.breathe();
  }
  return verbatim;
}

/** Sizes of the existing objects. */
async function readSizes(
  git: GitProgram,
  root: string,
  files: ReadonlyMap<string, IndexEntry>,
  pace: Pace,
): Promise<ReadonlyMap<string, number> | undefined> {
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
  const oids = Array.from(files.values(), (file) => `${file.oid}\n`).join('');
  const output = await runGit(git, root, ['cat-file', '--buffer', format], oids);
  if (output === undefined) return undefined;
  const sizes = new Map<string, number>();
  for (const [, oid = '', size] of output.toString('latin1').matchAll(/^([0-9a-f]+) blob (\d+)$/gm)) {
    sizes.set(oid, Number(size));
    if (pace.isDue()) await pace.breathe();
  }
  return sizes;
}

/** Paths with a filter or a special encoding; undefined if that cannot be determined. */
async function findFiltered(
  git: GitProgram,
  root: string,
  paths: readonly string[],
  pace: Pace,
): Promise<ReadonlySet<string> | undefined> {
  const names = paths.map((path) => `${path.slice(root.length + 1)}\0`).join('');
  const attributes = ['filter', 'working-tree-encoding'];
  const output = await runGit(git, root, ['check-attr', '-z', '--stdin', ...attributes], names);
  if (output === undefined) return undefined;
  const filtered = new Set<string>();
  for (const [, path, value] of output.toString().matchAll(/([^\0]*)\0[^\0]*\0([^\0]*)\0/g)) {
    if (value !== 'unspecified' && value !== 'unset') filtered.add(`${root}/${path}`);
    if (pace.isDue()) await pace.breathe();
  }
  return filtered;
}
