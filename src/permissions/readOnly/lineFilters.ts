/** Programs that print some of the lines of their input, unchanged, and nothing else. */
import { type OptionList, readOptions } from '../options/readOptions.ts';

interface Filter extends OptionList {
  /** How many operands it has, none of which is a file. */
  readonly operands?: number;
}

const matching: Filter = {
  flags: 'EFGPaisvwx',
  values: 'm',
  long: ['--extended-regexp', '--fixed-strings', '--ignore-case', '--invert-match', '--word-regexp'],
  operands: 1,
};
const first: Filter = { values: 'n', longValues: ['--lines'], numbers: true };

/** Without options that print numbers, parts of lines or separators, and without `-z`. */
const filters: Readonly<Record<string, Filter>> = {
  cat: {},
  egrep: matching,
  fgrep: matching,
  grep: matching,
  head: first,
  rg: { ...matching, flags: 'FPaisvwx' },
  sort: { flags: 'MRVbdfghinrsu', values: 'kt', long: ['--reverse', '--unique', '--version-sort'] },
  tac: {},
  tail: first,
  uniq: { flags: 'diu' },
};

/** A script of sed that prints or deletes lines by number. */
const linesByNumber = /^\d+(?:,(?:\d+|\$))?[pdq]$/;

export function keepsLines([name = '', ...args]: readonly string[]): boolean {
  if (name === 'sed') {
    const [script = '', ...files] = args[0] === '-n' ? args.slice(1) : args;
    return linesByNumber.test(script) && files.length === 0;
  }
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
  const read = filter && readOptions(args, filter);
  return read !== undefined && read.operands.length === (filter?.operands ?? 0);
}
