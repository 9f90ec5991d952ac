import { isAbsolute } from 'node:path';
import { goesBack } from '../lookups/gitPaths.ts';
import { searchedBy, shownBy, showsDiffs } from '../lookups/gitShown.ts';
import { hasOnly, joined, type OptionList, type ReadOptions, readOptions } from '../options/readOptions.ts';
import { hasPlainFormats, showsNoMessage } from './gitFormats.ts';
import { gitCommands } from './gitOptions.ts';
import type { FoundFiles, ReadOnlyUse } from './use.ts';

/**
 * Placeholders that make git verify signatures of commits, by running a program, or show the content of whatever a
 * reference names.
 */
const forbiddenFormat = /%[-+ ]?G|signature|%\(\*?raw/;

/** Options whose value is a format. */
const formatOption = /^--(?:format|group|pretty|sort)$/;
/** Subcommands that show no messages of commits, tags or notes. */
const withoutMessages =
  /^(?:check-attr|check-ignore|count-objects|describe|diff|diff-files|diff-index|ls-files|ls-tree|merge-base|name-rev|remote|rev-parse|show-ref|status|submodule|symbolic-ref|version|worktree)$/;

function showsMessages(name: string, { options }: Pick<ReadOptions, 'options'>): boolean {
  const formats = options.filter((option) => /^--(?:format|pretty)$/.test(option.name));
  const isPlain = formats.length > 0 && formats.every(({ value }) => showsNoMessage(value ?? ''));
  return !withoutMessages.test(name) && !isPlain;
}

/** Read-only commands of `git`. `-C` is the only allowed option before the subcommand that changes the directory. */
export function gitUse(args: readonly string[]): ReadOnlyUse | undefined {
  let directory = '.';
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '-C' && directory === '.') {
      at += 1;
      directory = args[at] ?? '';
      if (directory === '' || directory.startsWith('~')) return undefined;
    } else if (!/^(?:--no-pager|--no-optional-locks|-P)$/.test(word)) break;
  }
  const [name = '', ...rest] = args.slice(at);
  const use = name === '--version' ? nothing : subcommandUse(name, rest);
  if (use === undefined) return undefined;
  const below = (word: string): string =>
    directory === '.' || isAbsolute(word) ? word : `${directory}/${word}`;
  return {
    ...use,
    contents: use.contents.map(below),
    names: use.names.map(below),
    trees: (use.trees ?? []).map((tree) => ({ ...tree, path: below(tree.path) })),
    repositories: [directory],
    ...((name === 'remote' ? rest.length > 0 : rest.some((word) => /:remotename/.test(word))) && {
      showsAddresses: true,
    }),
    ...((/^(?:reflog|stash)$/.test(name) || rest.some((word) => ofReflog.test(word))) && {
      showsReflog: true,
    }),
  };
}

/** Options and placeholders for messages of the reflog: git-log(1), "walk-reflogs", "%gs". */
const ofReflog = /^(?:-[a-zA-Z]*g|--walk-reflogs$)|%[-+ ]?g/;

const nothing: ReadOnlyUse = { contents: [], names: [] };

const manyRefs = /^--(?:all|bisect|branches|glob|reflog|remotes|tags)$/;

function subcommandUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  if (name === 'config') return configUse(args);
  if (name === 'grep') return grepUse(args);
  const command = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined;
  const read = command && readOptions(args, command);
  if (command === undefined || read === undefined) return undefined;
  if (
    read.options.some(
      ({ name: option, value }) => formatOption.test(option) && forbiddenFormat.test(value ?? ''),
    )
  )
    return undefined;
  // The index of a submodule is not checked.
  if (read.options.some(({ name: option, value }) => option === '--submodule' && value === 'diff'))
    return undefined;
  // `remerge` repeats the merge, with the drivers that the repository names.
  if (read.options.some(({ name: option, value }) => option === '--diff-merges' && value?.startsWith('r')))
    return undefined;
  // A ref may name a file's content.
  if (name === 'show' && read.options.some(({ name: option }) => manyRefs.test(option))) return undefined;
  const operands = read.operands.map((word) => word ?? '');
  const [first] = operands;
  if (operands.length < (command.least ?? 0) || operands.length > (command.most ?? Number.POSITIVE_INFINITY))
    return undefined;
  if (command.first !== undefined && first !== undefined && !(first === args[0] && command.first.test(first)))
    return undefined;
  const isAsked = read.options.some((option) => command.onlyWith?.includes(option.name));
  if (command.onlyWith !== undefined && first !== undefined && !isAsked) return undefined;
  const shows = shownBy(name, args, read);
  const isConverted =
    shows !== undefined &&
    name !== 'cat-file' &&
    !read.options.some(({ name: option }) => option === '--no-textconv');
  const shown = {
    ...(shows !== undefined && { shown: [shows] }),
    ...(isConverted && { converts: true }),
    ...(!(hasOnly(args, command.plain) && hasPlainFormats(read)) && { rewrites: true }),
    ...(showsMessages(name, read) && { showsMessages: true }),
  };
  // `-L 1,5:path` names a file, except in `blame`.
  const lines = name === 'blame' ? [] : read.options.filter(({ name: option }) => option === '-L');
  const contents = lines.flatMap(({ value }) => namedBy(value ?? '').slice(1));
  if (command.operands === 'words') return { contents, names: [], ...shown };
  const files = operands.flatMap(namedBy);
  const showsContents = command.operands === 'contents' && (shows !== undefined || !showsDiffs(name));
  return showsContents
    ? { contents: [...contents, ...files], names: [], ...shown }
    : { contents, names: files, ...shown };
}

/** `HEAD:path` and `:0:path` name a file as it was, `:/path` and `:(top)path` one at the root; `:!path` is excluded. */
function namedBy(word: string): readonly string[] {
  if (/^:[!^]/.test(word)) return [];
  const after = word.split(':').map((_, at, parts) => parts.slice(at).join(':'));
  const bare = after.slice(1).map((path) => path.replace(/^(?:\([^)]*\))?\/?/, ''));
  return [word, ...bare.filter((path) => path !== '')];
}

/**
 * Settings that are never secret: git-config(1). Others may be, as `push.pushOption`, `user.token` of some tool, or a
 * command in `core.sshCommand` with a password.
 */
const plainSettings = new RegExp(
  `^(?:${[
    'user\\.(?:name|email|signingkey|useconfigonly)',
    'core\\.(?:abbrev|attributesfile|autocrlf|bare|bigfilethreshold|commentchar|compression|editor|eol|excludesfile|filemode|fscache|fsmonitor|hookspath|ignorecase|logallrefupdates|longpaths|multipackindex|pager|precomposeunicode|preloadindex|protecthfs|protectntfs|quotepath|repositoryformatversion|safecrlf|sharedrepository|sparsecheckout|sparsecheckoutcone|splitindex|symlinks|trustctime|untrackedcache|whitespace|worktree)',
    'init\\.(?:defaultbranch|defaultobjectformat|defaultrefformat|templatedir)',
    'branch\\.(?:autosetupmerge|autosetuprebase|sort)',
    'branch\\.[\\w./-]+\\.(?:merge|rebase)',
    'pull\\.(?:ff|octopus|rebase|twohead)',
    'push\\.(?:autosetupremote|default|followtags|gpgsign|recursesubmodules|useforceifincludes)',
  ].join('|')})$`,
  'i',
);
/** Names of remotes, and addresses, which may contain a token. */
const remoteSettings = /^(?:branch\.[\w./-]+\.(?:push)?remote|remote\.[\w./-]+\.(?:push)?url)$/i;

function configUse(args: readonly string[]): ReadOnlyUse | undefined {
  const [name = '', ...more] = args.filter((word) => !/^--(?:get|local|global)$/.test(word));
  if (more.length > 0) return undefined;
  if (plainSettings.test(name)) return nothing;
  // Only the settings of the repository are checked for tokens.
  const isOwn = !args.includes('--global');
  return isOwn && remoteSettings.test(name) ? { ...nothing, showsAddresses: true } : undefined;
}

/** Searches only tracked files, and runs no pager. */
function grepUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, grepOptions);
  if (read === undefined) return undefined;
  const isUntracked = read.options.some(({ name }) => name === '--untracked');
  const hasPattern = read.options.some(({ name }) => name === '-e');
  const pattern = hasPattern ? 0 : 1;
  const operands = read.operands.slice(pattern).map((word) => word ?? '');
  // They belong to an expression, or separate operands once more.
  const isOdd = read.operands.some((word) => /^(?:\(|\)|--)$/.test(word ?? ''));
  const hasOperator = read.options.some(({ name }) => /^--(?:and|not|or)$/.test(name));
  if (isOdd || (hasOperator && !hasPattern)) return undefined;
  const contents = operands.flatMap(namedBy);
  const places = operands.length > 0 ? operands : ['.'];
  // A word that is not a path is a commit or a folder in one, which may contain files that are no longer tracked.
  const isCached = read.options.some(({ name }) => name === '--cached');
  // After `--` come paths; before the pattern, it means nothing.
  const before = read.inOrder.filter(({ name }) => name === '').length;
  const end = before < pattern ? operands.length : before - pattern;
  const isSplit = before >= pattern && args.includes('--');
  const split = { words: operands.slice(0, end), paths: operands.slice(end), isSplit };
  const shown = {
    shown: searchedBy(split, isCached),
    ...(!hasOnly(args, grepLines) && { rewrites: true }),
  };
  if (!isUntracked) return { contents, names: [], tracked: places, ...shown };
  // Git's patterns match inside folders, and `:` begins pathspec magic: gitglossary(7), pathspec.
  if (places.some((place) => /[*?[:\\]/.test(place) || goesBack(place))) return undefined;
  return {
    contents,
    names: [],
    trees: places.map((path) => ({ path, hidden: true, follows: false })),
    ...shown,
  };
}

/** Options of `git grep` with which it prints whole lines as they are. */
const grepLines: OptionList = {
  flags: 'EFGPHILachilnqrvwz',
  values: 'ABCem',
  long: [
    '--and',
    '--not',
    '--or',
    '--break',
    '--cached',
    '--color',
    '--column',
    '--count',
    '--extended-regexp',
    '--files-with-matches',
    '--fixed-strings',
    '--full-name',
    '--heading',
    '--ignore-case',
    '--line-number',
    '--name-only',
    '--no-color',
    '--perl-regexp',
    '--untracked',
    '--word-regexp',
  ],
  longValues: ['--max-count', '--max-depth', '--context', '--after-context', '--before-context'],
  numbers: true,
};
/** The others print matches alone, and the line of a function after a `=`. */
const grepOptions = joined({ flags: 'opW', long: ['--show-function'] }, grepLines);

/** Options that select among the tracked files, and change no name. */
const selecting: OptionList = {
  flags: 'cdmz',
  long: ['--cached', '--deduplicate', '--deleted', '--error-unmatch', '--modified'],
};

/**
 * The files whose names `git ls-files` prints. Its words are folders and files below the current one, or patterns: all
 * files count as listed by one that is not just an ending.
 */
export function printedByGit([name, ...args]: readonly string[]): FoundFiles | undefined {
  const read = name === 'ls-files' ? readOptions(args, selecting) : undefined;
  if (read === undefined) return undefined;
  const places = read.operands.map((word) => word ?? '');
  // Git prints names above the current folder as `../x`, and `:` begins pathspec magic.
  if (places.some((word) => word === '' || /^[:/~]|\\/.test(word) || word.split('/').includes('..')))
    return undefined;
  // On macOS git composes accents in its words.
  const isOpen = places.some((word) => /[*?[]|[^ -~]/.test(word) && !/^\*\.\w[\w.-]*$/.test(word));
  const tracked = isOpen ? [] : places;
  return {
    trees: [{ path: '.', hidden: true, follows: true, tracked }],
    hasFolders: false,
    isBare: true,
    byNul: read.options.some((option) => option.name === '-z'),
  };
}
