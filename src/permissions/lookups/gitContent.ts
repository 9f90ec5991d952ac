/** Finds the files whose content a git command shows. Asks git itself, since only git knows what a diff contains. */
import { join } from 'node:path';
import { adviceFor, runGitNow } from '../../disk/ownGit.ts';
import type { ReadOptions } from '../options/readOptions.ts';
import { type Moves, movedNames } from './gitMoves.ts';

/** The queries for git. */
export interface Shown {
  /**
   * Git commands that print the names of all files whose content is shown. They are not run as they are: see
   * `runListing`.
   */
  readonly listings: readonly (readonly string[])[];
  /** Names of commits, folders or single file contents, among other words. */
  readonly objects: readonly string[];
  /** True if only the names in a folder among them are shown. */
  readonly listsFolders?: boolean;
  /** The operands in the listings before `--`: commits and paths. */
  readonly operands?: readonly string[];
  /**
   * What the command does with them; absent = shows those that are file contents. `searches`: shows anything in them,
   * limited to the other words, as paths. `restores`: writes files from them, or from the index. `any`: may show them and
   * the entire history. `unknown`: may show what does not exist yet.
   */
  readonly kind?: 'searches' | 'restores' | 'any' | 'unknown';
  /** Absolute paths on disk that change before the command runs; null = any. */
  readonly touched?: readonly string[] | null;
  /** With `restores`: the paths, which may be patterns. */
  readonly paths?: readonly string[];
  /** Writes the files that differ in other commits. */
  readonly moves?: Moves;
}

/** "name -x" as `--name`, `-x`. */
const options = (names: string): ReadonlySet<string> =>
  new Set(names.split(/\s+/).map((name) => (name.startsWith('-') ? name : `--${name}`)));

// Any other option of a diff or log counts as one that shows content and depends on the entire history.

/** Options that select commits or sides of a diff, whatever the diff contains and in whatever order commits come. */
const selects =
  options(`all branches cached first-parent ita-invisible-in-index ita-visible-in-index max-parents merges min-parents
  no-merges remotes root staged tags`);
/** Options that select by text or date, which depends on the language, the time zone and the time: a listing lacks them. */
const filters =
  options(`-i -E -F -P after author basic-regexp before committer extended-regexp fixed-strings mailmap max-age min-age
  no-mailmap perl-regexp regexp-ignore-case since until use-mailmap`);
/** Options that require a value, and so would take the next word for it. */
const withValue = options('max-count skip');
/** Options that select or sort in other ways, show more, or compare with other files, but show no content themselves. */
const others =
  options(`-B -C -R -g -l all-match ancestry-path author-date-order bisect boundary cherry cherry-mark cherry-pick children
  date-order dense diff-filter do-walk exclude find-copies find-copies-harder follow full-diff full-history glob graph grep
  grep-reflog ignore-missing ignore-submodules invert-grep left-only merge-base no-walk not parents reflog relative
  remove-empty reverse right-only show-pulls simplify-by-decoration simplify-merges single-worktree sparse topo-order
  walk-reflogs`);
/** Options that select the first or next commits: `-3` is an option `-`. */
const limits = options('- -n max-count skip');
/** Options that pair the old and new names of files. */
const renames = options('-M find-renames');
/** Options that change only what the output looks like. */
const formats =
  options(`-D -a -b -q -r -t -v -w -z abbrev abbrev-commit clear-decorations color color-moved color-moved-ws date decorate
  decorate-refs decorate-refs-exclude diff-algorithm exit-code format full-index histogram ignore-all-space
  ignore-blank-lines ignore-cr-at-eol ignore-space-at-eol ignore-space-change indent-heuristic inter-hunk-context
  irreversible-delete left-right log-size minimal no-abbrev no-abbrev-commit no-color no-color-moved no-commit-id no-decorate no-ext-diff
  no-graph no-indent-heuristic no-notes no-prefix no-relative no-rename-empty no-renames no-textconv notes oneline patience
  pretty relative-date rename-empty show-linear-break show-notes source stat-count stat-graph-width stat-name-width
  stat-width submodule text timestamp ws-error-highlight`);
/** Options that show only names and numbers. */
const names = options(
  `-X -s compact-summary cumulative dirstat name-only name-status no-patch numstat quiet raw shortstat stat summary`,
);
/** Options that show content of everything that was selected. */
const patches =
  options(`-U -W -c -m -p -u binary cc check color-words combined-all-paths diff-merges function-context patch patch-with-raw
  patch-with-stat show-function unified word-diff word-diff-regex`);
const isIn =
  (...sets: readonly ReadonlySet<string>[]) =>
  ({ name }: { readonly name: string }): boolean =>
    sets.some((set) => set.has(name));
const isWithoutContent = isIn(selects, filters, others, limits, renames, formats, names);
/** With these alone, a listing has at least the commits and files of the command. */
const isListed = isIn(selects, filters, limits, renames, formats, names, patches);

/** Subcommands that show diffs. */
export const showsDiffs = (name: string): boolean =>
  /^(?:diff|diff-files|diff-index|diff-tree|log|reflog|show|stash)$/.test(name);
/** Lists both names of renamed or copied files, whose old content is shown as well. */
const LIST = ['--name-status', '-z', '--no-renames', '--no-relative', '--no-ext-diff', '--no-textconv'];

/**
 * The content that a subcommand of git shows; undefined if it shows no file content. `args` are its words, `read` the
 * same words parsed.
 */
export function shownBy(name: string, args: readonly string[], read: ReadOptions): Shown | undefined {
  const has = (names: RegExp): boolean => read.options.some((option) => names.test(option.name));
  const end = args.indexOf('--');
  const before =
    end === -1 ? read.operands : read.operands.slice(0, read.operands.length - (args.length - end - 1));
  const objects = before.flatMap((word) => (word === null ? [] : namedObjects(word)));
  if (name === 'cat-file') {
    // It has no paths: `--` only ends its options.
    const named = read.operands.filter((word) => word !== null);
    return has(/^-p$/) || named[0] === 'blob'
      ? { listings: [], objects: named, listsFolders: true }
      : undefined;
  }
  // The files themselves are operands; this is about what they contained before.
  if (name === 'blame') {
    const files = [...before.slice(-1), ...read.operands.slice(before.length)].filter(
      (word) => word !== null,
    );
    return {
      listings: [
        [...INDEX, '--', ...files],
        [...HISTORY, '-1', '--', ...files],
      ],
      objects,
    };
  }
  // Shows staged changes, with a second `-v` also unstaged ones: a file that is staged and deleted appears only in one
  // of them.
  if (name === 'status')
    return has(/^(?:-v|--verbose)$/)
      ? {
          listings: [
            ['diff', '--cached', ...LIST],
            ['diff', ...LIST],
          ],
          objects: [],
        }
      : undefined;
  if (!showsDiffs(name)) return undefined;
  const isPatch = /^(?:diff|show|stash)$/.test(name) && !(name === 'stash' && args[0] === 'list');
  const isShow = name === 'show';
  const isPlain = read.options.every(isWithoutContent) && !(isPatch && !read.options.some(isIn(names)));
  // It prints tagged or named files whatever its options.
  if (isPlain) return isShow ? { listings: [], objects, listsFolders: true } : undefined;
  if (!isExact(name, args, read, before)) return { listings: [], objects, kind: 'any' };
  const listing = listingOf(name, args, read, [...LIST, ...mergesShown(name, read)]);
  return {
    listings: [listing],
    objects,
    ...(isShow && { listsFolders: true }),
    operands: before.filter((word) => word !== null),
  };
}

/** True for an option with which git compares merges with more than their first parent. */
const comparesParents = ({ name, value }: ReadOptions['options'][number]): boolean =>
  /^(?:-c|--cc)$/.test(name) ||
  (name === '--diff-merges' && !/^(?:off|none|1|first-parent)$/.test(value ?? ''));

/** True if a listing can name at least all files that the command shows. */
function isExact(
  name: string,
  args: readonly string[],
  { options: given }: ReadOptions,
  operands: readonly (string | null)[],
): boolean {
  if (!given.every(isListed) || name === 'reflog') return false;
  // Compared with all parents, a merge shows more than a listing that follows only the first.
  if (given.some(isIn(options('first-parent'))) && given.some(comparesParents)) return false;
  // The first commits of a selection are not the first of all.
  if (given.some(isIn(filters)) && given.some(isIn(limits))) return false;
  // With paths, git selects other commits for a listing that compares merges with each parent.
  if (given.some(isIn(limits)) && given.some(comparesParents)) return false;
  // With a limit, `show` goes through the history like `log`.
  if (name === 'show' && given.some(isIn(limits))) return false;
  // For a stash, `-u` means its untracked files, not a patch.
  if (name === 'stash' && (args[0] !== 'show' || given.some((option) => option.name === '-u'))) return false;
  // `HEAD^!`, `HEAD^@` and `HEAD^-` each stand for several commits; a search or date may find another one next time.
  return !operands.some((word) => word !== null && (/\^[-@!]/.test(word) || isSearch.test(word)));
}

/** `:/text`, `HEAD^{/text}`, and `main@{yesterday}`, but not `@{1}`, `@{-1}` or `@{upstream}`: gitrevisions(7). */
const isSearch = /^:\/(?!$)|\^\{\/|@\{(?!-?\d{1,5}\}|(?:u|upstream|push)\})/i;

/** The command as a list of names, for one that `isExact`: without the options that change only its output. */
function listingOf(
  name: string,
  args: readonly string[],
  { inOrder }: ReadOptions,
  list: readonly string[],
): readonly string[] {
  const isOperand = (word: { readonly name: string }): boolean => word.name === '';
  const kept = [
    ...inOrder.filter(isIn(selects, renames, limits)).flatMap(written),
    ...inOrder.filter(isOperand).flatMap(written),
  ];
  const [first, rest] = name === 'stash' ? [kept.slice(0, 1), kept.slice(1)] : [[], kept];
  const format = name.startsWith('diff') || name === 'stash' ? [] : ['--format='];
  const recursive = name === 'diff-tree' ? ['-r'] : [];
  const end = args.indexOf('--');
  const paths = end === -1 ? [] : args.slice(end);
  return [name, ...first, ...format, ...recursive, ...list, ...rest, ...paths];
}

/** An operand or option as a word: the value attached, where there is one. */
function written({ name, value }: ReadOptions['inOrder'][number]): readonly string[] {
  if (name === '') return value === null ? [] : [value];
  const isAttached = name.startsWith('--') && (value !== '' || withValue.has(name));
  return [isAttached ? `${name}=${value}` : `${name}${value}`];
}

/**
 * How merges are compared with their parents: not at all, with the first, or with each. A merge compared with all of them
 * at once shows at most what differs from one of them; which files git pairs then depends on settings.
 */
function mergesShown(name: string, { options: given }: ReadOptions): readonly string[] {
  const has = (option: string): boolean => given.some((one) => one.name === option);
  const ways = given.filter((one) => one.name === '--diff-merges').map(({ value }) => value ?? '');
  const isFirst = /^(?:1|first-parent)$/;
  const isNone = /^(?:off|none)$/;
  const isEach =
    has('-m') ||
    has('-c') ||
    has('--cc') ||
    ways.some((way) => !isFirst.test(way) && !isNone.test(way)) ||
    (name === 'show' && !has('--first-parent') && ways.length === 0);
  const first = ways.find((way) => isFirst.test(way));
  return isEach ? ['-m'] : first === undefined ? [] : [`--diff-merges=${first}`];
}

/**
 * The objects that a word may stand for: `a`, the ends of `a..b` and `a...b`, and the commit of `^a`, `a^@`, `a^!` and
 * `a^-1`. A date in `a@{…}` may contain dots, too. See gitrevisions(7).
 */
function namedObjects(word: string): readonly string[] {
  const bare = (one: string): string => one.replace(/^\^/, '').replace(/\^(?:[@!]|-\d*)$/, '');
  const ends = [word, bare(word)].flatMap((one) => [one, ...one.split(/\.{2,3}/)]);
  return [...new Set(ends.flatMap((one) => [one, bare(one)]))].filter((one) => one !== '');
}

/** For a command with unknown options: it may show what its words name, and anything in the history. */
export function mayShowAny(words: readonly string[]): Shown {
  const values = words.flatMap((word) => (word.startsWith('-') ? [word.replace(/^[^=]*=?/, '')] : [word]));
  return { listings: [], objects: values.flatMap(namedObjects), kind: 'any' };
}

/** If git takes longer, the command needs approval. */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 20_000_000;
/** Each is searched for in the entire history. */
const MAX_BLOBS = 4;

/** Runs git and returns what it prints; undefined if it fails. */
export type Git = (args: readonly string[], input?: string) => string | undefined;

/** Receives why git could not be started or was stopped; `undefined` before each query. */
export type OnGitProblem = (problem: string | undefined) => void;

/**
 * Git in a directory, limited in time and output. Once it could not be started, or was stopped, it is not started again: the
 * whole history would take as long as part of it.
 */
export function gitIn(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  workspace: readonly string[],
  onProblem: OnGitProblem,
): Git {
  let isLost = false;
  return (args, input) => {
    if (isLost) return undefined;
    const call = { cwd, args, input, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { code, stdout, problem } = runGitNow({ env, workspace }, call);
    isLost = code === null;
    if (isLost) onProblem(`${problem} ${adviceFor(problem, TIMEOUT_MS)}`.trimEnd());
    return code === 0 ? stdout.toString() : undefined;
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

/**
 * Runs git in a directory of the worktree and returns absolute paths; undefined if they cannot be determined. None of
 * these processes compares content on disk: for that, git starts the filters that attributes and settings name, and
 * settings can change at any time.
 */
export function shownFiles(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  { worktree, workspace, changed, onProblem }: ShownPlace,
  shown: Shown,
): readonly string[] | undefined {
  const git = gitIn(env, directory, [worktree, ...workspace], onProblem);
  const found = findObjects(git, shown.objects);
  if (found === undefined) return undefined;
  const hasFolder = found.some(({ type, id }) => type === 'tree' && !emptyTrees.has(id));
  // Git prints names relative to the folder that is named, not to the root.
  const isNamedFromRoot =
    !hasFolder || shown.listsFolders || /^(?:searches|restores)$/.test(shown.kind ?? '');
  if (!isNamedFromRoot) return undefined;
  const blobs = namesOfBlobs(git, found);
  if (blobs === undefined) return undefined;
  const onDisk = (paths: readonly string[]): string | undefined => changedOnDisk(git, changed(), paths);
  const listed = mergeLists(
    shown.listings.flatMap((listing) => runListing(git, listing, shown, found, onDisk)),
  );
  const names =
    // Git may fail because there is nothing to show, or because a listing is not possible.
    listed === undefined || shown.kind === 'any' ? everyName(git, found) : namesIn(git, shown, found, onDisk);
  if (names === undefined) return undefined;
  const moved = shown.moves && mergeLists(movedNames(git, shown.moves, () => onDisk([])));
  if (shown.moves !== undefined && moved === undefined) return undefined;
  const all = [...blobs, ...(listed ?? []), ...names, ...(moved ?? [])];
  return [...new Set(all)].filter((name) => name !== '').map((name) => join(worktree, name));
}

/** The names in several lists; undefined if one of them is unknown. */
function mergeLists(lists: readonly (string | undefined)[]): readonly string[] | undefined {
  if (lists.includes(undefined)) return undefined;
  const names = lists.flatMap((text) => text?.split('\0') ?? []);
  // After a commit git prints an empty line.
  return names.flatMap((name) => (name.startsWith('\n') ? [name, name.replace(/^\n+/, '')] : [name]));
}

/** The changed files among these paths, which may be patterns; all of them if one of the paths names no tracked file. */
function changedOnDisk(
  git: Git,
  changed: readonly string[] | undefined,
  paths: readonly string[],
): string | undefined {
  if (changed === undefined || changed.length === 0 || paths.length === 0) return changed?.join('\0');
  const among = git([...INDEX, '--error-unmatch', '--', ...paths]);
  const tracked = among === undefined ? undefined : new Set(among.split('\0'));
  return changed.filter((path) => tracked?.has(path) !== false).join('\0');
}

/** What the index contains in these places, which may be patterns. */
export const inIndex = (places: readonly string[]): Shown => ({
  listings: [[...INDEX, '--', ...places]],
  objects: [],
});

/** Subcommands that never open a file of the worktree. */
const withoutWorktree = /^(?:log|show|stash|reflog|diff-tree|whatchanged|ls-files)$/;

/** Runs a listing without comparing files on disk; these are listed by `onDisk` instead. */
function runListing(
  git: Git,
  listing: readonly string[],
  { operands = [] }: Shown,
  found: readonly Found[],
  onDisk: (paths: readonly string[]) => string | undefined,
): readonly (string | undefined)[] {
  const [name = '', ...words] = listing;
  if (withoutWorktree.test(name)) return [git(listing)];
  if (!/^diff(?:-files|-index)?$/.test(name) || words.some((word) => /^--no-i/.test(word)))
    return [undefined];
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  if (words.slice(0, end).some((word) => /^--(?:cached|staged)$/.test(word))) return [git(listing)];
  const commits = new Set(found.filter(({ type }) => type !== undefined).map(({ word }) => word));
  const isCommit = (word: string): boolean =>
    commits.has(word) || word.includes('..') || /\^[@!]$/.test(word);
  const named = operands.filter(isCommit);
  // The first of several commits is compared with all others at once.
  const [result = '', ...parents] = named;
  if (name === 'diff' && named.length > 2)
    return parents.map((parent) => git([name, ...LIST, parent, result, '--']));
  if (name === 'diff' && (named.length > 1 || named.some((word) => !commits.has(word)))) {
    // Nothing before the dashes is a file, whatever happens to the commits in the meantime.
    const last = words.lastIndexOf(named.at(-1) ?? '', end) + 1;
    const paths = words.slice(last, end);
    if (paths.some((word) => word.startsWith('-'))) return [undefined];
    return [git([name, ...words.slice(0, last), '--', ...paths, ...words.slice(end + 1)])];
  }
  const paths = [...operands.filter((word) => !isCommit(word)), ...words.slice(end + 1)];
  return [...(name === 'diff-files' ? [] : [git([name, '--cached', ...words])]), onDisk(paths)];
}

interface Found {
  readonly word: string;
  /** undefined = not an object. */
  readonly type: 'commit' | 'tree' | 'blob' | undefined;
  readonly id: string;
  /** The path in a word such as `HEAD:src/a`: in a commit or the index, and thus from the root of the worktree. */
  readonly path?: string;
}

/** With SHA-1 and SHA-256. Often compared with, to show everything. */
const emptyTrees = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

/** The revision and the path in `HEAD:src/a` or `:0:src/a`; a colon in braces belongs to a date or a search. */
function pathIn(word: string): { readonly revision: string; readonly path: string } | undefined {
  const [, revision = '', path = ''] = /^((?:\{[^}]*\}|[^:{])*):(.*)$/s.exec(word) ?? [];
  if (path === '' || (revision === '' && path.startsWith('/'))) return undefined;
  return { revision, path: revision === '' ? path.replace(/^[0-3]:/, '') : path };
}

/** Looks up words that may name objects; undefined if one of them is ambiguous. */
export function findObjects(git: Git, words: readonly string[]): readonly Found[] | undefined {
  if (words.length === 0) return [];
  if (words.some((word) => word.includes('\n'))) return undefined;
  // `^{}` follows a tag to what it names; after `HEAD:a` it would belong to the path.
  const asked = words.map((word) => (word.includes(':') ? word : `${word}^{}`));
  const revisions = words.map((word) => `${pathIn(word)?.revision || 'HEAD'}^{}`);
  const input = [...asked, ...revisions].map((line) => `${line}\n`).join('');
  const lines = git(['cat-file', '--batch-check=%(objecttype) %(objectname)'], input)?.split('\n');
  if (lines === undefined) return undefined;
  const found = words.map((word, at): Found | undefined => {
    const line = lines[at] ?? '';
    const [, type, id = ''] = /^(commit|tree|blob) ([\da-f]+)$/.exec(line) ?? [];
    if (type === undefined) return line.endsWith(' missing') ? { word, type: undefined, id } : undefined;
    const place = pathIn(word);
    const isFromRoot = place?.revision === '' || lines[words.length + at]?.startsWith('commit ');
    // A file or folder in a folder that only its id names, or in a way that is not known.
    if (type !== 'commit' && word.includes(':') && (place === undefined || !isFromRoot)) return undefined;
    return { word, type: type as NonNullable<Found['type']>, id, ...(place && { path: place.path }) };
  });
  return found.includes(undefined) ? undefined : found.filter((one) => one !== undefined);
}

/** All commits, including those only in the reflog, with the names of all files that they change. */
const HISTORY = [
  'log',
  '--all',
  '--reflog',
  '--format=',
  '--name-only',
  '-z',
  '-m',
  '--root',
  '--no-renames',
];
const INDEX = ['ls-files', '-z', '--full-name'];

/** The names that these contents have ever had; undefined if there is none, or if that is unknown. */
function namesOfBlobs(git: Git, found: readonly Found[]): readonly string[] | undefined {
  const blobs = found.filter(({ type }) => type === 'blob');
  const named = blobs.flatMap(({ path }) => path ?? []);
  // In a conflict, all versions have the name that the file got, whatever it was called.
  const isNamed = ({ word, path }: Found): boolean => path !== undefined && !/^:[1-3]:/.test(word);
  const ids = new Set(blobs.filter((one) => !isNamed(one)).map(({ id }) => id));
  if (ids.size === 0) return named;
  if (ids.size > MAX_BLOBS) return undefined;
  const staged = git([...INDEX, '--stage', '--', ':/'])?.split('\0');
  const lists = [...ids].map((id) => {
    const past = git([...HISTORY, '--no-relative', `--find-object=${id}`]);
    const now = staged
      ?.filter((line) => line.split(' ')[1] === id)
      .map((line) => line.replace(/^[^\t]*\t/, ''));
    const names = past === undefined || now === undefined ? '' : [past, ...now].join('\0');
    return names.replace(/[\0\n]/g, '') === '' ? undefined : names;
  });
  const all = mergeLists(lists);
  return all && [...named, ...all];
}

/** The names of all files in the index and in the history, including commits that no branch contains. */
function everyName(git: Git, found: readonly Found[]): readonly string[] | undefined {
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  return mergeLists([git([...HISTORY, '--no-relative', ...commits, '--']), git([...INDEX, '--', ':/'])]);
}

/** The names of the files that a search covers, or that are written. */
function namesIn(
  git: Git,
  { kind, paths = [] }: Shown,
  found: readonly Found[],
  onDisk: (paths: readonly string[]) => string | undefined,
): readonly string[] | undefined {
  const trees = found.filter(({ type }) => type === 'commit' || type === 'tree');
  if (kind === 'searches') {
    const others = found.filter(({ type }) => type === undefined).map(({ word }) => word);
    const within = others.length === 0 ? ['.'] : others;
    return mergeLists(trees.map((tree) => searchedIn(git, tree, within)));
  }
  if (kind !== 'restores' || paths.length === 0) return [];
  const staged = trees.map(({ id }) => git(['diff', '--cached', ...LIST, id, '--', ...paths]));
  return mergeLists([...staged, onDisk(paths)]);
}

/** The names in a commit, or in a folder of a commit; unknown in a folder that only its id names. */
function searchedIn(git: Git, { type, id, path }: Found, within: readonly string[]): string | undefined {
  if (type === 'commit') return filesIn(git, id, within);
  if (emptyTrees.has(id)) return '';
  if (path === undefined || /^\.{1,2}(?:\/|$)/.test(path)) return undefined;
  const folder = path.replace(/\/*$/, '');
  return filesIn(git, id, [':/'])
    ?.split('\0')
    .map((name) => (name === '' ? '' : `${folder}/${name}`))
    .join('\0');
}

/** The names in a commit or folder, by a diff with the empty tree: only that supports every kind of pathspec. */
function filesIn(git: Git, id: string, paths: readonly string[]): string | undefined {
  const empty = git(['hash-object', '-t', 'tree', '--stdin'])?.trim();
  if (empty === undefined) return undefined;
  return git([
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    '--no-relative',
    empty,
    id,
    '--',
    ...paths,
  ]);
}
