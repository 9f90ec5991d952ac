/**
 * Calls generated from the reader's own tables: every program and every allowed option, in every order and spelling
 * that it understands. A value may be anything, because a program may do more with it than the table says.
 */

import type { OptionList } from '../../../src/permissions/options/readOptions.ts';
import { commands } from '../../../src/permissions/readOnly/commands.ts';
import { gitCommands } from '../../../src/permissions/readOnly/gitOptions.ts';
import { searchOptions } from '../../../src/permissions/readOnly/search.ts';
import type { Random } from './random.ts';
import type { WordKind, Words } from './words.ts';

interface TableProgram {
  /** The name, and the subcommand of git. */
  readonly start: string;
  readonly options: OptionList;
  readonly operands: readonly WordKind[];
}

const searches: readonly TableProgram[] = Object.entries({
  ...searchOptions,
  egrep: searchOptions.grep,
  fgrep: searchOptions.grep,
}).map(([start, options]) => ({ start, options, operands: ['text', 'file', 'file'] }));

const plain: readonly TableProgram[] = Object.entries(commands)
  // It only waits.
  .filter(([start]) => start !== 'sleep')
  .map(([start, options]) => ({
    start,
    options,
    operands: options.operands === 'words' ? ['text'] : ['file', 'file'],
  }));

const repository: readonly TableProgram[] = Object.entries(gitCommands).map(([name, options]) => ({
  start: `git ${name}`,
  options,
  operands: options.operands === 'words' ? ['text', 'commit'] : ['commit', 'commit', 'file'],
}));

const gitGrep: TableProgram = {
  start: 'git grep',
  options: {
    flags: 'EFGPHILachilnopqrvwWzO',
    values: 'ABCemf',
    long: [
      '--cached',
      '--untracked',
      '--no-index',
      '--and',
      '--or',
      '--not',
      '--recurse-submodules',
      '--open-files-in-pager',
    ],
    longValues: ['--max-depth', '--context', '--threads'],
  },
  operands: ['text', 'commit', 'file'],
};

/** Possible values of options. */
const values = [
  '1',
  '2',
  '5',
  '10',
  '0',
  '-1',
  '+2',
  '1,2',
  '1-3',
  'x',
  ',',
  ':',
  'a',
  '',
  "' '",
  '%s',
  '%d',
  '%f',
  "'%n %s'",
  "'%G?'",
  "'*.ts'",
  "'*.txt'",
  "'*'",
  "'!x'",
  "'.env*'",
  "'**'",
  '.env',
  '@opts',
  '@.env',
  './evil',
  '../../outside/o.txt',
  'src',
  'always',
  'never',
  'auto',
  'name',
  'time',
  'size',
  'none',
  'utf-8',
  'UTF-16',
  'latin1',
  'ts',
  'js',
  'all',
  'f',
  'd',
  'a.txt',
  'yesterday',
  'now',
  '2020-01-01',
  'HEAD',
  'main',
  "'|touch p30'",
  "'sh -c x'",
  "'$(touch p31)'",
  '/dev/null',
  'foo',
  'one',
  "'{}'",
  "'s/a/b/'",
  "'^x'",
  '1,2:a.txt',
  '1,2:.env',
  ':f:a.txt',
  '/x/,+1:src/app.ts',
  'medium',
  'oneline',
  "'format:%H'",
  // Options, for programs where an option takes no value, or none as a separate word.
  '--',
  '--list',
  '--no-list',
  '--output=p32',
  '--files0-from=.env',
  '--contents=.env',
  '-D',
  '-o',
];

/** One call, as words. */
export function tableCall(random: Random, words: Words): readonly string[] {
  const { chance, pick } = random;
  const group = pick([searches, searches, plain, plain, plain, repository, repository, [gitGrep]]);
  const { start, options, operands } = pick(group);
  const given = random.some(0, 3, () => oneOption(random, options, words)).flat();
  const named = operands.filter((_, at) => chance(at === 0 ? 0.85 : 0.4)).map((kind) => words.word(kind));
  const global =
    start.startsWith('git') && chance(0.08)
      ? pick(['-C src', '-C nested', '-C ..', '--no-pager', '-P', '-C bare', '-c a.b=c'])
      : '';
  const [name = '', ...sub] = start.split(' ');
  const all = chance(0.75) ? [...given, ...named] : shuffled(random, [...given, ...named]);
  if (chance(0.05)) all.splice(random.below(all.length + 1), 0, '--');
  return [name, ...(global === '' ? [] : global.split(' ')), ...sub, ...all];
}

/** An option with its value, if it takes one: `-n5`, `-n 5`, `-vn5`, `--lines=5`, `--lines 5`, `--lin=5`, `-5`. */
function oneOption(random: Random, list: OptionList, { word }: Words): readonly string[] {
  const { below, chance, pick } = random;
  const value = (): string => (chance(0.12) ? word('file') : pick(values));
  const { flags = '', values: valued = '', attached = '', long = [], longValues = [] } = list;
  const letters = [...flags, ...(list.isSingle ? [] : [...valued])];
  const kinds = [
    ...(letters.length > 0 ? ['flags', 'flags'] : []),
    ...(valued.length > 0 ? ['valued', 'valued'] : []),
    ...(attached.length > 0 ? ['attached'] : []),
    ...(long.length > 0 ? ['long'] : []),
    ...(longValues.length > 0 ? ['longValue', 'longValue'] : []),
    ...(list.numbers ? ['number'] : []),
    // An option from no table, or from another program's.
    ...(chance(0.1) ? ['any'] : []),
  ];
  if (kinds.length === 0) return [];
  const bundle = (): string => (flags.length > 0 ? random.some(0, 2, () => pick([...flags])).join('') : '');
  switch (pick(kinds)) {
    case 'flags':
      return [`-${random.some(1, 3, () => pick(letters)).join('')}`];
    case 'valued': {
      const option = `-${list.isSingle ? '' : bundle()}${pick([...valued])}`;
      return chance(0.5) ? [`${option}${value()}`] : [option, value()];
    }
    case 'attached':
      return [`-${bundle()}${pick([...attached])}${chance(0.7) ? value() : ''}`];
    case 'long': {
      const option = pick(long);
      return [chance(0.25) ? `${option}=${value()}` : option];
    }
    case 'longValue': {
      const option = pick(longValues);
      const shown = chance(0.1) ? option.slice(0, 4 + below(option.length - 3)) : option;
      return chance(0.5) ? [`${shown}=${value()}`] : [shown, value()];
    }
    case 'number':
      return [`-${below(20)}`];
    default:
      return [`-${pick([...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.@'])}`];
  }
}

function shuffled<T>({ below }: Random, list: readonly T[]): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(below(left.length), 1));
}
