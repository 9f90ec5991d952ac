/**
 * Finds the files whose content a git command shows. Asks git, since only git knows what a diff contains, but passes it
 * object ids rather than words of the command, which subcommands read in different ways.
 */
import { join, relative } from 'node:path';
import { movedNames, stashedNames } from './gitMoves.ts';
import {
  emptyTrees,
  type Found,
  findObjects,
  type Git,
  gitIn,
  isFolder,
  type OnGitProblem,
} from './gitObjects.ts';
import { goesBack, nameFromTop, type WordsPlace, withinPaths } from './gitPaths.ts';
import type { Compared, Listed, Shown } from './gitShown.ts';

/** Each needs a search of the entire history. */
const MAX_BLOBS = 4;
/** Contents that are looked up by name. */
const MAX_ASKED = 1000;

/** A repository as seen from a directory of its worktree. */
export interface ShownPlace {
  readonly worktree: string;
  readonly workspace: readonly string[];
  /** Tracked files whose content on disk may differ from the index, relative to the worktree; undefined = unknown. */
  readonly changed: () => readonly string[] | undefined;
  readonly onProblem: OnGitProblem;
}

/** A file, and its contents that are shown, if these were asked for. */
export interface Version {
  /** Relative to the worktree. */
  readonly name: string;
  readonly ids: readonly string[];
  /** The file on disk may be shown, too. */
  readonly isOnDisk?: true;
  /** It is named as an object, perhaps only by its id. */
  readonly isObject?: true;
}

/** What the search for files needs. */
interface Search extends Pick<ShownPlace, 'changed'> {
  readonly git: Git;
  readonly place: WordsPlace;
  /** The objects among the words. */
  readonly found: readonly Found[];
  /** Whether to ask for contents, too: that takes more time and memory. */
  readonly withIds: boolean;
  /** Then, the only files that count, besides objects; absent = all. */
  readonly only?: readonly string[] | undefined;
}

/** undefined = unknown. */
type Versions = readonly Version[] | undefined;

/** What differs; a moved file has both of its names. */
const listOf = ({ withIds }: Pick<Search, 'withIds'>): readonly string[] => [
  ...(withIds ? ['--raw', '--no-abbrev'] : ['--name-only']),
  ...['-z', '--no-renames', '--no-relative', '--no-ext-diff', '--no-textconv'],
];
const NAMES = listOf({ withIds: false });

/**
 * Runs git in a directory of the worktree and returns absolute paths; undefined if they cannot be determined. Git never
 * compares content on disk here: for that, it would start the filters that attributes and settings name, and settings
 * can change at any time.
 */
export function shownFiles(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  { worktree, workspace, changed, onProblem }: ShownPlace,
  shown: Shown,
): readonly string[] | undefined {
  const place = { worktree, workspace, changed, onProblem };
  const all = versionsShown(env, directory, place, shown, { withIds: false });
  return all && [...new Set(all.map(({ name }) => join(worktree, name)))];
}

/** The same files, or `only` some of them, relative to the worktree, with the contents that are shown. */
export const shownVersions = (
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  place: ShownPlace,
  shown: Shown,
  only: readonly string[] | undefined,
): readonly Version[] | undefined =>
  versionsShown(env, directory, place, shown, { withIds: true, only })?.filter(
    ({ name, isObject }) => isObject === true || only?.includes(name) !== false,
  );

function versionsShown(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  { worktree, workspace, changed, onProblem }: ShownPlace,
  shown: Shown,
  { withIds, only }: Pick<Search, 'withIds' | 'only'>,
): Versions {
  const git = gitIn(env, directory, [worktree, ...workspace], onProblem);
  const place = { worktree, prefix: relative(worktree, directory) };
  // A replaced object shows the content of another: git-replace(1)
  if (git(['for-each-ref', '--count=1', 'refs/replace']) !== '') return undefined;
  if (/^\.\.(?:\/|$)/.test(place.prefix)) return undefined;
  const found = findObjects(git, shown.objects, place);
  if (found === undefined || mayBeUntracked(shown, found, place)) return undefined;
  const { kind, compared = [], listed = [], restored, moves } = shown;
  const search = { git, place, found, changed, withIds, only };
  const exactly = (): Versions => joined(compared.map((one) => comparedNames(one, search)));
  const exact = only?.length === 0 ? [] : kind === 'any' ? undefined : exactly();
  const isWritten = restored !== undefined || compared.some(({ how }) => how === 'search');
  // Git prints names relative to the named folder, not to the root.
  if (found.some(isFolder) && shown.listsFolders !== true && !(isWritten && exact !== undefined))
    return undefined;
  const all = joined([
    namesOfBlobs(git, found),
    exact ?? (withIds ? pastVersions(search) : everyName(git, found)),
    ...listed.map((one) => listedNames(one, search)),
    ...(restored === undefined ? [] : [restoredNames(restored, search)]),
    ...(moves === undefined ? [] : [mergeLists(movedNames(git, moves, () => changed()?.join('\0')))]),
  ]);
  return all?.filter(({ name }) => name !== '');
}

/** True if `git diff` may show untracked files that its words do not name. */
function mayBeUntracked({ onDisk = [] }: Shown, found: readonly Found[], place: WordsPlace): boolean {
  // With a path outside, git compares any two files or folders. A pattern such as `.*` may match `..`.
  const isOutside = (word: string): boolean =>
    nameFromTop(word, place) === undefined || /(?:^|\/)\.[*?[]/.test(word);
  // Git compares a committed file with any file on disk, so that file's path must mean the same to us and to git.
  const isObject = (word: string): boolean =>
    found.some((one) => one.word === word && one.type !== undefined);
  const hasBlob = found.some(({ type }) => type === 'blob');
  const isOdd = (word: string): boolean => !isObject(word) && (word.startsWith(':') || goesBack(word));
  return onDisk.some((word) => isOutside(word) || (hasBlob && isOdd(word)));
}

const joined = (lists: readonly Versions[]): Versions =>
  lists.includes(undefined) ? undefined : lists.flatMap((versions) => versions ?? []);

const named = (name: string): Version => ({ name, ids: [] });

/** The names in several lists; undefined if one of them is unknown. */
function mergeLists(lists: readonly (string | undefined)[]): Versions {
  if (lists.includes(undefined)) return undefined;
  const names = lists.flatMap((text) => text?.split('\0') ?? []);
  // Git prints an empty line after a commit.
  return names
    .flatMap((name) => (name.startsWith('\n') ? [name, name.replace(/^\n+/, '')] : [name]))
    .map(named);
}

/** A line of `--raw`, with the name that follows. The contents of a submodule are commits. */
const change = /:(\d+) (\d+) ([\da-f]+) ([\da-f]+) \w+\0([^\0]*)\0/g;

/** The files in what git printed for the options of `listOf`. */
function mergeChanges(lists: readonly (string | undefined)[], { withIds }: Search): Versions {
  if (!withIds) return mergeLists(lists);
  if (lists.includes(undefined)) return undefined;
  const changes = lists.flatMap((text) => [...(text ?? '').matchAll(change)]);
  return changes.map(([, from = '', to = '', before = '', after = '', name = '']) => ({
    name,
    ids: [...(from.startsWith('16') ? [] : [before]), ...(to.startsWith('16') ? [] : [after])],
  }));
}

/** Commits, and ranges of them, among the operands of a command, and its paths. */
interface Operands {
  readonly commits: readonly Found[];
  readonly ranges: readonly { readonly from: string; readonly to: string; readonly isSymmetric: boolean }[];
  readonly paths: readonly string[];
}

/** A name or id, with at most a reflog number and ancestors: what dates and searches mean changes with time. */
const plainRevision = /^(?!-)(?:[^~^:{]|@\{(?:-?\d{1,5}|u|upstream|push)\})*(?:[~^]\d*)*$/;
/** Forms that stand for several commits, or that exclude some. */
const special = /^\^|\^[@!-]|^-$/;

/** True for a word without anything that only revisions have; dots are part of names, or are folders. */
const isPlainPath = (word: string): boolean =>
  word.startsWith(':') ||
  !(/[~^:{}]/.test(word) || word.split('/').some((part) => part !== '..' && part.includes('..')));

/**
 * Reads the words before `--` as git does: first commits, then paths. Undefined unless each of them is a plain commit,
 * a plain range, or certainly a path.
 */
function operandsOf(
  { words, paths, isSplit }: Compared,
  { git, place, found }: Search,
): Operands | undefined {
  const commits: Found[] = [];
  const ranges: Operands['ranges'][number][] = [];
  const files: string[] = [];
  const objectAt = (word: string): Found | undefined =>
    (word === 'HEAD' ? findObjects(git, [word], place) : found)?.find(
      (one) => one.word === word && one.type !== undefined,
    );
  for (const word of words) {
    const object = objectAt(word);
    const isPlain = plainRevision.test(word) || object?.path !== undefined;
    if (special.test(word) || (object !== undefined && !isPlain)) return undefined;
    const range = word === '..' ? null : /^(.*?)(\.{2,3})(.*)$/.exec(word);
    const [from, to] = range === null ? [] : [objectAt(range[1] || 'HEAD'), objectAt(range[3] || 'HEAD')];
    const isRange = from !== undefined && to !== undefined;
    // Git tries the range first: `HEAD:a..b`. `@{1.day.ago..}` and `HEAD^{/a..b}` are none.
    if (isRange && object !== undefined) return undefined;
    if (isRange && !(plainRevision.test(`${range?.[1]}`) && plainRevision.test(`${range?.[3]}`)))
      return undefined;
    // Before `--`, git takes every word for a commit.
    if (object === undefined && !isRange && (isSplit || !isPlainPath(word))) return undefined;
    if (object === undefined && !isRange) files.push(word);
    else if (files.length > 0) return undefined;
    else if (object !== undefined) commits.push(object);
    else if (from?.type === 'commit' && to?.type === 'commit')
      ranges.push({ from: from.id, to: to.id, isSymmetric: range?.[2] === '...' });
    else return undefined;
  }
  return { commits, ranges, paths: [...files, ...paths] };
}

/** The names of the files whose content a command with a plain form shows; undefined for other forms. */
function comparedNames(compared: Compared, search: Search): Versions {
  const { git, place } = search;
  const { how, words, paths } = compared;
  if (how === 'named') {
    // `git blame` accepts a file and a commit in any order. A commit counts as a file name that does not exist.
    const names = [...words, ...paths].map((word) => nameFromTop(word, place));
    if (names.includes(undefined)) return undefined;
    return namedVersions(
      names.flatMap((name) => name ?? []),
      search,
    );
  }
  if (how === 'stash') {
    const [word = '0'] = words;
    if (search.withIds) return undefined;
    return mergeLists(stashedNames(git, /^\d+$/.test(word) ? `stash@{${word}}` : word));
  }
  const operands = operandsOf(compared, search);
  const names = operands && namesBefore(compared, operands, search);
  if (operands === undefined || operands.commits.some(isFolder)) return names;
  const { has } = withinPaths(operands.paths, place);
  return names?.filter(({ name }) => has(name));
}

/** Files on disk, in the index, and in the commits among the words. */
function namedVersions(names: readonly string[], { git, found, withIds }: Search): Versions {
  if (!withIds) return names.map(named);
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  const asked = names.flatMap((name) =>
    [':0', ...commits].map((commit) => ({ name, word: `${commit}:${name}` })),
  );
  if (asked.length === 0) return [];
  if (asked.length > MAX_ASKED || names.some((name) => name.includes('\n'))) return undefined;
  const input = asked.map(({ word }) => `${word}\n`).join('');
  const lines = git(['cat-file', '--batch-check=%(objecttype) %(objectname)'], input)?.split('\n');
  return (
    lines &&
    asked.map(({ name }, at) => {
      const id = /^blob ([\da-f]+)$/.exec(lines[at] ?? '')?.[1];
      return { name, ids: id === undefined ? [] : [id], isOnDisk: true };
    })
  );
}

/** The same, not limited to paths. */
function namesBefore(compared: Compared, { commits, ranges, paths }: Operands, search: Search): Versions {
  const { git } = search;
  const { how, refs = [], first } = compared;
  const [one, ...more] = commits.map(({ id }) => id);
  const hasBlob = commits.some(({ type }) => type === 'blob');
  const isSingle = ranges.length === 0 && more.length === 0;
  const limit = literally(search.only ?? []);
  const whole = limit.length > 0 ? ['--full-history', '--no-follow'] : [];
  const list = listOf(search);
  const staged = (): Versions =>
    mergeChanges([git(['diff', '--cached', ...list, ...(one ? [one] : []), '--'])], search);
  switch (how) {
    case 'search':
      return ranges.length > 0
        ? undefined
        : joined(commits.map((commit) => filesIn(git, commit, search.withIds)));
    case 'index':
      return isSingle && !hasBlob ? staged() : undefined;
    case 'disk':
      // Committed files are compared with each other, or with a file on disk that the words name.
      if (hasBlob)
        return commits.every(({ type }) => type === 'blob') && ranges.length === 0 ? [] : undefined;
      if (isSingle) return joined([one === undefined ? [] : staged(), changedOnDisk(search)]);
      return between(search, { commits, ranges, paths });
    case 'trees':
      if (hasBlob || one === undefined || ranges.length > 0) return undefined;
      return more.length > 0
        ? between(search, { commits, ranges, paths })
        : changedBy(search, [one], compared);
    default: {
      if (paths.length === 1 && followsRenames(git)) return undefined;
      // `git show` prints only the names in folders, and the names of single files are known.
      const starts = commits.filter(({ type }) => type === 'commit').map(({ id }) => id);
      if (how === 'history' && starts.length < commits.length) return undefined;
      if (how === 'commits' && ranges.length === 0)
        return changedBy(search, commits.length === 0 ? ['HEAD'] : starts, compared);
      const ids = [
        ...starts,
        ...ranges.flatMap(({ from, to, isSymmetric }) => [isSymmetric ? from : `^${from}`, to]),
      ];
      const all = [...refs, ...(ids.length + refs.length === 0 ? ['HEAD'] : ids)];
      // Among commits of the same date, git shows the first one named first.
      const isInOrder =
        [refs, starts, ranges].filter(({ length }) => length > 0).length < 2 &&
        !ranges.some(({ isSymmetric }) => isSymmetric);
      if (first === undefined || paths.length > 0 || !isInOrder)
        return mergeChanges(
          [git(['log', ...LOG, ...whole, ...list, ...mergesShown(compared), ...all, '--', ...limit])],
          search,
        );
      const limited = git(['rev-list', ...first, ...all, '--'])?.split('\n');
      return limited && changedBy(search, limited.filter(Boolean), compared);
    }
  }
}

/** The names that differ between the first of several commits and each other one, or between the ends of a range. */
function between(search: Search, { commits, ranges }: Operands): Versions {
  const { git } = search;
  const tree = (from: string, to: string): string | undefined =>
    git(['diff-tree', '-r', ...listOf(search), from, to]);
  const [first, ...others] = commits.map(({ id }) => id);
  const [range] = ranges;
  if (range === undefined)
    return first === undefined
      ? undefined
      : mergeChanges(
          others.map((other) => tree(first, other)),
          search,
        );
  if (ranges.length > 1 || first !== undefined) return undefined;
  const { from, to, isSymmetric } = range;
  const bases = isSymmetric ? git(['merge-base', '--all', from, to])?.match(/[\da-f]{40,}/g) : [from];
  return bases
    ? mergeChanges(
        bases.map((base) => tree(base, to)),
        search,
      )
    : undefined;
}

const LOG = ['--format=', '--root'];

/** What commits change. */
function changedBy(search: Search, ids: readonly string[], compared: Compared): Versions {
  if (ids.length === 0) return [];
  const input = ids.map((id) => `${id}\n`).join('');
  const options = ['--no-walk', ...LOG, ...listOf(search), ...mergesShown(compared)];
  return mergeChanges([search.git(['log', ...options, '--stdin'], input)], search);
}

/** Files on disk that may differ from the index. */
function changedOnDisk(search: Search): Versions {
  const names = search.changed();
  return names && namedVersions(names, { ...search, found: [] });
}

const mergesShown = ({ merges }: Compared): readonly string[] =>
  merges === 'each' ? ['-m'] : merges === 'first' ? ['--diff-merges=first-parent'] : [];

/** True if the user's settings make git follow renames, which our own calls turn off. */
const followsRenames = (git: Git): boolean =>
  git(['config', '--type=bool', '--get-all', 'log.follow'])?.includes('true') !== false;

/** The names of the files that are written from objects, or from the index. */
function restoredNames(paths: readonly string[], { git, place, found, changed }: Search): Versions {
  if (paths.length === 0) return [];
  const trees = found.filter(({ type }) => type === 'commit' || type === 'tree');
  const staged = trees.map(({ id }) => git(['diff', '--cached', ...NAMES, id, '--']));
  const { has } = withinPaths(paths, place);
  return joined([mergeLists(staged), changed()?.map(named)])?.filter(({ name }) => has(name));
}

/** What the index, or the disk, contains in some places. */
function listedNames(
  { options, paths, isFlagged = false }: Listed,
  { git, place, withIds }: Search,
): Versions {
  const { has, specs } = withinPaths(paths, place);
  const flags = [...(isFlagged ? ['-v'] : []), ...(withIds ? ['--stage'] : [])];
  const lines = git(['ls-files', '-z', '--full-name', ...flags, ...options, '--', ...specs])?.split('\0');
  return (
    lines
      // A lower-case letter means assumed unchanged; S means not checked out.
      ?.filter((line) => !isFlagged || /^[a-zS] /.test(line))
      .map((line) => entryIn(isFlagged ? line.slice(2) : line, withIds))
      .filter(({ name }) => has(name))
  );
}

/** A line that `ls-files --stage` or `ls-tree` prints, or only a name. */
function entryIn(line: string, withIds: boolean): Version {
  const [, id = '', name = ''] = (withIds && /^\d+ (?:blob )?([\da-f]+)(?: \d)?\t(.*)$/s.exec(line)) || [];
  return withIds ? { name, ids: id === '' ? [] : [id] } : named(line);
}

/** All commits, including those only in the reflog. */
export const ALL_COMMITS = [
  '--all',
  '--reflog',
  '--no-follow',
  '--full-history',
  '-m',
  '--root',
  '--format=',
];

/** The names that these contents have ever had; undefined if there is none, or if that is unknown. */
function namesOfBlobs(git: Git, found: readonly Found[]): Versions {
  const blobs = found.filter(({ type }) => type === 'blob');
  const own = blobs.flatMap(({ path, id }) =>
    path === undefined ? [] : [{ name: path, ids: [id], isObject: true } as const],
  );
  // In a conflict, all versions are listed under one name, whatever they were called.
  const isNamed = ({ word, path }: Found): boolean => path !== undefined && !/^:[1-3]:/.test(word);
  const ids = new Set(blobs.filter((one) => !isNamed(one)).map(({ id }) => id));
  if (ids.size === 0) return own;
  if (ids.size > MAX_BLOBS) return undefined;
  const staged = git([...INDEX, '--stage', '--', ':/'])?.split('\0');
  const lists = [...ids].map((id): Versions => {
    const past = git(['log', ...ALL_COMMITS, ...NAMES, `--find-object=${id}`]);
    const now = staged
      ?.filter((line) => line.split(' ')[1] === id)
      .map((line) => line.replace(/^[^\t]*\t/, ''));
    const names = past === undefined || now === undefined ? '' : [past, ...now].join('\0');
    if (names.replace(/[\0\n]/g, '') === '') return undefined;
    return mergeLists([names])?.map(({ name }) => ({ name, ids: [id], isObject: true }));
  });
  return joined([own, ...lists]);
}

const INDEX = ['ls-files', '-z', '--full-name'];

/** The names of all files in the index and in the history, including commits that no branch contains. */
function everyName(git: Git, found: readonly Found[]): Versions {
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  return mergeLists([git(['log', ...ALL_COMMITS, ...NAMES, ...commits, '--']), git([...INDEX, '--', ':/'])]);
}

/** The contents of some files in the index and in the history; unknown for all files. */
function pastVersions(search: Search): Versions {
  const { git, found, only } = search;
  if (only === undefined) return undefined;
  if (only.length === 0) return [];
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  const past = git(['log', ...ALL_COMMITS, ...listOf(search), ...commits, '--', ...literally(only)]);
  return joined([mergeChanges([past], search), namedVersions(only, search)]);
}

const literally = (names: readonly string[]): readonly string[] =>
  names.map((name) => `:(top,literal)${name}`);

/** The names in a commit, or in a folder of one; unknown for a folder that is named by its id. */
function filesIn(git: Git, { type, id, path }: Found, withIds: boolean): Versions {
  if (type === 'blob' || emptyTrees.has(id)) return [];
  if (type === 'tree' && path === undefined) return undefined;
  const folder = path === undefined || path === '' ? '' : `${path.replace(/\/$/, '')}/`;
  const form = withIds ? [] : ['--name-only'];
  const lines = git(['ls-tree', '-r', '-z', ...form, '--full-tree', id])?.split('\0');
  return lines
    ?.map((line) => entryIn(line, withIds))
    .map((one) => (type === 'tree' && one.name !== '' ? { ...one, name: `${folder}${one.name}` } : one));
}
