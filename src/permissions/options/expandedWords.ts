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

function wordsOf(row: ProgramRow, argv: readonly (string | null)[]): readonly ExpandedWord[] {
  const { expands } = row;
  const has = (option: RegExp): boolean => argv.some((word) => option.test(word ?? ''));
  if (expands === undefined || (expands.with !== undefined && !has(expands.with))) return [];
  const texts = readHarmless(row, argv, 1, argv.length)?.texts;
  const showsFolders = expands.showsUnless !== undefined && !has(expands.showsUnless);
  return argv.flatMap((word, at) => {
    if (at === 0 || word === null || texts?.has(at)) return [];
    const text = word.startsWith('-') ? word.replace(/^[^=]*=?/, '') : word;
    return text === '' ? [] : [{ at, text, showsFolders }];
  });
}

const movedBy = (offset: number, words: readonly ExpandedWord[]): readonly ExpandedWord[] =>
  words.map((word) => ({ ...word, at: word.at + offset }));
