/** The table of read-only commands with the options that keep them read-only, with their GNU and BSD meanings. */
import type { OptionList } from '../options/readOptions.ts';
import { harmlessVariable } from '../shell/wordValues.ts';

export interface ReadOnlyCommand extends OptionList {
  /** The kind of its operands: files it shows, files it lists, or not files. */
  readonly operands: 'contents' | 'names' | 'words';
  /** Maximum number of operands; another one would be written to. */
  readonly most?: number;
  readonly least?: number;
  /** It prints parts of lines, or in another form: always, or with one of these options. */
  readonly rewrites?: true | readonly string[];
  /** A pattern that every operand must match. */
  readonly only?: RegExp;
  /** A pattern that the value of every option must match, if the program opens some values as files. */
  readonly value?: RegExp;
}

/** Without `L`, which together with `R` follows links anywhere. */
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKMNOPQRSTUVWXYZ1';
const words: ReadOnlyCommand = { operands: 'words', most: 0 };
const sums: ReadOnlyCommand = { operands: 'contents', flags: 'bt', long: ['--tag'] };
const cat: ReadOnlyCommand = {
  operands: 'contents',
  flags: 'AbeEnstTuv',
  long: ['--number', '--number-nonblank', '--show-all', '--squeeze-blank', '--show-ends', '--show-tabs'],
};

export const commands: Readonly<Record<string, ReadOnlyCommand>> = {
  arch: words,
  base64: {
    rewrites: true,
    operands: 'contents',
    flags: 'dDi',
    unsure: 'i',
    values: 'w',
    long: ['--decode', '--ignore-garbage'],
    longValues: ['--wrap'],
    most: 1,
  },
  basename: { operands: 'words', flags: 'az', values: 's' },
  cat,
  cksum: sums,
  cmp: { operands: 'contents', flags: 'bls', values: 'n', most: 2, rewrites: true },
  column: { operands: 'contents', flags: 'tx', values: 'cs', rewrites: true },
  comm: { operands: 'contents', flags: '123', most: 2 },
  cut: { operands: 'contents', flags: 'sn', values: 'bcdf', long: ['--complement'], rewrites: true },
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
    rewrites: ['-y', '--side-by-side'],
    flags: 'uqsbwBitaycNrpE',
    values: 'UCWx',
    long: [
      '--unified',
      '--brief',
      '--color',
      '--ignore-all-space',
      '--new-file',
      '--recursive',
      '--report-identical-files',
      '--side-by-side',
      '--suppress-common-lines',
    ],
    longValues: ['--exclude', '--label'],
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
    flags: 'bhiLk',
    long: ['--mime', '--mime-type', '--mime-encoding', '--brief'],
  },
  fold: { operands: 'contents', flags: 'bs', values: 'w', rewrites: true },
  groups: words,
  head: {
    operands: 'contents',
    rewrites: ['-c', '--bytes'],
    flags: 'qvz',
    values: 'cn',
    long: ['--quiet', '--verbose'],
    longValues: ['--lines', '--bytes'],
    numbers: true,
  },
  hexdump: { operands: 'contents', flags: 'Cbcdovx', values: 'ns', rewrites: true },
  hostname: { operands: 'words', flags: 'fsiId', most: 0 },
  // glibc opens a name that contains a slash: https://sourceware.org/git/?p=glibc.git;f=iconv/iconv_prog.c
  iconv: {
    rewrites: true,
    operands: 'contents',
    values: 'ft',
    flags: 'c',
    least: 1,
    value: /^[\w.:+-]+(?:\/\/(?:TRANSLIT|IGNORE)?)*$/i,
  },
  id: { operands: 'words', flags: 'ugGnr' },
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
  nl: { operands: 'contents', values: 'bwsnv' },
  nproc: { operands: 'words', long: ['--all'], most: 0 },
  od: { operands: 'contents', flags: 'abcdfilosvx', values: 'AjNt', attached: 'w', rewrites: true },
  paste: { operands: 'contents', flags: 's', values: 'd' },
  // Names of variables that contain no secrets.
  printenv: { operands: 'words', only: harmlessVariable, least: 1 },
  pwd: { operands: 'words', flags: 'LP', most: 0 },
  readlink: { operands: 'names', flags: 'femnqsvz' },
  realpath: { operands: 'names', flags: 'emLPqsz' },
  rev: { operands: 'contents', rewrites: true },
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
  tac: { operands: 'contents' },
  tail: {
    operands: 'contents',
    rewrites: ['-c', '--bytes'],
    flags: 'fFqvzr',
    values: 'cn',
    long: ['--follow', '--quiet', '--verbose'],
    longValues: ['--lines', '--bytes'],
    numbers: true,
  },
  // Any other file would be written.
  tee: { operands: 'words', flags: 'ai', only: /^\/dev\/null$/ },
  tr: { operands: 'words', flags: 'cCdst', rewrites: true },
  tree: {
    operands: 'names',
    flags: 'adfhipsuDFCnr',
    values: 'LIP',
    // In `tree -Iauto x y` the o takes y as the output file.
    isSpaced: true,
    long: ['--dirsfirst', '--noreport', '--gitignore', '--prune'],
    longValues: ['--filelimit'],
  },
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
    isFirst: true,
  },
  uptime: { operands: 'words', flags: 'ps', most: 0 },
  wc: {
    operands: 'contents',
    flags: 'clmwL',
    long: ['--lines', '--words', '--bytes', '--chars', '--max-line-length'],
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
    rewrites: true,
  },
};
