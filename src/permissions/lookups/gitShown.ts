/** Finds the files whose content a git command shows. Asks git itself, since only git knows what a diff contains. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from '../../disk/ownPrograms.ts';
import type { ReadOptions } from '../options/readOptions.ts';

/** The queries for git. */
export interface Shown {
  /** Git commands that print the names of all files whose content is shown. */
  readonly listings: readonly (readonly string[])[];
  /** Names of commits, or of single file contents. */
  readonly objects: readonly string[];
}

/** Options that show commits and diffs with content. */
const withContent =
  /^(?:-[pucmW]|-U|--(?:patch|patch-with-raw|patch-with-stat|unified|cc|combined-all-paths|binary|check|color-words|word-diff|word-diff-regex|function-context))$/;
/** Options that show only names and numbers, unless combined with one of `withContent`. */
const withoutContent =
  /^(?:-s|--(?:no-patch|name-only|name-status|raw|stat|numstat|shortstat|dirstat|cumulative|summary|compact-summary|quiet))$/;
/** Options removed when git lists names: they add output, replace or shorten the names, or make git fail. */
const unlistable =
  /^(?:-[qs]|--(?:oneline|format|pretty|graph|color|relative|log-size|show-linear-break|exit-code|quiet|check|no-patch|name-only|name-status|raw|stat|numstat|shortstat|dirstat|cumulative|summary|compact-summary)(?:=.*)?)$/;
/** Lists both names of renamed or copied files: with `-M` or `-C` a command shows the content of the old one. */
const LIST = ['--name-status', '-z', '--no-renames', '--no-relative'];
/** Merges compared with all their parents at once: each may have the file under another name. */
const COMBINED = ['--cc', '--name-status', '-z', '--find-renames', '--no-relative'];

/**
 * The content that a subcommand of git shows; undefined if no file content. `args` are its words, `read` the same words
 * parsed.
 */
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
  // `-L` follows lines through renames, which no other option can list.
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
  // The first of several commits is compared with all others at once.
  const [result = '', ...parents] = name === 'diff' && objects.length > 2 ? objects : [];
  const pairs = parents.map((parent) => ['diff', ...LIST, parent, result]);
  return {
    listings: [listing, ...combined, ...pairs],
    objects: name === 'show' || name === 'diff' ? objects : [],
  };
}

function combinedListing(listing: readonly string[]): readonly string[] {
  const words = listing.flatMap((word) => (word === LIST[0] ? COMBINED : LIST.includes(word) ? [] : [word]));
  // An option that selects a way to show merges resets this one, so it comes after all of them.
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return [...words.slice(0, end), '--combined-all-paths', ...words.slice(end)];
}

/**
 * Candidates for the path in `1,5:path`, `/a:b/,+1:path` and `:/a:path`; a beginning such as `/a` is a regular
 * expression.
 */
const pathsBehind = (lines: string): readonly string[] =>
  lines
    .split(':')
    .map((_, at, parts) => parts.slice(at).join(':'))
    .slice(1)
    .filter((path) => path !== '' && !/^\/.*:/.test(path));

/** A slower history needs approval. */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 20_000_000;

/** Runs git in a directory of the worktree and returns absolute paths; undefined if they cannot be determined. */
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
    // A file's content under an object name that does not reveal which file.
    if (types === undefined || types.includes('blob')) return undefined;
  }
  const printed = listings.map((listing) => git(listing));
  if (printed.includes(undefined)) return undefined;
  const names = printed.flatMap((text) => text?.split(/[\0\n]/) ?? []);
  return [...new Set(names)].filter((name) => name !== '').map((name) => join(worktree, name));
}
