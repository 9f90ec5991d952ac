/**
 * Which files lie in the tree byte for byte as git stores them. Where only line ends and `ident` are changed on the
 * way, equal sizes mean equal bytes, since taking a file in only ever removes some; a filter, such as that of large
 * file storage, and another encoding may do anything.
 */

import type { IndexEntry } from './readIndex.ts';
import { type GitProgram, runGit } from './runGit.ts';

/** The paths whose content git has as it is. */
export async function findVerbatim(
  git: GitProgram,
  root: string,
  files: ReadonlyMap<string, IndexEntry>,
): Promise<ReadonlySet<string>> {
  const [sizes, filtered] = await Promise.all([
    readSizes(git, root, new Set([...files.values()].map((file) => file.oid))),
    findFiltered(git, root, [...files.keys()]),
  ]);
  const verbatim = new Set<string>();
  for (const [path, { oid, size }] of files)
    if (filtered?.has(path) === false && sizes?.get(oid) === size) verbatim.add(path);
  return verbatim;
}

/** Sizes of the objects that are there. */
async function readSizes(
  git: GitProgram,
  root: string,
  oids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number> | undefined> {
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
  const output = await runGit(git, root, ['cat-file', '--buffer', format], `${[...oids].join('\n')}\n`);
  if (output === undefined) return undefined;
  const found = output.toString('latin1').matchAll(/^([0-9a-f]+) blob (\d+)$/gm);
  return new Map(Array.from(found, ([, oid = '', size]) => [oid, Number(size)]));
}

/** Paths with a filter or an encoding of their own; undefined where that cannot be known. */
async function findFiltered(
  git: GitProgram,
  root: string,
  paths: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const names = paths.map((path) => `${path.slice(root.length + 1)}\0`).join('');
  const attributes = ['filter', 'working-tree-encoding'];
  const output = await runGit(git, root, ['check-attr', '-z', '--stdin', ...attributes], names);
  if (output === undefined) return undefined;
  const fields = output.toString().split('\0');
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3)
    if (fields[at + 2] !== 'unspecified' && fields[at + 2] !== 'unset') filtered.add(`${root}/${fields[at]}`);
  return filtered;
}
