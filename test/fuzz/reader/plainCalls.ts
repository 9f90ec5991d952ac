/** Calls that are usually well formed, so that they test meaning rather than syntax. */
import { programText } from './programTexts.ts';
import type { Random } from './random.ts';
import type { Words } from './words.ts';

const filterOptions = {
  awk: ['-F,', '-v x=1'],
  sed: ['-n', '-E', '-nE', '-s', '-ne'],
  jq: ['-r', '-n', '-c'],
};

/** A call of a program with a filter and a file: most mistakes are in the filter. */
export function filterCall(random: Random, { word }: Words): readonly string[] {
  const { chance, pick } = random;
  const kind = pick(['awk', 'sed', 'jq'] as const);
  const name = kind === 'awk' ? pick(['awk', 'gawk', 'mawk']) : kind;
  const options = chance(0.4) ? [pick(filterOptions[kind])] : [];
  return [name, ...options, programText(random, kind), ...(chance(0.8) ? [word('file')] : [])];
}

const searches: readonly (readonly [name: string, options: readonly string[]])[] = [
  [
    'rg',
    [
      '-n',
      '-i',
      '-l',
      '-.',
      '--hidden',
      '-uu',
      '-uuu',
      '-u',
      '--no-ignore',
      '--no-ignore-vcs',
      '-tmd',
      '-tts',
    ],
  ],
  [
    'rg',
    [
      "-g '.e*'",
      "-g '*.ts'",
      "--glob='**/.env'",
      "-g '!*.ts'",
      "-g '*env'",
      "-g 'src/**'",
      "-g '{a,.env}'",
      '-.',
    ],
  ],
  [
    'grep -r',
    [
      "--include='.e*'",
      "--include='*.ts'",
      "--include='?env'",
      "--exclude='.env'",
      '--exclude-dir=src',
      '-l',
    ],
  ],
  [
    'grep -r',
    [
      "--include='*'",
      "--exclude='.e*'",
      '--exclude-dir=.hidden',
      '--exclude-dir=secret',
      '-n',
      '-i',
      '-L',
      '-c',
    ],
  ],
  [
    'ag',
    ['-n', '-u', '-U', '-a', '--hidden', '-l', '--skip-vcs-ignores', '-G env', '--ignore x', '--depth 1'],
  ],
  ['git grep', ['--untracked', '--cached', '-l', '-n', '-i', '-c', '--max-depth 1', '-e x']],
  ['fd', ['-H', '-I', '-l', '-e ts', '-t f', '-d 1', '-u']],
];
const places = [
  '.',
  './',
  'src',
  'docs',
  '.hidden',
  'secret',
  'inner',
  'src/deep',
  'src/*',
  '*',
  '*/',
  'src .hidden',
  'a.txt',
  '**',
];

/** A search of everything or of one place, with options that exclude files. */
export function searchCall({ chance, pick, some }: Random): readonly string[] {
  const [name, options] = pick(searches);
  const given = some(0, 3, () => pick(options));
  return [name, ...given, pick(['x', '.', "''", 'one', "'x 1'"]), ...(chance(0.5) ? [pick(places)] : [])];
}

/** A comparison of two folders or files. */
export const compareCall = ({ pick, some }: Random): readonly string[] => [
  'diff',
  ...some(0, 2, () => pick(['-r', '-rq', '-ru', "-x '.e*'", '-x .env', '-N', '-s'])),
  pick(places),
  pick(places),
];
