/**
 * What a git command shows, judging by its words. That is known exactly only for a few plain forms; any other counts as
 * showing every file in the history and the index. Pure.
 */
import type { ReadOptions } from '../options/readOptions.ts';
import type { Moves } from './gitMoves.ts';

/** What to ask git about. */
export interface Shown {
  /** Names of commits, folders or single file contents, among other words. */
  readonly objects: readonly string[];
  /** True if only the names in a folder among them are shown. */
  readonly listsFolders?: boolean;
  /** The comparison whose content is shown. */
  readonly compared?: readonly Compared[];
  /** Files in the index or on disk that are shown or written. */
  readonly listed?: readonly Listed[];
  /** Paths of files that are written from the objects, or from the index. */
  readonly restored?: readonly string[];
  /** The operands of `git diff`, which may compare any files and folders on disk. */
  readonly onDisk?: readonly string[];
  /** `any`: may show the objects and the entire history. `unknown`: may show what does not exist yet. */
  readonly kind?: 'any' | 'unknown';
  /** Words that may name a file, on disk or in a commit. */
  readonly named?: readonly string[];
  /** Absolute paths on disk that change before the command runs; null = any. */
  readonly touched?: readonly string[] | null;
  /** Writes the files that differ in other commits. */
  readonly moves?: Moves;
}

/** A form of command whose files are known exactly. */
export interface Compared {
  /**
   * `disk`: files on disk with the index or a commit, or commits with each other. `index`: the index with a commit.
   * `trees`: commits with each other, or one with its parents. `commits`: each commit with its parents. `history`:
   * these and all earlier ones. `stash`: its content. `search`: all files of commits. `named`: the named files, in any
   * version.
   */
  readonly how: 'disk' | 'index' | 'trees' | 'commits' | 'history' | 'stash' | 'search' | 'named';
  /** The operands before `--`: commits and paths. */
  readonly words: readonly string[];
  /** The operands after it. */
  readonly paths: readonly string[];
  /** True if there is a `--`, so that the words before it are no paths. */
  readonly isSplit?: boolean;
  /** Options such as `--all`, which select commits besides the named ones. */
  readonly refs?: readonly string[];
  /** Options that limit the commits to the first ones. */
  readonly first?: readonly string[];
  /** The parents that a merge is compared with; absent = none. */
  readonly merges?: 'each' | 'first';
}

/** Files that `git ls-files` lists with these options in these paths. */
export interface Listed {
  readonly options: readonly string[];
  readonly paths: readonly string[];
  /** Only files that git reads from the index although they are on disk. */
  readonly isFlagged?: boolean;
}

/** "name -x" as `--name`, `-x`. */
const options = (names: string): ReadonlySet<string> =>
  new Set(names.split(/\s+/).map((name) => (name.startsWith('-') ? name : `--${name}`)));

// Any other option of a diff or log counts as one that shows content and depends on the entire history.

/** Options of a log that select branches. */
const refs = options('all branches remotes tags');
/** Options that leave out commits, whatever their content and order. */
const kinds = options('first-parent max-parents merges min-parents no-merges');
/** Options that leave out commits by text or date. */
const filters =
  options(`-i -E -F -P after author basic-regexp before committer extended-regexp fixed-strings grep mailmap
  max-age min-age no-mailmap perl-regexp regexp-ignore-case since until use-mailmap`);
/** Options that select the first or next commits: `-3` is an option `-`. */
const limits = options('- -n max-count skip');
/** Options of a diff that select the index. */
const sides = options('cached ita-invisible-in-index ita-visible-in-index staged');
/** Options that only change how the output looks, or which files are paired. */
const formats =
  options(`-D -M -a -b -q -r -t -v -w -z abbrev abbrev-commit clear-decorations color color-moved color-moved-ws date decorate
  decorate-refs decorate-refs-exclude diff-algorithm exit-code find-renames format full-index histogram ignore-all-space
  ignore-blank-lines ignore-cr-at-eol ignore-space-at-eol ignore-space-change indent-heuristic inter-hunk-context
  irreversible-delete left-right log-size minimal no-abbrev no-abbrev-commit no-color no-color-moved no-commit-id no-decorate no-ext-diff
  no-graph no-indent-heuristic no-notes no-prefix no-relative no-rename-empty no-renames no-textconv notes oneline patience
  pretty relative-date rename-empty root show-linear-break show-notes source stat-count stat-graph-width stat-name-width
  stat-width submodule text timestamp ws-error-highlight`);
/** Options that show only names and numbers. */
const names = options(
  `-X -s compact-summary cumulative dirstat name-only name-status no-patch numstat quiet raw shortstat stat summary`,
);
/** Options that select, sort or compare in other ways, or show more, but no content themselves. */
const others =
  options(`-B -C -R -g -l all-match ancestry-path author-date-order bisect boundary cherry cherry-mark cherry-pick children
  date-order dense diff-filter do-walk exclude find-copies find-copies-harder follow full-diff full-history glob graph
  grep-reflog ignore-missing ignore-submodules invert-grep left-only merge-base no-walk not parents reflog relative
  remove-empty reverse right-only show-pulls simplify-by-decoration simplify-merges single-worktree sparse topo-order
  walk-reflogs`);
/** Options that show content. */
const patches =
  options(`-U -W -p -u binary check color-words function-context patch patch-with-raw patch-with-stat
  show-function unified word-diff word-diff-regex`);
/** Options that compare merges with more than one parent, and show content. */
const parents = options('-c -m cc combined-all-paths diff-merges');
const firstParent = options('first-parent');

type Given = ReadOptions['options'][number];
const diffFilter = options('diff-filter');
const orders = options('author-date-order date-order graph reverse topo-order');
/** Options that leave out changes by text. */
const pickaxes = options('-G -S pickaxe-all pickaxe-regex');
const isIn =
  (...sets: readonly ReadonlySet<string>[]) =>
  ({ name }: Given): boolean =>
    sets.some((set) => set.has(name));
const isWithoutContent = isIn(refs, kinds, filters, limits, sides, formats, names, others);
/** With only these options, the compared files are known. */
const isPlainDiff = isIn(diffFilter, sides, formats, names, patches);
const isPlainShow = isIn(diffFilter, firstParent, formats, names, patches, parents);
const isPlainLog = isIn(
  ...[diffFilter, orders, pickaxes, refs, kinds, filters, limits, formats, names, patches, parents],
);
/** With only these options, the first commits are those that `git rev-list` lists. */
const isLimited = isIn(orders, refs, kinds, limits, formats, names, patches, parents);

/** Subcommands that show diffs. */
export const showsDiffs = (name: string): boolean =>
  /^(?:diff|diff-files|diff-index|diff-tree|log|reflog|show|stash)$/.test(name);

/**
 * What a git subcommand shows; undefined if it shows no file content. `args` are its words, `read` the same words
 * parsed.
 */
export function shownBy(name: string, args: readonly string[], read: ReadOptions): Shown | undefined {
  const has = (names: RegExp): boolean => read.options.some((option) => names.test(option.name));
  const { words, paths } = operandsOf(read, args);
  const objects = words.flatMap(namedObjects);
  const named = [...words, ...paths, ...linesOf(read)];
  if (name === 'cat-file') {
    // It takes no paths: `--` only ends its options.
    const named = [...words, ...paths];
    return has(/^-p$/) || named[0] === 'blob' ? { objects: named, listsFolders: true } : undefined;
  }
  // All of its words may be files, whatever their order.
  if (name === 'blame') return { objects, named, compared: [{ how: 'named', words, paths }] };
  // `-v` shows staged changes, a second `-v` also unstaged ones: a file that is staged and then deleted is only in one
  // of them.
  if (name === 'status') {
    const whole = { words: [], paths: [] };
    const compared = [{ how: 'index', ...whole } as const, { how: 'disk', ...whole } as const];
    return has(/^(?:-v|--verbose)$/) ? { objects: [], compared } : undefined;
  }
  if (!showsDiffs(name)) return undefined;
  const isPatch = /^(?:diff|show|stash)$/.test(name) && !(name === 'stash' && args[0] === 'list');
  const isPlain = read.options.every(isWithoutContent) && !(isPatch && !read.options.some(isIn(names)));
  // It prints tagged or named files, whatever its options.
  if (isPlain) return name === 'show' ? { objects, listsFolders: true } : undefined;
  const compared = comparedBy(name, args, read);
  const onDisk = name === 'diff' ? { onDisk: [...words, ...paths] } : {};
  if (compared === undefined) return { objects, named, ...onDisk, kind: 'any' };
  return { objects, named, ...onDisk, compared: [compared], ...(name === 'show' && { listsFolders: true }) };
}

/** The files in `-L 1,5:file`. */
const linesOf = ({ options }: ReadOptions): readonly string[] =>
  options.flatMap(({ name, value }) => (name === '-L' ? [`${value}`] : []));

/** The operands before `--`, and those after it. */
function operandsOf(
  { operands, inOrder }: ReadOptions,
  args: readonly string[],
): Pick<Compared, 'words' | 'paths' | 'isSplit'> {
  const known = operands.map((word) => word ?? '');
  const count = inOrder.filter(({ name }) => name === '').length;
  return { words: known.slice(0, count), paths: known.slice(count), isSplit: args.includes('--') };
}

/** How a command that shows diffs compares; undefined unless its form is plain. */
function comparedBy(name: string, args: readonly string[], read: ReadOptions): Compared | undefined {
  const given = read.options;
  const operands = operandsOf(read, args);
  const end = args.indexOf('--');
  const plain = args.slice(0, end === -1 ? args.length : end).filter((word) => !word.startsWith('-'));
  // Subcommands differ in which options take the next word.
  if (name !== 'log' && plain.length !== operands.words.length) return undefined;
  const merges = given.some(isIn(parents))
    ? ({ merges: 'each' } as const)
    : given.some(isIn(firstParent))
      ? ({ merges: 'first' } as const)
      : {};
  switch (name) {
    case 'diff':
    case 'diff-index':
    case 'diff-files':
      if (!given.every(isPlainDiff)) return undefined;
      return { how: given.some(isIn(options('cached staged'))) ? 'index' : 'disk', ...operands };
    case 'diff-tree':
      return given.every(isPlainShow) ? { how: 'trees', ...operands, merges: 'each' } : undefined;
    case 'show':
      return given.every(isPlainShow)
        ? { how: 'commits', merges: 'each', ...merges, ...operands }
        : undefined;
    case 'stash': {
      const [action, ...words] = operands.words;
      const isNamed =
        words.length === 0 || (words.length === 1 && /^(?:stash@\{\d+\}|\d+)$/.test(words[0] ?? ''));
      const isPlain = action === 'show' && isNamed && end === -1 && given.every(isPlainDiff);
      return isPlain ? { how: 'stash', words, paths: [] } : undefined;
    }
    case 'log': {
      if (!given.every(isPlainLog)) return undefined;
      const isFirst = operands.paths.length === 0 && given.some(isIn(limits)) && given.every(isLimited);
      return {
        ...{ how: 'history', ...operands, ...merges, refs: given.filter(isIn(refs)).map(written) },
        ...(isFirst && { first: [...orderOf(given), ...given.filter(isIn(kinds, limits)).map(written)] }),
      };
    }
    default:
      return undefined;
  }
}

/** The options that decide which commits are the first ones. `--reverse` only turns these around. */
function orderOf(given: readonly Given[]): readonly string[] {
  const names = given.map(({ name }) => name).filter((name) => orders.has(name) && name !== '--reverse');
  return [
    ...(names.includes('--graph') ? ['--topo-order'] : []),
    ...names.filter((name) => name !== '--graph'),
  ];
}

/** An option as a word. */
function written({ name, value }: Given): string {
  if (/^--?n?$/.test(name)) return `--max-count=${value}`;
  return value === '' ? name : `${name}=${value}`;
}

/**
 * The objects that a word may stand for: `a`, the ends of `a..b` and `a...b`, and the commit in `^a`, `a^@`, `a^!` and
 * `a^-1`. The date in `a@{…}` and the path in `a:b..c` may also contain dots. See gitrevisions(7).
 */
function namedObjects(word: string): readonly string[] {
  const bare = (one: string): string => one.replace(/^\^/, '').replace(/\^(?:[@!]|-\d*)$/, '');
  const ends = [word, bare(word)].flatMap((one) => [one, ...one.split(/\.{2,3}/)]);
  const all = [...ends, ...(/^(.*?)\.{2,3}(.*)$/.exec(word)?.slice(1) ?? [])];
  return [...new Set(all.flatMap((one) => [one, bare(one)]))].filter((one) => one !== '');
}

/** What `git grep` searches in commits, and the files that it reads from the index. */
export function searchedBy(
  operands: Pick<Compared, 'words' | 'paths' | 'isSplit'>,
  isCached: boolean,
): readonly Shown[] {
  const { words, paths } = operands;
  const places = [...words, ...paths];
  return [
    { objects: [], listed: [{ options: ['--cached'], paths: places, isFlagged: !isCached }] },
    ...(words.length > 0 ? [{ objects: words, compared: [{ how: 'search', ...operands }] } as const] : []),
  ];
}

/** For a command with unknown options: it may show what its words name, and anything in the history. */
export function mayShowAny(words: readonly string[]): Shown {
  const values = words.flatMap((word) => (word.startsWith('-') ? [word.replace(/^[^=]*=?/, '')] : [word]));
  return { objects: values.flatMap(namedObjects), kind: 'any' };
}
