/** The table of read-only commands with the options that keep them read-only, with their GNU and BSD meanings. */
import { joined, type OptionList } from '../options/readOptions.ts';
import { harmlessVariable } from '../shell/wordValues.ts';

export interface ReadOnlyCommand extends OptionList {
  /** The kind of its operands: files it shows, files it lists, or not files. `input`: not files, and it shows its input. */
  readonly operands: 'contents' | 'names' | 'words' | 'input';
  /** Maximum number of operands; another one would be written to. */
  readonly most?: number;
  readonly least?: number;
  /**
   * The options with which it prints whole lines as they are, possibly with a number or a mark and a separator before
   * them, or none of their text. With any other option, and without such a list, it may print them in another form.
   */
  readonly plain?: OptionList;
  /** A pattern that every operand must match. */
  readonly only?: RegExp;
  /** A pattern that the value of every option must match, if the program opens some values as files. */
  readonly value?: RegExp;
}

/** Without `L`, which together with `R` follows links anywhere. */
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKMNOPQRSTUVWXYZ1';
const words: ReadOnlyCommand = { operands: 'words', most: 0 };
const sums: ReadOnlyCommand = { operands: 'contents', plain: { flags: 'bt', long: ['--tag'] } };

const rows: Readonly<Record<string, ReadOnlyCommand>> = {
  arch: words,
  base64: {
    operands: 'contents',
    flags: 'dDi',
    unsure: 'i',
    values: 'w',
    long: ['--decode', '--ignore-garbage'],
    longValues: ['--wrap'],
    most: 1,
  },
  b2sum: sums,
  basename: { operands: 'words', flags: 'az', values: 's' },
  // Its language only calculates; that of `dc` also runs programs.
  bc: { operands: 'input', flags: 'lqs', long: ['--mathlib'], most: 0 },
  cat: {
    operands: 'contents',
    plain: { flags: 'bnsu', long: ['--number', '--number-nonblank', '--squeeze-blank'] },
    flags: 'AeEtTv',
    long: ['--show-all', '--show-ends', '--show-tabs'],
  },
  cksum: sums,
  cmp: { operands: 'contents', flags: 'bls', values: 'n', most: 2 },
  column: { operands: 'contents', flags: 'tx', values: 'cs' },
  comm: { operands: 'contents', plain: { flags: '123' }, most: 2 },
  cut: { operands: 'contents', flags: 'sn', values: 'bcdf', long: ['--complement'] },
  date: {
    operands: 'words',
    flags: 'uRI',
    values: 'd',
    long: ['--utc', '--iso-8601'],
    longValues: ['--rfc-3339', '--date'],
    only: /^\+/,
  },
  df: { operands: 'names', flags: 'hHkmPTia', unsure: 'T' },
  diff: {
    operands: 'contents',
    plain: {
      flags: 'uqsbwBiacENr',
      values: 'UCx',
      long: [
        '--unified',
        '--brief',
        '--color',
        '--ignore-all-space',
        '--new-file',
        '--recursive',
        '--report-identical-files',
      ],
      longValues: ['--exclude', '--label'],
    },
    // `-p` prints the beginning of a line.
    flags: 'pty',
    values: 'W',
    long: ['--side-by-side', '--suppress-common-lines'],
    most: 2,
  },
  dirname: { operands: 'words', flags: 'z' },
  du: {
    operands: 'names',
    flags: 'hsackmxbPHSl',
    values: 'd',
    long: ['--human-readable', '--summarize', '--all', '--total', '--apparent-size'],
    longValues: ['--max-depth', '--exclude'],
  },
  // A word would be evaluated, and a subscript in it runs commands.
  exit: { operands: 'words', only: /^\d+$/ },
  expand: { operands: 'contents', flags: 'i', values: 't' },
  expr: { operands: 'words' },
  file: {
    operands: 'contents',
    plain: { flags: 'bhiLk', long: ['--mime', '--mime-type', '--mime-encoding', '--brief'] },
  },
  // In BSD `-t` has a value, and in GNU `-p`.
  fmt: { operands: 'contents', flags: 'csu', values: 'w', numbers: true },
  fold: { operands: 'contents', flags: 'bs', values: 'w' },
  groups: words,
  head: {
    operands: 'contents',
    plain: {
      flags: 'qvz',
      values: 'n',
      long: ['--quiet', '--verbose'],
      longValues: ['--lines'],
      numbers: true,
    },
    values: 'c',
    longValues: ['--bytes'],
  },
  hexdump: { operands: 'contents', flags: 'Cbcdovx', values: 'ns' },
  hostname: { operands: 'words', flags: 'fsiId', most: 0 },
  // glibc opens a name that contains a slash: https://sourceware.org/git/?p=glibc.git;f=iconv/iconv_prog.c
  iconv: {
    operands: 'contents',
    values: 'ft',
    flags: 'c',
    least: 1,
    value: /^[\w.:+-]+(?:\/\/(?:TRANSLIT|IGNORE)?)*$/i,
  },
  id: { operands: 'words', flags: 'ugGnr' },
  join: {
    operands: 'contents',
    flags: 'iz',
    values: 'aejotv12',
    long: ['--header', '--ignore-case', '--check-order', '--nocheck-order'],
    least: 2,
    most: 2,
  },
  // Without a terminal it prints as `cat` does. With `+` a word is a command, and `-k`, `-o` and `-T` name files.
  less: {
    operands: 'contents',
    plain: {
      flags: 'EFIKMNRSXeimnqrs',
      long: [
        '--chop-long-lines',
        '--no-init',
        '--quit-if-one-screen',
        '--raw-control-chars',
        '--RAW-CONTROL-CHARS',
      ],
    },
    only: /^[^+]/,
  },
  ls: {
    operands: 'names',
    flags: letters,
    unsure: 'ITw',
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
    ],
    longValues: ['--sort', '--time-style'],
  },
  md5sum: sums,
  // As `less`, with the options that more and less agree on.
  more: { operands: 'contents', plain: { flags: 'cdfsu' }, only: /^[^+]/ },
  nl: { operands: 'contents', plain: { values: 'bnvw' }, values: 's' },
  nproc: { operands: 'words', long: ['--all'], most: 0 },
  od: { operands: 'contents', flags: 'abcdfilosvx', values: 'AjNt', attached: 'w' },
  paste: { operands: 'contents', flags: 's', values: 'd' },
  // Names of variables that contain no secrets.
  printenv: { operands: 'words', only: harmlessVariable, least: 1 },
  pwd: { operands: 'words', flags: 'LP', most: 0 },
  readlink: { operands: 'names', flags: 'femnqsvz' },
  realpath: { operands: 'names', flags: 'emLPqsz' },
  rev: { operands: 'contents' },
  seq: { operands: 'words', flags: 'w', values: 'sf' },
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
  sha224sum: sums,
  sha384sum: sums,
  shasum: { operands: 'contents', plain: { values: 'a' } },
  shuf: {
    operands: 'contents',
    plain: { flags: 'r', values: 'n', long: ['--repeat'], longValues: ['--head-count'] },
    values: 'i',
    longValues: ['--input-range'],
    most: 1,
  },
  sleep: { operands: 'words', only: /^[\d.]+[smhd]?$/ },
  sort: {
    operands: 'contents',
    plain: {
      flags: 'bdfghiMnrRsuVz',
      values: 'kt',
      long: ['--unique', '--reverse', '--numeric-sort', '--human-numeric-sort', '--version-sort'],
      longValues: ['--key', '--field-separator'],
    },
  },
  stat: {
    operands: 'names',
    flags: 'Lftx',
    unsure: 'ft',
    values: 'c',
    long: ['--dereference'],
    longValues: ['--format', '--printf'],
  },
  // `@file`, at any position, is a file with more options and files.
  strings: { operands: 'contents', flags: 'af', values: 'nt', only: /^[\w./ -]/, value: /^\w*$/ },
  tac: { operands: 'contents', plain: {} },
  tail: {
    operands: 'contents',
    plain: {
      flags: 'fFqvzr',
      values: 'n',
      long: ['--follow', '--quiet', '--verbose'],
      longValues: ['--lines'],
      numbers: true,
    },
    values: 'c',
    longValues: ['--bytes'],
  },
  // Any other file would be written.
  tee: { operands: 'input', plain: { flags: 'ai' }, only: /^\/dev\/null$/ },
  tr: { operands: 'input', flags: 'cCdst' },
  tree: {
    operands: 'names',
    flags: 'adfhipstuvDFCJnr',
    values: 'LIP',
    // In `tree -Iauto x y` the o takes y as the output file.
    isSpaced: true,
    long: ['--dirsfirst', '--du', '--noreport', '--gitignore', '--prune'],
    longValues: ['--filelimit'],
  },
  tty: words,
  type: { operands: 'words', flags: 'aptPf' },
  uname: { operands: 'words', flags: 'amnrspvio', most: 0 },
  // A second operand would be written to.
  uniq: {
    operands: 'contents',
    plain: {
      flags: 'cdiuDz',
      values: 'fsw',
      long: ['--count', '--repeated', '--unique'],
      isFirst: true,
    },
    most: 1,
  },
  uptime: { operands: 'words', flags: 'ps', most: 0 },
  wc: {
    operands: 'contents',
    plain: {
      flags: 'clmwL',
      long: ['--lines', '--words', '--bytes', '--chars', '--max-line-length'],
    },
  },
  which: { operands: 'words', flags: 'as' },
  whoami: words,
  xxd: {
    operands: 'contents',
    flags: 'abeipuE',
    values: 'cglos',
    most: 1,
    isSingle: true,
    isFirst: true,
  },
};

/** With all their options: those in `plain` too. */
export const commands: Readonly<Record<string, ReadOnlyCommand>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, joined(row, row.plain ?? {})]),
);
