/** Finds the words of a command that its program, not the shell, expands as patterns of files. */
import { readHarmless } from './harmlessOptions.ts';
import type { ProgramRow } from './programRow.ts';
import { rowOf, scriptRow, tableName } from './programTable.ts';
import { scriptAt, scriptNameAt, toolAt } from './riskyOptions.ts';

export interface ExpandedWord {
  /** Its index among the words of the command; the program is 0. */
  readonly at: number;
  /** The word, or the value of an option. */
  readonly text: string;
  /** Whether the program shows all files that it finds in a folder. */
  readonly showsFolders: boolean;
  /** The option that selects files below `text`, a folder or file, by a pattern of any kind. */
  readonly selectedBy?: string;
}

/** Excludes the text of options, such as the name of a test, and words after `--` that a script does not get. */
export function expandedWords(argv: readonly (string | null)[]): readonly ExpandedWord[] {
  const tool = toolAt(argv) || scriptAt(argv);
  if (tool > 0) return movedBy(tool, expandedWords(argv.slice(tool)));
  const row = rowOf(tableName(argv[0]));
  if (row === undefined) return [];
  if (row.passesOn === 'script') {
    const from = scriptNameAt(row, argv) ?? argv.indexOf('--');
    return from === -1 ? [] : movedBy(from, wordsOf(scriptRow, [null, ...argv.slice(from + 1)]));
  }
  return wordsOf(row, argv);
}

/**
 * Options that select the files a program reads by a regular expression, a pattern or an extension of its own kind.
 * Sources: the manuals of black, flake8, pytest, ruff, coverage, eslint, mocha, jest and c8.
 */
const selecting =
  /^--?(?:(?:extend-)?includes?|include-in-doctest|doctest-glob|filename|ext|extensions?|test(?:Regex|Match)|spec)(?:=(.*))?$/s;

/** Extensions that no secret has, separated by commas. */
const sources = /^\.?(?:[cm]?[jt]sx?|vue|svelte|astro|pyi?)(?:,\.?(?:[cm]?[jt]sx?|vue|svelte|astro|pyi?))*$/;

/** Whatever the pattern: the current folder and the operands, if an option selects files in them. */
function selectedWords(argv: readonly (string | null)[]): readonly ExpandedWord[] {
  return argv.flatMap((option, at) => {
    const found = at === 0 || option === null ? null : selecting.exec(option);
    if (found === null) return [];
    const [name = ''] = found[0].split('=');
    if (/^--?ext/.test(name) && !name.includes('include') && sources.test(found[1] ?? argv[at + 1] ?? ''))
      return [];
    const operands = argv.slice(1).filter((word) => word !== null && word !== '' && !word.startsWith('-'));
    return ['.', ...operands].flatMap((text) =>
      text === null ? [] : [{ at, text, showsFolders: true, selectedBy: name }],
    );
  });
}

function wordsOf(row: ProgramRow, argv: readonly (string | null)[]): readonly ExpandedWord[] {
  const selected = selectedWords(argv);
  const { expands } = row;
  const has = (option: RegExp): boolean => argv.some((word) => option.test(word ?? ''));
  if (expands === undefined || (expands.with !== undefined && !has(expands.with))) return selected;
  const texts = readHarmless(row, argv, 1, argv.length)?.texts;
  const showsFolders = expands.showsUnless !== undefined && !has(expands.showsUnless);
  const operands = argv.flatMap((word, at) => {
    if (at === 0 || word === null || texts?.has(at)) return [];
    const text = word.startsWith('-') ? word.replace(/^[^=]*=?/, '') : word;
    return text === '' ? [] : [{ at, text, showsFolders }];
  });
  return [...operands, ...selected];
}

const movedBy = (offset: number, words: readonly ExpandedWord[]): readonly ExpandedWord[] =>
  words.map((word) => ({ ...word, at: word.at + offset }));
