/** The table of read-only commands with the options that keep them so. GNU and BSD meanings alike. */
import type { OptionList } from './options.ts';

export interface ReadOnlyCommand extends OptionList {
  /** What its operands are: files that it shows, files that it lists, or no files. */
  readonly operands: 'contents' | 'names' | 'words';
  /** How many operands it may have; more of them would be written to. */
  readonly most?: number;
  /** What every operand must look like. */
  readonly only?: RegExp;
  /** No option of its does harm, so that a file named like one does not matter. */
  readonly anyOption?: boolean;
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1';
const words: ReadOnlyCommand = { operands: 'words', most: 0 };
const sums: ReadOnlyCommand = { operands: 'contents', flags: 'bt', long: ['--tag'] };
const cat: ReadOnlyCommand = {
  operands: 'contents',
  flags: 'AbeEnstTuv',
  long: ['--number', '--number-nonblank', '--show-all', '--squeeze-blank', '--show-ends', '--show-tabs'],
  anyOption: true,
};

export const commands: Readonly<Record<string, ReadOnlyCommand>> = {
  arch: words,
  basename: { operands: 'words', flags: 'az', values: 's' },
  cat,
  cksum: sums,
  cmp: { operands: 'contents', flags: 'bls', values: 'n', most: 2 },
  column: { operands: 'contents', flags: 'tx', values: 'cs' },
  comm: { operands: 'contents', flags: '123', most: 2 },
  cut: { operands: 'contents', flags: 'sn', values: 'bcdf', long: ['--complement'] },
  date: {
    operands: 'words',
    flags: 'uRI',
    values: 'd',
    long: ['--utc', '--iso-8601', '--rfc-3339', '--date'],
    only: /^\+/,
  },
  df: { operands: 'names', flags: 'hHkmPTia' },
  diff: {
    operands: 'contents',
    flags: 'uqsbwBitay',
    values: 'UCW',
    long: ['--unified', '--brief', '--color', '--ignore-all-space', '--stat', '--side-by-side'],
    most: 2,
  },
  dirname: { operands: 'words', flags: 'z' },
  du: {
    operands: 'names',
    flags: 'hsackmxbLPHS',
    values: 'd',
    long: ['--max-depth', '--human-readable', '--summarize'],
  },
  // A word would be calculated, and a subscript in it runs commands.
  exit: { operands: 'words', only: /^\d+$/ },
  expand: { operands: 'contents', flags: 'i', values: 't' },
  expr: { operands: 'words' },
  false: words,
  file: {
    operands: 'contents',
    flags: 'bhiLk',
    long: ['--mime', '--mime-type', '--mime-encoding', '--brief'],
  },
  fold: { operands: 'contents', flags: 'bs', values: 'w' },
  groups: words,
  head: {
    operands: 'contents',
    flags: 'qvz',
    values: 'cn',
    long: ['--lines', '--bytes', '--quiet', '--verbose'],
    numbers: true,
    anyOption: true,
  },
  hexdump: { operands: 'contents', flags: 'Cbcdovx', values: 'ns' },
  hostname: words,
  id: { operands: 'words', flags: 'ugGnr' },
  ls: {
    operands: 'names',
    flags: letters,
    long: [
      '--all',
      '--almost-all',
      '--color',
      '--classify',
      '--directory',
      '--full-time',
      '--group-directories-first',
      '--human-readable',
      '--recursive',
      '--reverse',
      '--size',
      '--sort',
      '--time-style',
    ],
    anyOption: true,
  },
  md5sum: sums,
  nl: { operands: 'contents', values: 'bwsnv' },
  nproc: { operands: 'words', long: ['--all'], most: 0 },
  od: { operands: 'contents', flags: 'abcdfilosvx', values: 'AjNtw' },
  paste: { operands: 'contents', flags: 's', values: 'd' },
  pwd: { operands: 'words', flags: 'LP', most: 0 },
  readlink: { operands: 'names', flags: 'femnqsvz' },
  realpath: { operands: 'names', flags: 'emLPqsz' },
  rev: { operands: 'contents' },
  seq: { operands: 'words', flags: 'w', values: 'sf' },
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
  shasum: { operands: 'contents', values: 'a' },
  sleep: { operands: 'words', only: /^[\d.]+[smhd]?$/ },
  sort: {
    operands: 'contents',
    flags: 'bdfghiMnrRsuVz',
    values: 'kt',
    long: ['--unique', '--reverse', '--numeric-sort', '--human-numeric-sort', '--version-sort'],
    longValues: ['--key', '--field-separator'],
  },
  stat: { operands: 'names', flags: 'Ltx', values: 'cf', long: ['--format', '--printf', '--dereference'] },
  strings: { operands: 'contents', flags: 'af', values: 'nt' },
  tac: { operands: 'contents' },
  tail: {
    operands: 'contents',
    flags: 'fFqvzr',
    values: 'cn',
    long: ['--lines', '--bytes', '--follow', '--quiet', '--verbose'],
    numbers: true,
    anyOption: true,
  },
  tr: { operands: 'words', flags: 'cCdst' },
  tree: {
    operands: 'names',
    flags: 'adfhilpsuDFCnr',
    values: 'LIP',
    long: ['--dirsfirst', '--noreport', '--gitignore', '--prune', '--filelimit'],
  },
  true: words,
  tty: words,
  type: { operands: 'words', flags: 'aptPf' },
  uname: { operands: 'words', flags: 'amnrspvio', most: 0 },
  // A second operand would be written to.
  uniq: {
    operands: 'contents',
    flags: 'cdiuDz',
    values: 'fsw',
    long: ['--count', '--repeated', '--unique'],
    most: 1,
  },
  uptime: { operands: 'words', flags: 'ps', most: 0 },
  wc: {
    operands: 'contents',
    flags: 'clmwL',
    long: ['--lines', '--words', '--bytes', '--chars', '--max-line-length'],
  },
  which: { operands: 'words', flags: 'as' },
  whoami: words,
  xxd: { operands: 'contents', flags: 'abeipuE', values: 'cglos', most: 1 },
  ':': { operands: 'words' },
};

/** Programs that only say their version. Left out: those that run project code or download first. */
export const versions: Readonly<Record<string, readonly string[]>> = {
  bash: ['--version'],
  bun: ['--version'],
  clang: ['--version'],
  cmake: ['--version'],
  curl: ['--version', '-V'],
  deno: ['--version'],
  docker: ['--version'],
  gcc: ['--version'],
  git: ['--version'],
  java: ['-version', '--version'],
  javac: ['-version', '--version'],
  make: ['--version'],
  node: ['--version', '-v'],
  npm: ['--version', '-v'],
  perl: ['--version', '-v'],
  php: ['--version', '-v'],
  pip: ['--version', '-V'],
  pip3: ['--version', '-V'],
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
  rg: ['--version'],
  ruby: ['--version'],
  tar: ['--version'],
  tsc: ['--version', '-v'],
};
