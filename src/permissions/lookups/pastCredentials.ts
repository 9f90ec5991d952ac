/** Finds whether files ever held a password, token or private key in any version that git keeps. */
import { join, relative } from 'node:path';
import { credentialIn, isCredentialSettings, MAX_KEY_BYTES } from './credentialSettings.ts';
import { ALL_COMMITS } from './gitContent.ts';
import { findObjects, type Git } from './gitObjects.ts';
import type { WordsPlace } from './gitPaths.ts';
import { isPatch } from './patches.ts';

/** With more settings files or versions of them, the answer is true without a search. */
const MAX_FILES = 20;
const MAX_VERSIONS = 1000;
/** The same for patches, and files that may be private keys. */
const MAX_KEYS = 1000;
const MAX_KEY_VERSIONS = 20_000;

/** Commits of a merge or the like in progress, or fetched last: no branch may contain them. gitglossary(7) */
const PSEUDO_REFS = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'ORIG_HEAD',
  'FETCH_HEAD',
];

/**
 * True if one of these settings, patches or possible keys ever held a credential: in the history, in the index (with the sides
 * of a conflict), or in the commits and files among `objects`, which may be on no branch. Also true if that cannot be
 * determined. `paths` are absolute.
 */
export function heldCredentials(
  git: Git,
  place: WordsPlace,
  paths: readonly string[],
  objects: readonly string[],
): boolean {
  const found = findObjects(git, [...objects, ...PSEUDO_REFS], place);
  if (found === undefined || isMore(paths, MAX_FILES, MAX_KEYS)) return true;
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  const places = paths.map((path) => `:(top,literal)${relative(place.worktree, path)}`);
  const raw = ['-z', '--raw', '--no-abbrev', '--no-renames', '--no-relative'];
  const past = git(['log', ...ALL_COMMITS, ...raw, ...commits, '--', ...places]);
  const staged = git(['ls-files', '-z', '--full-name', '--stage', '--', ...places]);
  if (past === undefined || staged === undefined) return true;
  const versions = new Map<string, Set<string>>();
  const add = (id: string, path: string): void =>
    void versions.set(id, (versions.get(id) ?? new Set()).add(path));
  // The content of a submodule is a commit of another repository, which git shows only by its id.
  for (const [, from = '', to = '', before = '', after = '', name = ''] of past.matchAll(change)) {
    if (!from.startsWith('16')) add(before, name);
    if (!to.startsWith('16')) add(after, name);
  }
  for (const [, mode = '', id = '', name = ''] of staged.matchAll(/(\d+) ([\da-f]+) \d\t([^\0]*)\0/g))
    if (!mode.startsWith('16')) add(id, name);
  for (const { type, id } of found)
    if (type === 'blob') for (const path of paths) add(id, relative(place.worktree, path));
  for (const id of versions.keys()) if (/^0+$/.test(id)) versions.delete(id);
  const named = [...versions.values()].map(([name = '']) => join(place.worktree, name));
  if (isMore(named, MAX_VERSIONS, MAX_KEY_VERSIONS) || !dropLarge(git, versions, place)) return true;
  const texts = contentsOf(git, [...versions.keys()]);
  return (
    texts === undefined ||
    [...versions.values()].some((names, at) =>
      [...names].some((name) => credentialIn(join(place.worktree, name), texts[at] ?? Buffer.alloc(0))),
    )
  );
}

/** True if there are more settings or other files than these limits. */
function isMore(paths: readonly string[], settings: number, others: number): boolean {
  const count = paths.filter(isCredentialSettings).length;
  return count > settings || paths.length - count > others;
}

/** Drops files too large for a private key, except settings and patches. False if the sizes are unknown. */
function dropLarge(git: Git, versions: Map<string, Set<string>>, place: WordsPlace): boolean {
  const isKept = (name: string): boolean => isPatch(name) || isCredentialSettings(join(place.worktree, name));
  const others = [...versions].flatMap(([id, names]) => ([...names].some(isKept) ? [] : [id]));
  if (others.length === 0) return true;
  const input = others.map((id) => `${id}\n`).join('');
  const sizes = git(['cat-file', '--batch-check=%(objectsize)'], input)?.trimEnd().split('\n');
  if (sizes?.length !== others.length) return false;
  for (const [at, id] of others.entries()) if (Number(sizes[at]) > MAX_KEY_BYTES) versions.delete(id);
  return true;
}

/** A line of `--raw`, with the name that follows. */
const change = /:(\d+) (\d+) ([\da-f]+) ([\da-f]+) \w+\0([^\0]*)\0/g;

/** The contents of objects, in order; undefined if they are too large, or one is missing. */
export function contentsOf(git: Git, ids: readonly string[]): readonly Buffer[] | undefined {
  if (ids.length === 0) return [];
  const printed = git(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join(''), 'latin1');
  if (printed === undefined) return undefined;
  const contents: Buffer[] = [];
  let at = 0;
  for (const id of ids) {
    const header = printed.slice(at, printed.indexOf('\n', at) + 1);
    const size = Number(/^[\da-f]+ \w+ (\d+)\n$/.exec(header)?.[1] ?? Number.NaN);
    if (!header.startsWith(id) || Number.isNaN(size)) return undefined;
    at += header.length;
    contents.push(Buffer.from(printed.slice(at, at + size), 'latin1'));
    at += size + 1;
  }
  return contents;
}
