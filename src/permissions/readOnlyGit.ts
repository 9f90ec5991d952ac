import { type OptionList, readOptions } from './options.ts';
import type { ReadOnlyUse } from './readOnly.ts';

/** Options that write a file, run a program or read one from elsewhere; abbreviations count. */
const risky = [
  '--output',
  '--ext-diff',
  '--textconv',
  '--filters',
  '--contents',
  '--no-index',
  '--pathspec-from-file',
  '--exec',
  '--upload-pack',
  '--ignore-revs-file',
  '--exclude-from',
  '--open-files-in-pager',
  '--batch',
  '--show-signature',
];

/** Subcommands that show commits and content, and those that only list. */
const showing = new Set(['blame', 'cat-file', 'diff', 'diff-tree', 'log', 'show', 'whatchanged']);
const listing = new Set([
  'count-objects',
  'describe',
  'ls-files',
  'ls-tree',
  'merge-base',
  'name-rev',
  'rev-list',
  'rev-parse',
  'shortlog',
  'show-ref',
  'status',
]);

/** Subcommands that list unless they are given something to make, move or delete. */
const lists: Readonly<Record<string, OptionList & { readonly words: RegExp | undefined }>> = {
  branch: {
    flags: 'arv',
    long: [
      '--list',
      '--all',
      '--remotes',
      '--show-current',
      '--verbose',
      '--color',
      '--no-color',
      '--sort',
      '--format',
      '--column',
    ],
    longValues: ['--contains', '--merged', '--no-merged', '--points-at'],
    words: undefined,
  },
  tag: {
    flags: 'l',
    long: ['--list', '--sort', '--format'],
    longValues: ['--contains', '--merged', '--points-at'],
    words: undefined,
  },
  remote: { flags: 'v', long: ['--verbose'], words: undefined },
  stash: { flags: 'pu', long: ['--stat', '--name-only'], words: /^(?:list|show)$/ },
  worktree: { flags: 'v', long: ['--porcelain'], words: /^list$/ },
  reflog: { flags: 'n', long: ['--all', '--oneline', '--date'], numbers: true, words: /^show$/ },
};

/** `git` commands that only look; without options before the subcommand, which can run anything. */
export function gitUse(args: readonly (string | null)[]): ReadOnlyUse | undefined {
  const skip = args.findIndex(
    (word) => word === null || !/^(?:--no-pager|--no-optional-locks|-P)$/.test(word),
  );
  const [name, ...rest] = skip === -1 ? [] : args.slice(skip);
  if (name == null) return undefined;
  if (Object.hasOwn(lists, name)) return listUse(name, rest);
  if (name === 'config') return configUse(rest);
  if (name === 'grep') return grepUse(rest);
  if (!showing.has(name) && !listing.has(name)) return undefined;

  const end = rest.indexOf('--');
  const options = (end === -1 ? rest : rest.slice(0, end)).filter((word) => word?.startsWith('-'));
  if (options.some((word) => word != null && isRisky(word))) return undefined;
  const words = rest.filter(
    (word, index) => word === null || !word.startsWith('-') || (end !== -1 && index > end),
  );
  // `HEAD:path` names a file as it was.
  const files = words.map((word) => word?.replace(/^[^:/]*:(?:\.?\/)?(?=.)/, '') ?? null);
  return showing.has(name) ? { contents: files, names: [] } : { contents: [], names: files };
}

function isRisky(word: string): boolean {
  if (!word.startsWith('--')) return /^-O/.test(word);
  const [name = ''] = word.split('=');
  return (
    name.length > 3 &&
    risky.some((option) => option.startsWith(name) || name.startsWith(`${option}-`) || name === option)
  );
}

function listUse(name: string, args: readonly (string | null)[]): ReadOnlyUse | undefined {
  const list = lists[name];
  const read = list && readOptions(args, list);
  if (list === undefined || read === undefined) return undefined;
  const [first, ...more] = read.operands;
  const asked = read.options.some((option) => ['--list', '-l'].includes(option.name));
  if (first === undefined)
    return name === 'stash' || name === 'worktree' ? undefined : { contents: [], names: [] };
  if (list.words === undefined) return asked && name !== 'remote' ? { contents: [], names: [] } : undefined;
  const harmless = first !== null && list.words.test(first) && more.every((word) => word !== null);
  return harmless ? { contents: [], names: [] } : undefined;
}

/** Values that are never secret. */
function configUse(args: readonly (string | null)[]): ReadOnlyUse | undefined {
  const [first, key, ...rest] = args;
  const harmless =
    first === '--get' &&
    rest.length === 0 &&
    /^(?:user|core|init|branch|pull|push)\.[\w.-]+$/.test(key ?? '');
  return harmless ? { contents: [], names: [] } : undefined;
}

/** Searches tracked files only, and runs no pager. */
function grepUse(args: readonly (string | null)[]): ReadOnlyUse | undefined {
  const read = readOptions(args, {
    flags: 'EFGPHILachilnopqvwW',
    values: 'ABCem',
    long: [
      '--count',
      '--heading',
      '--ignore-case',
      '--line-number',
      '--name-only',
      '--break',
      '--word-regexp',
      '--cached',
    ],
    numbers: true,
  });
  if (read === undefined) return undefined;
  const pattern = read.options.some(({ name }) => name === '-e') ? 0 : 1;
  return { contents: read.operands.slice(pattern), names: [] };
}
