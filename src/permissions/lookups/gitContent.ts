/**
 * Finds the files whose content a git command shows. Asks git, since only git knows what a diff contains, but passes it
 * object ids rather than words of the command, which subcommands read in different ways.
 */
import { join, relative } from 'node:path';
import { adviceFor, runGitNow } from '../../disk/ownGit.ts';
import { movedNames, stashedNames } from './gitMoves.ts';
import { goesBack, nameFromTop, type WordsPlace, withinPaths } from './gitPaths.ts';
import type { Compared, Listed, Shown } from './gitShown.ts';

/** If git takes longer, the command needs approval. */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 20_000_000;
/** Each needs a search of the entire history. */
const MAX_BLOBS = 4;

/** Runs git and returns what it prints, as UTF-8 unless told otherwise; undefined if it fails. */
export type Git = (args: readonly string[], input?: string, encoding?: 'latin1') => string | undefined;

/** Receives why git could not be started or was stopped; `undefined` before each query. */
export type OnGitProblem = (problem: string | undefined) => void;

/**
 * Git in a directory, limited in time and output. Once it fails to start or is stopped, it is not started again: the
 * next query would take as long.
 */
export function gitIn(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  workspace: readonly string[],
  onProblem: OnGitProblem,
): Git {
  let isLost = false;
  return (args, input, encoding) => {
    if (isLost) return undefined;
    const call = { cwd, args, input, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { code, stdout, problem } = runGitNow({ env, workspace }, call);
    isLost = code === null;
    if (isLost) onProblem(`${problem} ${adviceFor(problem, TIMEOUT_MS)}`.trimEnd());
    return code === 0 ? stdout.toString(encoding) : undefined;
  };
}

/** A repository as seen from a directory of its worktree. */
interface ShownPlace {
  readonly worktree: string;
  readonly workspace: readonly string[];
  /** Tracked files whose content on disk may differ from the index, relative to the worktree; undefined = unknown. */
  readonly changed: () => readonly string[] | undefined;
  readonly onProblem: OnGitProblem;
}

/** What the search for file names needs. */
interface Search extends Pick<ShownPlace, 'changed'> {
  readonly git: Git;
  readonly place: WordsPlace;
  /** The objects among the words. */
  readonly found: readonly Found[];
}

/** undefined = unknown. */
type Names = readonly string[] | undefined;

/** Only the names of what differs; a moved file has both of its names. */
const NAMES = ['-z', '--name-only', '--no-renames', '--no-relative', '--no-ext-diff', '--no-textconv'];

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
  const git = gitIn(env, directory, [worktree, ...workspace], onProblem);
  const place = { worktree, prefix: relative(worktree, directory) };
  // A replaced object shows the content of another: git-replace(1)
  if (git(['for-each-ref', '--count=1', 'refs/replace']) !== '') return undefined;
  if (/^\.\.(?:\/|$)/.test(place.prefix)) return undefined;
  const found = findObjects(git, shown.objects, place);
  if (found === undefined || mayBeUntracked(shown, found, place)) return undefined;
  const { kind, compared = [], listed = [], restored, moves } = shown;
  const search = { git, place, found, changed };
  const exact = kind === 'any' ? undefined : joined(compared.map((one) => comparedNames(one, search)));
  const isWritten = restored !== undefined || compared.some(({ how }) => how === 'search');
  // Git prints names relative to the named folder, not to the root.
  if (found.some(isFolder) && shown.listsFolders !== true && !(isWritten && exact !== undefined))
    return undefined;
  const all = joined([
    namesOfBlobs(git, found),
    exact ?? everyName(git, found),
    ...listed.map((one) => listedNames(one, search)),
    ...(restored === undefined ? [] : [restoredNames(restored, search)]),
    ...(moves === undefined ? [] : [mergeLists(movedNames(git, moves, () => changed()?.join('\0')))]),
  ]);
  return all && [...new Set(all)].filter((name) => name !== '').map((name) => join(worktree, name));
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

const joined = (lists: readonly Names[]): Names =>
  lists.includes(undefined) ? undefined : lists.flatMap((names) => names ?? []);

/** The names in several lists; undefined if one of them is unknown. */
function mergeLists(lists: readonly (string | undefined)[]): Names {
  if (lists.includes(undefined)) return undefined;
  const names = lists.flatMap((text) => text?.split('\0') ?? []);
  // Git prints an empty line after a commit.
  return names.flatMap((name) => (name.startsWith('\n') ? [name, name.replace(/^\n+/, '')] : [name]));
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
function comparedNames(compared: Compared, search: Search): Names {
  const { git, place } = search;
  const { how, words, paths } = compared;
  if (how === 'named') {
    // `git blame` accepts a file and a commit in any order. A commit counts as a file name that does not exist.
    const names = [...words, ...paths].map((word) => nameFromTop(word, place));
    return names.includes(undefined) ? undefined : names.flatMap((name) => name ?? []);
  }
  if (how === 'stash') {
    const [word = '0'] = words;
    return mergeLists(stashedNames(git, /^\d+$/.test(word) ? `stash@{${word}}` : word));
  }
  const operands = operandsOf(compared, search);
  const names = operands && namesBefore(compared, operands, search);
  if (operands === undefined || operands.commits.some(isFolder)) return names;
  return names?.filter(withinPaths(operands.paths, place).has);
}

/** The same, not limited to paths. */
function namesBefore(compared: Compared, { commits, ranges, paths }: Operands, search: Search): Names {
  const { git, changed } = search;
  const { how, refs = [], first } = compared;
  const [one, ...more] = commits.map(({ id }) => id);
  const hasBlob = commits.some(({ type }) => type === 'blob');
  const isSingle = ranges.length === 0 && more.length === 0;
  const staged = (): Names => mergeLists([git(['diff', '--cached', ...NAMES, ...(one ? [one] : []), '--'])]);
  switch (how) {
    case 'search':
      return ranges.length > 0 ? undefined : joined(commits.map((commit) => filesIn(git, commit)));
    case 'index':
      return isSingle && !hasBlob ? staged() : undefined;
    case 'disk':
      // Committed files are compared with each other, or with a file on disk that the words name.
      if (hasBlob)
        return commits.every(({ type }) => type === 'blob') && ranges.length === 0 ? [] : undefined;
      if (isSingle) return joined([one === undefined ? [] : staged(), changed()]);
      return between(git, { commits, ranges, paths });
    case 'trees':
      if (hasBlob || one === undefined || ranges.length > 0) return undefined;
      return more.length > 0 ? between(git, { commits, ranges, paths }) : changedBy(git, [one], compared);
    default: {
      if (paths.length === 1 && followsRenames(git)) return undefined;
      // `git show` prints only the names in folders, and the names of single files are known.
      const starts = commits.filter(({ type }) => type === 'commit').map(({ id }) => id);
      if (how === 'history' && starts.length < commits.length) return undefined;
      if (how === 'commits' && ranges.length === 0)
        return changedBy(git, commits.length === 0 ? ['HEAD'] : starts, compared);
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
        return mergeLists([git(['log', ...LOG, ...mergesShown(compared), ...all, '--'])]);
      const limited = git(['rev-list', ...first, ...all, '--'])?.split('\n');
      return limited && changedBy(git, limited.filter(Boolean), compared);
    }
  }
}

/** The names that differ between the first of several commits and each other one, or between the ends of a range. */
function between(git: Git, { commits, ranges }: Operands): Names {
  const tree = (from: string, to: string): string | undefined => git(['diff-tree', '-r', ...NAMES, from, to]);
  const [first, ...others] = commits.map(({ id }) => id);
  const [range] = ranges;
  if (range === undefined)
    return first === undefined ? undefined : mergeLists(others.map((other) => tree(first, other)));
  if (ranges.length > 1 || first !== undefined) return undefined;
  const { from, to, isSymmetric } = range;
  const bases = isSymmetric ? git(['merge-base', '--all', from, to])?.match(/[\da-f]{40,}/g) : [from];
  return bases ? mergeLists(bases.map((base) => tree(base, to))) : undefined;
}

const LOG = ['--format=', '--root', ...NAMES];

/** What commits change. */
function changedBy(git: Git, ids: readonly string[], compared: Compared): Names {
  if (ids.length === 0) return [];
  const input = ids.map((id) => `${id}\n`).join('');
  return mergeLists([git(['log', '--no-walk', ...LOG, ...mergesShown(compared), '--stdin'], input)]);
}

const mergesShown = ({ merges }: Compared): readonly string[] =>
  merges === 'each' ? ['-m'] : merges === 'first' ? ['--diff-merges=first-parent'] : [];

/** True if the user's settings make git follow renames, which our own calls turn off. */
const followsRenames = (git: Git): boolean =>
  git(['config', '--type=bool', '--get-all', 'log.follow'])?.includes('true') !== false;

/** The names of the files that are written from objects, or from the index. */
function restoredNames(paths: readonly string[], { git, place, found, changed }: Search): Names {
  if (paths.length === 0) return [];
  const trees = found.filter(({ type }) => type === 'commit' || type === 'tree');
  const staged = trees.map(({ id }) => git(['diff', '--cached', ...NAMES, id, '--']));
  return joined([mergeLists(staged), changed()])?.filter(withinPaths(paths, place).has);
}

/** What the index, or the disk, contains in some places. */
function listedNames({ options, paths, isFlagged = false }: Listed, { git, place }: Search): Names {
  const { has, specs } = withinPaths(paths, place);
  const flags = isFlagged ? ['-v'] : [];
  const lines = git(['ls-files', '-z', '--full-name', ...flags, ...options, '--', ...specs])?.split('\0');
  if (!isFlagged) return lines?.filter(has);
  // A lower-case letter means assumed unchanged; S means not checked out.
  return lines
    ?.filter((line) => /^[a-zS] /.test(line))
    .map((line) => line.slice(2))
    .filter(has);
}

interface Found {
  readonly word: string;
  /** undefined = not an object. */
  readonly type: 'commit' | 'tree' | 'blob' | undefined;
  readonly id: string;
  /** The path in a word such as `HEAD:src/a`, from the top of the worktree. */
  readonly path?: string;
}

/** The empty tree in SHA-1 and SHA-256: people compare with it to show everything. */
const emptyTrees = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

const isFolder = ({ type, id }: Found): boolean => type === 'tree' && !emptyTrees.has(id);

/**
 * The revision and the path in `HEAD:src/a`, `:0:src/a` or `HEAD:./a`; a colon in braces is part of a date or search.
 */
function pathIn(
  word: string,
  place: WordsPlace,
): { readonly revision: string; readonly path: string } | undefined {
  const [, revision = '', rest = ''] = /^((?:\{[^}]*\}|[^:{])*):(.*)$/s.exec(word) ?? [];
  const named = revision === '' ? rest.replace(/^[0-3]:/, '') : rest;
  const path = /^\.{1,2}(?:\/|$)/.test(named) ? nameFromTop(named, place) : named;
  const isPlain = path !== undefined && !`/${path.replace(/\/$/, '')}/`.match(/\/\.{0,2}\//);
  return isPlain ? { revision, path } : undefined;
}

/** Looks up words that may name objects; undefined if one of them is ambiguous. */
export function findObjects(
  git: Git,
  words: readonly string[],
  place: WordsPlace,
): readonly Found[] | undefined {
  if (words.length === 0) return [];
  if (words.some((word) => word.includes('\n'))) return undefined;
  // `^{}` follows a tag to its object; after `HEAD:a` it would be part of the path.
  const asked = words.map((word) => (word.includes(':') ? word : `${word}^{}`));
  const revisions = words.map((word) => `${pathIn(word, place)?.revision || 'HEAD'}^{}`);
  const input = [...asked, ...revisions].map((line) => `${line}\n`).join('');
  const lines = git(['cat-file', '--batch-check=%(objecttype) %(objectname)'], input)?.split('\n');
  if (lines === undefined) return undefined;
  const found = words.map((word, at): Found | undefined => {
    const line = lines[at] ?? '';
    const [, type, id = ''] = /^(commit|tree|blob) ([\da-f]+)$/.exec(line) ?? [];
    if (type === undefined) return line.endsWith(' missing') ? { word, type: undefined, id } : undefined;
    const named = pathIn(word, place);
    const isFromTop = named?.revision === '' || lines[words.length + at]?.startsWith('commit ');
    // Something in a folder that is named by its id, or in an unknown form.
    if (type !== 'commit' && word.includes(':') && (named === undefined || !isFromTop)) return undefined;
    return { word, type: type as NonNullable<Found['type']>, id, ...(named && { path: named.path }) };
  });
  return found.includes(undefined) ? undefined : found.filter((one) => one !== undefined);
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
function namesOfBlobs(git: Git, found: readonly Found[]): Names {
  const blobs = found.filter(({ type }) => type === 'blob');
  const named = blobs.flatMap(({ path }) => path ?? []);
  // In a conflict, all versions are listed under one name, whatever they were called.
  const isNamed = ({ word, path }: Found): boolean => path !== undefined && !/^:[1-3]:/.test(word);
  const ids = new Set(blobs.filter((one) => !isNamed(one)).map(({ id }) => id));
  if (ids.size === 0) return named;
  if (ids.size > MAX_BLOBS) return undefined;
  const staged = git([...INDEX, '--stage', '--', ':/'])?.split('\0');
  const lists = [...ids].map((id) => {
    const past = git(['log', ...ALL_COMMITS, ...NAMES, `--find-object=${id}`]);
    const now = staged
      ?.filter((line) => line.split(' ')[1] === id)
      .map((line) => line.replace(/^[^\t]*\t/, ''));
    const names = past === undefined || now === undefined ? '' : [past, ...now].join('\0');
    return names.replace(/[\0\n]/g, '') === '' ? undefined : names;
  });
  return joined([named, mergeLists(lists)]);
}

const INDEX = ['ls-files', '-z', '--full-name'];

/** The names of all files in the index and in the history, including commits that no branch contains. */
function everyName(git: Git, found: readonly Found[]): Names {
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  return mergeLists([git(['log', ...ALL_COMMITS, ...NAMES, ...commits, '--']), git([...INDEX, '--', ':/'])]);
}

/** The names in a commit, or in a folder of one; unknown for a folder that is named by its id. */
function filesIn(git: Git, { type, id, path }: Found): Names {
  if (type === 'blob' || emptyTrees.has(id)) return [];
  if (type === 'tree' && path === undefined) return undefined;
  const folder = path === undefined || path === '' ? '' : `${path.replace(/\/$/, '')}/`;
  const names = git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', id])?.split('\0');
  return names?.map((name) => (name === '' ? '' : `${type === 'tree' ? folder : ''}${name}`));
}
