/**
 * The read-only subcommands of git, with the options that keep them read-only. Options that write a file, run a
 * program, read a file outside of the repository, or contact a server are left out.
 */
import { joined, type OptionList } from '../options/readOptions.ts';

interface GitCommand extends OptionList {
  /** The kind of its operands: files and commits whose content it shows, those that it lists, or other words. */
  readonly operands: 'contents' | 'names' | 'words';
  /** Without one of these options it would create, move or delete an operand. */
  readonly onlyWith?: readonly string[];
  /** The required first operand, a subcommand. After an option git would interpret it differently. */
  readonly first?: RegExp;
  readonly most?: number;
  readonly least?: number;
  /** The options with which it prints whole lines as they are, apart from formats. */
  readonly plain: OptionList;
}

const commitLines: OptionList = {
  flags: 'abceghimpqrstuvwzDEFPRW',
  values: 'nSGLIl',
  attached: 'UMCBX',
  numbers: true,
  long: words(`abbrev abbrev-commit all all-match ancestry-path author-date-order basic-regexp bisect boundary branches
    cached cc check cherry cherry-mark cherry-pick children clear-decorations color color-moved
    combined-all-paths compact-summary count cumulative date-order decorate dense dirstat do-walk exit-code
    extended-regexp find-copies find-copies-harder find-renames first-parent fixed-strings follow format full-diff
    full-history full-index function-context graph histogram ignore-all-space ignore-blank-lines ignore-case
    ignore-cr-at-eol ignore-missing ignore-space-at-eol ignore-space-change ignore-submodules indent-heuristic
    invert-grep irreversible-delete ita-invisible-in-index ita-visible-in-index left-only left-right log-size
    mailmap merge-base merges minimal name-only name-status no-abbrev no-abbrev-commit no-color no-color-moved no-commit-id
    no-decorate no-ext-diff no-graph no-indent-heuristic no-mailmap no-merges no-notes no-patch no-prefix
    no-relative no-rename-empty no-renames no-textconv no-walk not notes numstat objects oneline parents patch
    patch-with-raw patch-with-stat patience perl-regexp pickaxe-all pickaxe-regex pretty quiet raw reflog
    regexp-ignore-case relative relative-date remotes remove-empty rename-empty reverse right-only root shortstat
    show-function show-linear-break show-notes show-pulls show-root simplify-by-decoration simplify-merges
    single-worktree source sparse staged stat stdout submodule summary tags text timestamp topo-order unified
    unpacked use-mailmap walk-reflogs`),
  longValues:
    words(`after author before color-moved-ws committer date decorate-refs decorate-refs-exclude diff-algorithm diff-filter
    diff-merges exclude find-object glob grep grep-reflog ignore-matching-lines inter-hunk-context max-age max-count
    min-age since skip stat-count stat-graph-width stat-name-width stat-width until
    ws-error-highlight`),
  longAttached: words('max-parents min-parents'),
};

const commitOptions: OptionList = joined(
  { long: words('binary color-words word-diff'), longValues: words('word-diff-regex') },
  commitLines,
);

/** "name other" as `--name`, `--other`. */
function words(names: string): readonly string[] {
  return names.split(/\s+/).map((name) => `--${name}`);
}

const showing: GitCommand = { ...commitOptions, operands: 'contents', plain: commitLines };
const listing: GitCommand = { ...showing, operands: 'names' };

/** Subcommands that print whole lines with all of these options. */
const printing: Readonly<Record<string, Omit<GitCommand, 'plain'>>> = {
  blame: {
    operands: 'contents',
    flags: 'befnlpstw',
    values: 'L',
    attached: 'MC',
    long: words(
      'abbrev incremental line-porcelain porcelain progress root show-email show-name show-number show-stats',
    ),
    longValues: words('date ignore-rev since'),
  },
  branch: {
    operands: 'words',
    flags: 'alrv',
    long: words(
      'all abbrev color column ignore-case list no-abbrev no-color no-column remotes show-current verbose',
    ),
    longValues: words('contains format merged no-contains no-merged points-at sort'),
    longLast: words('contains merged no-contains no-merged'),
    onlyWith: ['-l', '--list'],
  },
  'cat-file': { operands: 'contents', flags: 'epst', least: 1, most: 2 },
  'check-attr': { operands: 'names', flags: 'az', long: words('all cached') },
  'check-ignore': { operands: 'names', flags: 'nqvz', long: words('no-index non-matching quiet verbose') },
  cherry: { operands: 'names', flags: 'v', long: words('abbrev verbose') },
  'count-objects': { operands: 'words', flags: 'vH', long: words('human-readable verbose'), most: 0 },
  describe: {
    operands: 'names',
    // `--dirty` and `--broken` refresh the index, regardless of GIT_OPTIONAL_LOCKS.
    long: words('abbrev all always contains debug exact-match first-parent long tags'),
    longValues: words('candidates exclude match'),
  },
  'for-each-ref': {
    operands: 'words',
    long: words('color ignore-case omit-empty'),
    longValues: words('contains count format merged no-contains no-merged points-at sort'),
  },
  'ls-files': {
    operands: 'names',
    flags: 'cdikmorstuvfz',
    values: 'x',
    long: words(`abbrev cached debug deduplicate deleted directory empty-directory eol error-unmatch exclude-standard
      full-name ignored killed modified no-empty-directory others recurse-submodules resolve-undo sparse stage unmerged`),
    longValues: words('exclude with-tree'),
  },
  'ls-tree': {
    operands: 'names',
    flags: 'dlrtz',
    long: words('abbrev full-name full-tree long name-only name-status object-only'),
  },
  'merge-base': {
    operands: 'names',
    flags: 'a',
    long: words('all fork-point independent is-ancestor octopus'),
  },
  'name-rev': {
    operands: 'names',
    long: words('all always name-only no-undefined tags'),
    longValues: words('exclude refs'),
  },
  notes: { operands: 'words', first: /^list$/, most: 2 },
  remote: { operands: 'words', flags: 'v', long: words('all push verbose'), first: /^get-url$/ },
  'rev-parse': {
    operands: 'names',
    flags: 'q',
    long: words(`abbrev-ref absolute-git-dir all branches git-common-dir git-dir is-bare-repository is-inside-git-dir
      is-inside-work-tree is-shallow-repository local-env-vars quiet remotes revs-only shared-index-path short show-cdup
      show-object-format show-prefix show-ref-format show-superproject-working-tree show-toplevel symbolic
      symbolic-full-name tags verify`),
    longValues: words('git-path'),
  },
  shortlog: {
    operands: 'names',
    flags: 'cens',
    attached: 'w',
    numbers: true,
    long: words('all committer email format merges no-merges numbered summary'),
    longValues: words('after author before group since until'),
  },
  'show-branch': { operands: 'names', flags: 'ar', long: words('all current list remotes sha1-name topics') },
  'show-ref': {
    operands: 'words',
    flags: 'dqs',
    long: words('abbrev branches dereference hash head heads quiet tags verify'),
  },
  status: {
    operands: 'names',
    flags: 'bsvz',
    attached: 'uM',
    attachedForm: /^(?:[\d%]*|no|normal|all)$/,
    long: words(`ahead-behind branch column find-renames ignore-submodules ignored long no-ahead-behind no-column no-renames
      porcelain renames short show-stash untracked-files verbose`),
  },
  submodule: { operands: 'words', long: words('cached recursive'), first: /^status$/, most: 1 },
  'symbolic-ref': {
    operands: 'words',
    flags: 'q',
    long: words('no-recurse quiet recurse short'),
    least: 1,
    most: 1,
  },
  tag: {
    operands: 'words',
    flags: 'il',
    attached: 'n',
    long: words('color column ignore-case list no-column'),
    longValues: words('contains format merged no-contains no-merged points-at sort'),
    longLast: words('contains merged no-contains no-merged'),
    onlyWith: ['-l', '--list'],
  },
  version: { operands: 'words', long: words('build-options'), most: 0 },
  worktree: {
    operands: 'words',
    flags: 'vz',
    long: words('porcelain verbose'),
    first: /^list$/,
    least: 1,
    most: 1,
  },
};

export const gitCommands: Readonly<Record<string, GitCommand>> = {
  ...Object.fromEntries(Object.entries(printing).map(([name, row]) => [name, { ...row, plain: row }])),
  diff: showing,
  'diff-files': showing,
  'diff-index': showing,
  'diff-tree': showing,
  log: showing,
  reflog: { ...showing, operands: 'words', first: /^show$/ },
  'rev-list': listing,
  show: showing,
  stash: { ...showing, operands: 'words', first: /^(?:list|show)$/, least: 1 },
};
