/** Commands whose words are the names that another command prints: with `xargs`, in `$(…)`, and in loops. */
import { findTests } from './programTexts.ts';
import type { Random } from './random.ts';
import type { Words } from './words.ts';

const folders = ['.', './', 'src', 'docs', 'odd', 'src/deep', '.hidden', 'secret', 'inner', 'nested', 'link'];
const files = [
  'a.txt',
  '"my file.txt"',
  'link.txt',
  'key-link',
  '-o.txt',
  '.env',
  '*',
  "'*'",
  "'a*'",
  '..',
  ':/',
  '~',
];
const endings = ["'*.ts'", "'*.txt'", "'*.md'", "'src/*.ts'", "'*env'", '*.txt', "':!x'", "'*.'"];

const listed = [
  ...['', '', '', '-z', '-c', '-m', '-d', '--', '--cached', '--modified', '--deduplicate', '--error-unmatch'],
  ...[
    '-o',
    '-s',
    '-t',
    '-v',
    '-i -x a',
    '--exclude-standard',
    '--full-name',
    '--eol',
    '--debug',
    '--sparse',
    '-zm',
  ],
  ...[
    '--recurse-submodules',
    '--with-tree=HEAD',
    "--format='%(path)'",
    '--abbrev',
    '--directory',
    '-f',
    '-u',
  ],
];
const searched = [
  ...['-l', '-l', '-l', '-L', '--files-with-matches', '--files-without-match', '-i', '-w', '-n', '-s', '-v'],
  ...[
    '-e one',
    '-E',
    '-F',
    '-x',
    '-a',
    '-I',
    '-m1',
    '--null',
    '-0',
    '-Z',
    '-c',
    '-q',
    '-H',
    '-h',
    '-o',
    '-z',
  ],
  ...[
    "--include='*.ts'",
    "--include='.e*'",
    "--exclude='.env'",
    '--exclude-dir=secret',
    '--color=always',
    '-R',
  ],
];
const globbed = [
  ...[
    '-l',
    '-l',
    '-l',
    '--files',
    '--files',
    '-0',
    '--null',
    '--hidden',
    '-.',
    '-u',
    '-uu',
    '--no-ignore',
    '-i',
  ],
  ...[
    "-g '*.ts'",
    "-g '.e*'",
    "-g '!x'",
    '-t md',
    '-e one',
    '-v',
    '-n',
    '--stats',
    '--color=always',
    '-p',
    '-L',
  ],
  ...[
    '--files-without-match',
    '--sort path',
    '--max-depth 1',
    '-c',
    '--path-separator=x',
    '--follow',
    '-j 1',
  ],
];
/** Programs that get the names, and words between. */
const takers = [
  ...[
    'wc -l',
    'cat',
    'ls',
    'ls -lL',
    'head -1',
    'head -n 2',
    'tail -n 1',
    'sort',
    'grep x',
    'grep -n one',
    'grep -l x',
  ],
  ...[
    'grep -r x',
    'rg x',
    'rg x src/util',
    'sed -n p',
    "sed -n 's/x/y/p'",
    'awk 1',
    "awk '{print $1}'",
    'file',
    'stat',
  ],
  ...[
    'nl',
    'cksum',
    'strings',
    'diff a.txt',
    'uniq',
    'tac',
    'du -s',
    'basename',
    'echo',
    'test -f',
    'git blame',
    'tar tf',
  ],
  ...[
    'git log --',
    'rm',
    'tee',
    'xargs cat',
    'jq .',
    'comm',
    'paste',
    'md5sum',
    'realpath',
    'cut -c1-5',
    'tree',
    'find',
  ],
];
const xargsOptions = [
  ...[
    '',
    '',
    '',
    '-0 ',
    '-0 ',
    '-n1 ',
    '-n 2 ',
    '-r ',
    '-P2 ',
    '-0 -n 1 ',
    '-I{} ',
    '-t ',
    '--null ',
    '-a a.txt ',
  ],
  ...['-d x ', '-L1 ', '-E x ', '-i '],
];
/** Programs between the two; some print other lines than they read. */
const filters = [
  ...[
    'head',
    'head -2',
    'head -n 1',
    'head -c 5',
    'tail -n +2',
    'tail -1',
    'tail -c 6',
    'sort',
    'sort -u',
    'sort -r',
  ],
  ...[
    'sort -t / -k 2',
    'sort -n',
    'uniq',
    'uniq -c',
    'uniq -d',
    'cat',
    'cat -n',
    'tac',
    'grep t',
    'grep -v x',
    'grep -n t',
  ],
  ...[
    'grep -o e.*',
    'grep -c t',
    'grep -E "a|s"',
    'grep -iF T',
    'grep -w a',
    'grep -m 1 t',
    'grep -A 1 a',
    'grep -z t',
  ],
  ...[
    'egrep t',
    'rg t',
    'rg -v t',
    'rg -n t',
    'sed 1q',
    'sed -n 1,2p',
    'sed 2d',
    'sed s/a/b/',
    'sed p',
    'cut -c 2-',
  ],
  ...[
    'awk 1',
    'tr a b',
    'rev',
    'nl',
    'tee /dev/null',
    'sort a.txt',
    'grep t a.txt',
    'head -1 a.txt',
    "sed '1!d'",
  ],
];
const reads = [
  'read f',
  'read -r f',
  'IFS= read -r f',
  'read -r f g',
  'IFS=/ read -r f',
  'read -s f',
  'read -n 3 f',
];
/** Commands in a loop that may read the lines of the loop. */
const inBody = [
  ...[
    '',
    '',
    'echo "$f"; ',
    'head -c 2; ',
    'cat; ',
    'read g; ',
    'ls; ',
    'wc -l; ',
    'grep x; ',
    'cd src; ',
    'f=a.txt; ',
  ],
  ...[
    'cat a.txt; ',
    '[ -f "$f" ] && ',
    'head -n "$f"; ',
    'sort | head -1; ',
    'true; ',
    'git status -s; ',
    'rg x; ',
  ],
];
const commits = ['main', 'HEAD', 'other', 'v1', 'HEAD~1', 'main~9', '$x', '-a', '"stash@{0}"'];

/** A command that prints names of files. */
function printing(random: Random, { word }: Words): string {
  const { chance, pick, some } = random;
  const place = (): string => (chance(0.7) ? pick(folders) : chance(0.7) ? pick(files) : word('file'));
  const ending = (): string => (chance(0.4) ? pick(endings) : place());
  const command = pick([
    () => ['git ls-files', ...some(0, 2, () => pick(listed)), ...some(0, 2, ending)],
    () => ['git ls-files', ...some(0, 2, ending), ...some(0, 1, () => pick(listed))],
    () => [
      'rg',
      ...some(1, 3, () => pick(globbed)),
      ...some(0, 1, () => pick(['x', '.', 'one'])),
      ...some(0, 2, place),
    ],
    () => ['grep -rl', ...some(0, 2, () => pick(searched)), pick(['x', "''", 'one']), ...some(0, 2, place)],
    () => ['grep', ...some(1, 3, () => pick(searched)), pick(['x', "''", 'one']), ...some(1, 2, place)],
    () => ['find', ...some(0, 2, place), findTests(random)],
    () => [
      'find',
      ...some(0, 1, place),
      pick(["-name '*.txt'", '-type f', "-name '*.md' -print0", '-print0']),
    ],
  ])();
  const dropped = chance(0.15)
    ? pick([' 2>/dev/null', ' 2> /dev/null', ' 2>&1', ' >/dev/null', ' 2>/tmp/p70'])
    : '';
  const start = chance(0.05)
    ? pick(['timeout 5 ', 'env LANG=C ', 'GIT_DIR=bare ', 'command ', 'cd src && ', '! '])
    : '';
  return `${start}${command.filter((one) => one !== '').join(' ')}${dropped}`;
}

/** A command with these names as words. */
export function foundNames(random: Random, words: Words): string {
  const { chance, pick, some } = random;
  const print = (): string => printing(random, words);
  const take = (): string => pick(takers);
  const filtered = (): string => some(1, 2, () => pick(filters)).join(' | ');
  const before = chance(0.15)
    ? pick(['cd src && ', 'cd docs; ', 'cd odd && ', 'IFS=/; ', 'x=1; ', 'set -e; '])
    : '';
  const command = pick([
    () => `${print()} | xargs ${pick(xargsOptions)}${take()}`,
    () => `${print()} | xargs ${pick(xargsOptions)}${take()}`,
    () =>
      `${print()} ${pick(['|', '|', '|&'])} ${filtered()} | xargs ${pick(['', '', '-0 ', '-n1 '])}${take()}`,
    () => `${take()} $(${print()} | ${filtered()})`,
    () => `for f in $(${print()} | ${filtered()}); do ${take()} "$f"; done`,
    () =>
      `${print()} ${chance(0.3) ? `| ${filtered()} ` : ''}| while ${pick(reads)}; do ${pick(inBody)}${take()} ${pick(['"$f"', '$f', '"./$f"'])}; ${pick(inBody)}done${pick(['', '', '', ' 2>/dev/null', ' < a.txt', '; cat "$f"'])}`,
    () => `for i in $(seq ${pick(['3', '1 3', '0 2', '3 1', '-1 1', '1 2 5', 'x'])}); do ${take()} $i; done`,
    () =>
      `n=$(${print()} | wc ${pick(['-l', '-c', '-l a.txt', ''])}); ${pick(['echo', 'ls', 'test -n', 'head'])} ${pick(['$n', '"$n"', '-$n'])}`,
    () => `${take()} $(${print()})`,
    () => `${take()} ${pick(['$(', '$( ', '"$('])}${print()})${pick(['', '', '"', '.x', ' a.txt'])}`,
    () =>
      `for f in ${pick(['', 'a.txt '])}$(${print()}); do ${take()} ${pick(['"$f"', '$f', '"$f".x', '"./$f"'])}; ${pick(['', 'cd src; '])}done`,
    () => `x=$(${print()}); ${take()} ${pick(['$x', '"$x"'])}`,
    () =>
      `git ${pick(['diff', 'log', 'log -p', 'show', 'diff --stat', 'rev-parse', 'grep x', 'cat-file -p'])} ${pick(['', '"'])}$(git merge-base ${pick(commits)} ${pick(commits)})${pick(['', '..HEAD', '...HEAD', ':.env', '..'])}`,
    () =>
      `b=$(git ${pick(['merge-base', 'describe', 'rev-parse'])} ${pick(commits)} ${pick(commits)}); git ${pick(['diff', 'log -p', 'show'])} ${pick(['$b', '"$b"', '$b..HEAD', '"$b":.env'])}`,
  ])();
  return `${before}${command}`;
}
