/** Of which files a git command shows the content. Git itself is asked, as it alone knows what a difference touches. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from '../../protocol/ownPrograms.ts';
import type { ReadOptions } from '../options/readOptions.ts';

/** What to ask git for. */
export interface Shown {
  /** Git commands that print the names of all files whose content is shown. */
  readonly listings: readonly (readonly string[])[];
  /** Names of commits, or of the content of a file by itself. */
  readonly objects: readonly string[];
}

/** Options with which commits and differences are shown with content. */
const withContent =
  /^(?:-[pucmW]|-U|--(?:patch|patch-with-raw|patch-with-stat|unified|cc|combined-all-paths|binary|check|color-words|word-diff|word-diff-regex|function-context))$/;
/** Options with which only names and numbers are shown, unless combined with one of those above. */
const withoutContent =
  /^(?:-s|--(?:no-patch|name-only|name-status|raw|stat|numstat|shortstat|dirstat|cumulative|summary|compact-summary|quiet))$/;
/** Options dropped when git is asked for the names: they add output, replace or shorten the names, or make it fail. */
const unlistable =
  /^(?:-[qs]|--(?:oneline|format|pretty|graph|color|relative|log-size|show-linear-break|exit-code|quiet|check|no-patch|name-only|name-status|raw|stat|numstat|shortstat|dirstat|cumulative|summary|compact-summary)(?:=.*)?)$/;
/** Of what was renamed or copied, both names: `-M` and `-C` among the words show what the old one held. */
const LIST = ['--name-status', '-z', '--no-renames', '--no-relative'];
/** Merges, compared with all of their parents at once: each may have the file under another name. */
const COMBINED = ['--cc', '--name-status', '-z', '--find-renames', '--no-relative'];

/** What a subcommand of git shows the content of; undefined = no file's. `args` are its words, `read` the same in parts. */
export function shownBy(name: string, args: readonly string[], read: ReadOptions): Shown | undefined {
  const has = (names: RegExp): boolean => read.options.some((option) => names.test(option.name));
  const end = args.indexOf('--');
  const before =
    end === -1 ? read.operands : read.operands.slice(0, read.operands.length - (args.length - end - 1));
  const objects = before.flatMap((word) =>
    word === null || word.includes(':') ? [] : word.split(/\.{2,3}/).filter((one) => one !== ''),
  );
  if (name === 'cat-file')
    return has(/^-p$/) || /^blob$/.test(objects[0] ?? '') ? { listings: [], objects } : undefined;
  // What is staged, and with a second `-v` what is not: of a file that is staged and gone, only the one shows anything.
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
  // `-L` follows the lines through renames, and is listed by no separate option.
  const followed = name === 'blame' ? [] : read.options.filter((option) => option.name === '-L');
  if (followed.length > 0) {
    const renames = args.filter((word) => /^(?:-[MCB]|--find-(?:renames|copies))/.test(word));
    const commits = objects.length > 0 ? before.filter((word) => word !== null) : [];
    const listings = followed.flatMap(({ value }) =>
      pathsBehind(value ?? '').map((path) => [
        'log',
        '--format=',
        ...LIST,
        ...renames,
        '--follow',
        ...commits,
        '--',
        path,
      ]),
    );
    return { listings, objects: [] };
  }
  const isPatch = /^(?:diff|show|stash)$/.test(name) && !(name === 'stash' && args[0] === 'list');
  if (!has(withContent) && !(isPatch && !has(withoutContent))) return undefined;
  const kept = args.filter((word) => !unlistable.test(word));
  const format = name.startsWith('diff') || (name === 'stash' && args[0] === 'show') ? [] : ['--format='];
  const recursive = name === 'diff-tree' ? ['-r'] : [];
  const [first = '', ...rest] = kept;
  const listing =
    name === 'stash' || (name === 'reflog' && first === 'show')
      ? [name, first, ...format, ...LIST, ...rest]
      : [name, ...format, ...recursive, ...LIST, ...kept];
  const isCombined =
    has(/^(?:-c|--cc)$/) ||
    read.options.some((option) => option.name === '--diff-merges' && /^[cd]/.test(option.value ?? '')) ||
    (name === 'show' && !has(/^(?:-m|--diff-merges|--first-parent)$/));
  const combined = isCombined ? [combinedListing(listing)] : [];
  // The first of several is compared with all others at once.
  const [result = '', ...parents] = name === 'diff' && objects.length > 2 ? objects : [];
  const pairs = parents.map((parent) => ['diff', ...LIST, parent, result]);
  return {
    listings: [listing, ...combined, ...pairs],
    objects: name === 'show' || name === 'diff' ? objects : [],
  };
}

function combinedListing(listing: readonly string[]): readonly string[] {
  const words = listing.flatMap((word) => (word === LIST[0] ? COMBINED : LIST.includes(word) ? [] : [word]));
  // An option that names a way to show merges takes this one back, so that it comes behind them all.
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return [...words.slice(0, end), '--combined-all-paths', ...words.slice(end)];
}

/** What may be the path in `1,5:path`, `/a:b/,+1:path` and `:/a:path`; a beginning such as `/a` is an expression. */
const pathsBehind = (lines: string): readonly string[] =>
  lines
    .split(':')
    .map((_, at, parts) => parts.slice(at).join(':'))
    .slice(1)
    .filter((path) => path !== '' && !/^\/.*:/.test(path));

/** A history that takes longer is asked about. */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 20_000_000;

/** Asks git, in a directory of the worktree. The names are relative to the worktree; undefined = not known. */
export function shownFiles(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  worktree: string,
  { listings, objects }: Shown,
  realpath: (path: string) => string,
): readonly string[] | undefined {
  const git = (args: readonly string[], input = ''): string | undefined => {
    const { status, stdout } = spawnSync('git', [...OWN_GIT_ARGUMENTS, ...args], {
      cwd: directory,
      env: ownGitEnvironment(env, worktree, realpath),
      input,
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
    });
    return status === 0 ? stdout : undefined;
  };
  if (objects.some((object) => object.includes('\n'))) return undefined;
  if (objects.length > 0) {
    const asked = objects.map((object) => `${object}^{}\n`).join('');
    const types = git(['cat-file', '--batch-check=%(objecttype)'], asked)?.split('\n');
    // The content of a file under a name that does not say which.
    if (types === undefined || types.includes('blob')) return undefined;
  }
  const printed = listings.map((listing) => git(listing));
  if (printed.includes(undefined)) return undefined;
  const names = printed.flatMap((text) => text?.split(/[\0\n]/) ?? []);
  return [...new Set(names)].filter((name) => name !== '').map((name) => join(worktree, name));
}
