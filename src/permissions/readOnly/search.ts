/** Search programs: they may show every file in the folders they are given. */
import { hasOnly, joined, type OptionList, type ReadOptions, readOptions } from '../options/readOptions.ts';
import type { FoundFiles, ReadOnlyUse, Tree } from './use.ts';

const long = (names: string): readonly string[] => names.split(/\s+/).map((name) => `--${name}`);

// Options with which a program prints whole lines as they are, after a name or number, or none of their text.

const grepLines: OptionList = {
  // Without R, which follows links.
  flags: 'EFGPabcHhIiLlnqrsTUvwxyZ',
  values: 'ABCem',
  long: long(`byte-offset color colour count extended-regexp files-with-matches files-without-match
    fixed-strings ignore-case initial-tab invert-match line-buffered line-number line-regexp no-filename no-ignore-case
    no-messages null perl-regexp quiet recursive silent text with-filename word-regexp`),
  longValues: long('after-context before-context binary-files exclude exclude-dir include max-count regexp'),
  // In BSD grep the value is optional, and the next word is the pattern.
  longAttached: ['--context'],
  numbers: true,
};

const grepOptions: OptionList = joined(
  { flags: 'oz', long: long('null-data only-matching'), longValues: long('label') },
  grepLines,
);

const ripgrepLines: OptionList = {
  // Without L, which follows links, z, which runs programs, and --debug, which shows lines of ignore files.
  flags: 'FHINPSUabcilnpqsuvwx0.',
  values: 'ABCMTdegjmt',
  long: long(`block-buffered byte-offset case-sensitive column count count-matches crlf files
    files-with-matches files-without-match fixed-strings heading hidden ignore-case invert-match
    line-buffered line-number line-regexp multiline multiline-dotall no-column no-config no-filename no-heading no-hidden
    no-ignore no-ignore-vcs no-line-number no-messages null one-file-system passthru pcre2 pretty quiet
    sort-files smart-case stats text trim type-list unrestricted version vimgrep with-filename word-regexp`),
  longValues:
    long(`after-context before-context color context engine glob iglob max-columns max-count max-depth
    max-filesize regexp sort sortr threads type type-not`),
};

const ripgrepOptions: OptionList = joined(
  {
    flags: 'o',
    values: 'r',
    long: long('json null-data only-matching'),
    longValues: long('colors context-separator encoding path-separator replace'),
  },
  ripgrepLines,
);

const silverLines: OptionList = {
  // Without D, which shows every line of ignore files.
  flags: 'HLQRSUVacilnrsuvw0',
  values: 'ABCGm',
  long: long(`all-types break case-sensitive column count color files-with-matches
    files-without-matches filename group heading hidden ignore-case invert-match line-numbers list-file-types literal nobreak
    nocolor nofilename nogroup noheading nonumbers numbers null silent skip-vcs-ignores smart-case
    stats unrestricted word-regexp`),
  longValues: long('depth file-search-regex ignore ignore-dir max-count'),
  longAttached: long('after before context'),
};

const silverOptions: OptionList = joined(
  {
    flags: 'o',
    values: 'W',
    long: long('ackmate only-matching print-long-lines vimgrep'),
    longValues: long('width'),
  },
  silverLines,
);

/** Finds files by name, and shows no content. */
const fdOptions: OptionList = {
  flags: '01HFIagilpqsu',
  values: 'EStdecj',
  long: long(`absolute-path case-sensitive fixed-strings full-path glob hidden ignore-case
    list-details no-ignore no-ignore-parent no-ignore-vcs print0 quiet regex relative-path show-errors unrestricted version`),
  longValues:
    long(`changed-before color changed-within exact-depth exclude extension max-depth max-results min-depth owner size
    threads type`),
};

/** The options of search programs; `egrep`, `fgrep` and `fdfind` have those of `grep` and `fd`. */
export const searchOptions = {
  grep: grepOptions,
  rg: ripgrepOptions,
  ag: silverOptions,
  fd: fdOptions,
} as const satisfies Readonly<Record<string, OptionList>>;

/** Ripgrep's names for types of code, with all extensions that it assigns to them. */
const types: Readonly<Record<string, readonly string[]>> = {
  c: ['*.[chH]', '*.[chH].in', '*.cats'],
  cpp: ['*.[ChH]', '*.cc', '*.[ch]pp', '*.[ch]xx', '*.hh', '*.inl', '*.in'],
  cs: ['*.cs'],
  css: ['*.css', '*.scss'],
  go: ['*.go'],
  html: ['*.htm', '*.html', '*.ejs'],
  java: ['*.java', '*.jsp', '*.jspx', '*.properties'],
  js: ['*.js', '*.jsx', '*.vue', '*.cjs', '*.mjs'],
  kotlin: ['*.kt', '*.kts'],
  lua: ['*.lua'],
  markdown: ['*.markdown', '*.md', '*.mdown', '*.mdwn', '*.mdx', '*.mkd', '*.mkdn'],
  md: ['*.markdown', '*.md', '*.mdown', '*.mdwn', '*.mdx', '*.mkd', '*.mkdn'],
  php: ['*.php', '*.php3', '*.php4', '*.php5', '*.php7', '*.php8', '*.pht', '*.phtml'],
  py: ['*.py', '*.pyi'],
  python: ['*.py', '*.pyi'],
  rust: ['*.rs'],
  scala: ['*.scala', '*.sbt'],
  sql: ['*.sql', '*.psql'],
  swift: ['*.swift'],
  ts: ['*.ts', '*.tsx', '*.cts', '*.mts'],
  typescript: ['*.ts', '*.tsx', '*.cts', '*.mts'],
};

/** Extensions of code. A folder with too many files to check may still be searched for these alone. */
const code =
  /^\*\.(?:[cm]?[jt]sx?|c|cc|cpp|cs|css|go|h|hpp|html?|java|kts?|less|lua|mdx?|php|pyi?|rb|rs|s[ac]ss|scala|sql|svelte|swift|vue)$/;

/** Options with which nothing but names and numbers is printed, whatever else is given. */
const withoutText =
  /^(?:-[lLc]|--(?:count|count-matches|files-with-matches|files-without-match|files-without-matches))$/;

/** Options of ag for lines around a match. */
const lines = /^(?:-[ABC]|--(?:after|before|context))$/;

/** `grep`, `rg`, `ag` and `fd`. */
export function searchUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  if (name.startsWith('fd')) return fdUse(args);
  const isGrep = /grep$/.test(name);
  const [options, plain] = isGrep
    ? [grepOptions, grepLines]
    : name === 'rg'
      ? [ripgrepOptions, ripgrepLines]
      : [silverOptions, silverLines];
  const read = readOptions(args, options);
  if (read === undefined) return undefined;
  const has = (...names: string[]): boolean => read.options.some((option) => names.includes(option.name));
  const isListing = name === 'rg' && has('--files');
  // If there are two ways to list, the last one applies.
  if (!isListing && has('--type-list', '--version', '--list-file-types')) return { contents: [], names: [] };
  // ag takes a value that is not a number of lines as the pattern, and the next word as a place.
  if (
    name === 'ag' &&
    read.options.some((option) => lines.test(option.name) && !/^\d+$/.test(option.value ?? ''))
  )
    return undefined;
  const pattern = (name !== 'ag' && has('-e', '--regexp')) || isListing ? 0 : 1;
  if (read.operands.length < pattern) return undefined;
  const files = read.operands.slice(pattern).map((word) => word ?? '');
  const late = isGrep ? read.late : [];
  if (isListing) return { contents: [], names: files };
  const isRecursive = !isGrep || has('-r', '--recursive');
  const isPlain = hasOnly(args, plain);
  const form = {
    ...(!isPlain && { rewrites: true }),
    ...(isPlain &&
      read.options.some(({ name: option }) => withoutText.test(option)) && { printsNoText: true }),
    ...(has('-a', '--text') && { printsBinary: true }),
  };
  if (!isRecursive)
    return { contents: [...files.filter((word) => word !== '-'), ...late], names: [], ...form };
  const tree = treeOf(name, read);
  const places = files.filter((word) => word !== '-');
  return {
    ...form,
    contents: late,
    names: [],
    trees: (files.length > 0 ? places : ['.']).map((path) => ({ ...tree, path })),
  };
}

/** The limits of a search in a folder; nothing is excluded unless that is certain. */
function treeOf(name: string, { options }: ReadOptions): Omit<Tree, 'path'> {
  const values = (...names: string[]): readonly string[] =>
    options.filter((option) => names.includes(option.name)).map(({ value }) => value ?? '');
  if (/grep$/.test(name)) {
    // If an exclusion comes first, files that no pattern names are searched.
    const isLimited = options.find(({ name: one }) => /^--(?:in|ex)clude$/.test(one))?.name === '--include';
    const only = isLimited ? values('--include') : [];
    const without = values('--exclude-dir').filter((value) => /^[\w.-]+$/.test(value));
    const codeOnly = only.length > 0 && only.every((value) => code.test(value));
    return { hidden: true, follows: false, without, codeOnly, ...(only.length > 0 && { only }) };
  }
  if (name === 'ag') {
    const isOpen = options.some((option) =>
      /^(?:-[aUu]|--(?:hidden|unrestricted|all-types|skip-vcs-ignores))$/.test(option.name),
    );
    return { hidden: isOpen, ignores: !isOpen, follows: false };
  }
  const globs = values('-g', '--glob', '--iglob');
  const wanted = globs.filter((value) => !value.startsWith('!'));
  // An explicit pattern includes even ignored and hidden files.
  const isOpen = options.some((option) =>
    /^(?:-[u.]|--(?:hidden|unrestricted|no-ignore(?:-vcs)?))$/.test(option.name),
  );
  const kinds = values('-t', '--type');
  const known = kinds.every((kind) => Object.hasOwn(types, kind));
  const isNarrow =
    wanted.length > 0 && wanted.every((value) => /^\*\.\w+$/.test(value)) && values('--iglob').length === 0;
  const only = isNarrow
    ? wanted
    : kinds.length > 0 && known && wanted.length === 0
      ? kinds.flatMap((kind) => types[kind] ?? [])
      : undefined;
  const codeOnly = isNarrow ? wanted.every((value) => code.test(value)) : only !== undefined;
  return {
    hidden: isOpen || wanted.length > 0,
    ignores: !isOpen && wanted.length === 0,
    follows: false,
    codeOnly,
    ...(only && { only }),
  };
}

function fdUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, fdOptions);
  if (read === undefined) return undefined;
  return { contents: [], names: read.operands.slice(1).map((word) => word ?? '') };
}

/**
 * Options with which grep and ripgrep print nothing but names, unchanged. Others add text (`--stats`, `--count`) or colors;
 * `-Z` separates names in GNU grep only.
 */
const listing = {
  grep: /^(?:-[EFGPIilLnrsvwxaem]|--(?:extended-regexp|fixed-strings|perl-regexp|files-with-matches|files-without-match|ignore-case|no-messages|invert-match|line-number|line-regexp|word-regexp|recursive|text|null|max-count|regexp|include|exclude|exclude-dir))$/,
  rg: /^(?:-[FPSUaeiglnstuvwxTj0.]|--(?:case-sensitive|files|files-with-matches|files-without-match|fixed-strings|glob|hidden|iglob|ignore-case|invert-match|line-number|line-regexp|max-depth|multiline|multiline-dotall|no-config|no-hidden|no-ignore|no-ignore-vcs|no-messages|null|one-file-system|pcre2|regexp|smart-case|sort|sortr|text|threads|type|type-not|unrestricted|word-regexp))$/,
} as const;

/** The files whose names `grep -l`, `rg -l` or `rg --files` prints, if it prints nothing else. */
export function printedBySearch(name: 'grep' | 'rg', args: readonly string[]): FoundFiles | undefined {
  const read = readOptions(args, searchOptions[name]);
  if (read === undefined || read.late.length > 0) return undefined;
  const has = (...names: string[]): boolean => read.options.some((option) => names.includes(option.name));
  const isFiles = has('--files');
  if (!isFiles && !has('-l', '-L', '--files-with-matches', '--files-without-match')) return undefined;
  if (!read.options.every((option) => listing[name].test(option.name))) return undefined;
  const pattern = isFiles || has('-e', '--regexp') ? 0 : 1;
  if (read.operands.length < pattern) return undefined;
  const given = read.operands.slice(pattern).map((word) => word ?? '');
  // The standard input has a name as well; without a place, BSD grep reads it.
  if (given.some((word) => word === '-' || word === '') || (given.length === 0 && name === 'grep'))
    return undefined;
  const { codeOnly, ...tree } = treeOf(name, read);
  return {
    trees: (given.length > 0 ? given : ['.']).map((path) => ({ ...tree, path })),
    hasFolders: false,
    // ripgrep drops `./` from some places, depending on its version.
    isBare: given.length === 0 || (name === 'rg' && given.some((word) => /^\.\/*$/.test(word))),
    byNul: has('-0', '--null'),
    // Without a place, ripgrep searches its input if that is a pipe, and prints this name.
    ...(given.length === 0 && !isFiles && { others: ['<stdin>'] }),
  };
}
