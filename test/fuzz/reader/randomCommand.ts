// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of a shell.
/** Random shell commands, biased towards what readers of commands get wrong. The same seed gives the same commands. */

export type Random = () => number;

/** Mulberry32: small, fast, and good enough to choose with. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const files = [
  'a.txt',
  'b.txt',
  'src/app.ts',
  'src/util/x.ts',
  'my file.txt',
  '-o',
  '--pre=x',
  '-rf',
  '.env',
  '.env.local',
  'src',
  'docs',
  '.',
  '..',
  './src',
  'src/../a.txt',
  'secret/id_rsa',
  'secret',
  'link',
  'inner',
  'link.txt',
  '../outside/o.txt',
  'nested',
  'bare',
  'x',
  'FILE',
  '[id].ts',
  '{a,b}',
  '~',
  '~/n.txt',
  '/etc/passwd',
  'data.json',
  "quote's.txt",
  'odd',
];
const patterns = [
  '*',
  '*.txt',
  'src/*',
  '?',
  '[a-b]*',
  '*.ts',
  'src/**/*.ts',
  './*',
  '-*',
  '.*',
  '.e*',
  '[!.]*',
  '*/x*',
  's*/*',
  '*e*',
  '??*',
  'link*',
  '[-]*',
  '*[s]*',
  'a*',
  '.[a-z]*',
  '../*',
  '~/*',
  '*.json',
];
const braces = [
  '{a,b}.txt',
  '{a.txt,.env}',
  '{1..3}',
  '{-o,FILE}',
  '{,x}',
  '{.e,x}nv',
  'src/{app,x}.ts',
  '{a..c}',
  '-{n,o}',
  '@{u}',
  '{}',
  "{'',.env}",
  'a{b',
  '{-v,x}',
  '{1..9..2}',
  '{a,{b,.env}}',
];
const evil = [
  'a[$(touch p1)]',
  '$(touch p2)',
  '`touch p3`',
  'path[$(touch p4)]',
  '-Otouch p5;:',
  '$x',
  '${x}',
  '"',
  "'",
  '\\',
  ';touch p6',
  '|touch p7',
  '&touch p8&',
  '\ntouch p9\n',
  '#',
  '!',
  '%d',
  '%s',
  '%n',
  '-v',
  'x[$(touch p10)]',
  '$(<.env)',
  '${TOKEN}',
  '$TOKEN',
  '=touch',
  '~root',
  '<(touch p11)',
  '$((x))',
  '$[x]',
  '${x:=y}',
  '${x[1]}',
  '$x[1]',
  '$x:h',
  '${x:i}',
  '${!x}',
  '$=TOKEN',
  '$~TOKEN',
  '$#TOKEN',
  '${#TOKEN}',
  '$+TOKEN',
  '*(e:touch p12:)',
  '^a',
  'a#b',
  '>p13',
  '2>p14',
  '&>p15',
  '>&p16',
  '$-',
  '$@',
  '$1',
  '${x%.*}',
  '${TOKEN:-a}',
  '${TOKEN:+a}',
  "$'a'",
  '$"a"',
  '-e',
  '--',
  '-',
  '(',
  ')',
  '{',
  '}',
  ']',
  '[',
  '=',
  '==',
  'a=b',
];
const text = [
  'foo',
  'x',
  'SEC',
  '.',
  '',
  '1',
  '10',
  'a b',
  '^.*$',
  'T',
  '%s\\n',
  'hello',
  'a|b',
  '1,5p',
  's/a/b/',
  '{print $1}',
  '{print}',
  'NR==1',
  '.name',
  '5',
  '2',
];
const variables = [
  'x',
  'y',
  'f',
  'path',
  'TOKEN',
  'HOME',
  'PATH',
  'i',
  'status',
  '_',
  'argv',
  'IFS',
  'PWD',
  'CI',
  'HOSTNAME',
];

const awkPieces = [
  'print',
  'print $1',
  '$1',
  '>',
  '"x"',
  '"/"',
  '/',
  '/x/',
  '/"/',
  ';',
  '\n',
  '{',
  '}',
  '(',
  ')',
  ',',
  '|',
  '"sh"',
  'getline',
  'x',
  '1',
  'system("touch p")',
  '> "p"',
  '| "touch p"',
  'if (1)',
  'else',
  '+',
  '++',
  '~',
  '[',
  ']',
  '#',
  'BEGIN',
  'END',
  'ENVIRON["TOKEN"]',
  '"ls" | getline',
  'printf "%s"',
  'FILENAME',
  'NR == 1',
  '< ".env"',
  '?',
  ':',
  '&&',
  'in',
  '!',
  '\\',
];

interface Program {
  readonly name: string;
  readonly options: readonly string[];
  readonly operands: readonly ('file' | 'text' | 'pattern' | 'awk')[];
}
const program = (name: string, options: string, ...operands: Program['operands']): Program => ({
  name,
  options: options.split(' ').filter((option) => option !== ''),
  operands,
});

const programs: readonly Program[] = [
  program('echo', '-n -e -E -ne', 'text', 'file', 'pattern'),
  program('echo', '', 'text', 'text'),
  program('printf', '-v %d %s %b %q %x -- %i', 'text', 'text'),
  program('ls', '-l -a -la -R -d -1 --color=never -t --hyperlink -I x', 'file', 'pattern'),
  program('cat', '-n -A -b -s', 'file', 'pattern'),
  program('head', '-n 2 -5 -c -q -v --lines=2 -n', 'file', 'pattern'),
  program('tail', '-n 2 -5 -c -q +2 --lines=2 -n', 'file'),
  program('wc', '-l -c -w --files0-from=a.txt -L', 'file', 'pattern'),
  program(
    'sort',
    '-n -r -u -k1 -k -t, -o x -ox -o --output=x -S1 -T. -c -m --compress-program=./evil',
    'file',
    'pattern',
  ),
  program('uniq', '-c -d -f1 -f -s', 'file', 'file'),
  program('cut', '-d, -f1 -c1-3 -d -f -s', 'file'),
  program('tr', '-d -s a b', 'text', 'text'),
  program(
    'grep',
    '-r -n -i -R -e -f a.txt -l -c -v -h -o -E -F -P -A1 --include=*.ts --include -m1 -q -rh --exclude-dir=secret -L -z -f',
    'text',
    'file',
    'pattern',
  ),
  program('egrep', '-r -n', 'text', 'file'),
  program(
    'rg',
    '-n -i -l -uu --hidden -g *.ts -g .env* -g !x --pre=./evil --pre -t ts -z -L -c -A 1 --files --no-ignore -. -e',
    'text',
    'file',
  ),
  program(
    'find',
    '-name *.ts -type f -exec -delete -print -print0 -maxdepth 1 -o -not ! ( ) -fprint x -ls -printf %p -path -newer a.txt -L -H',
    'file',
  ),
  program('sed', '-n -e -i -E -s -f w 1,5p 1e s/a/b/w s/a/b/e', 'text', 'file'),
  program('awk', '-F, -f -v x=1', 'awk', 'file'),
  program('diff', '-r -u -q -N --from-file=a.txt -x a', 'file', 'file'),
  program('stat', '-c %s -f -L', 'file'),
  program('du', '-s -h -a -d 1 --files0-from=a.txt -L', 'file', 'pattern'),
  program('file', '-b -i -f -m -C -z', 'file'),
  program('od', '-c -w -A x -t x1 -N 4 -w8', 'file'),
  program('xxd', '-r -p -l 4 -b -bc -c 4 -s', 'file', 'file'),
  program('base64', '-d -w 0 -w', 'file'),
  program('nl', '-b a -s', 'file'),
  program('tac', '-s -b', 'file'),
  program('rev', '', 'file'),
  program('paste', '-d, -s -d', 'file', 'file'),
  program('comm', '-12 -1', 'file', 'file'),
  program('cmp', '-l -n 4 -i', 'file', 'file'),
  program('column', '-t -s, -s -c', 'file'),
  program('fold', '-w 10 -w -s', 'file'),
  program('seq', '-s -f -w 3', 'text', 'text'),
  program('expr', '', 'text', 'text'),
  program('basename', '-a -s', 'text', 'file'),
  program('dirname', '', 'file'),
  program('realpath', '-e', 'file'),
  program('readlink', '-f', 'file'),
  program('test', '-f -d -n -z -v -e -eq -ne = != -o -a ! -nt -t', 'text', 'file'),
  program('[', '-f -d -n -z -v -e -eq = != -o -a ! ]', 'text', 'file'),
  program('[[', '-f -d -n -z -v -eq == =~ ]] && || < >', 'text', 'file'),
  program(':', '', 'text', 'file', 'pattern'),
  program('true', '', 'text', 'pattern'),
  program('exit', '', 'text'),
  program('type', '-a -p', 'text'),
  program('command', '-v -V', 'text'),
  program('which', '-a', 'text'),
  program('date', '-u -d -s -f -r +%s', 'text'),
  program('set', '-e -u -x -o pipefail -f -- +e -euo', 'text'),
  program('cd', '-P -L --', 'file'),
  program(
    'git',
    'status log -1 --oneline diff --output=x --output -O branch -D --list -a show HEAD:.env HEAD:a.txt grep -e -n -C nested -c tag -l stash list config user.name ls-files rev-parse HEAD --ext-diff --textconv --format=%G? -p --no-index blame',
    'text',
    'file',
  ),
  program('xargs', '-0 -n1 -I{} wc -l cat echo sort -k rm', 'text'),
  program('env', '-i A=b NODE_ENV=x PATH=. ls', 'text'),
  program('timeout', '5 -k 1 ls cat', 'file'),
  program('jq', '-r -c -n -f --arg env $ENV .', 'text', 'file'),
  program('strings', '-n 2 -a', 'file'),
  program('ps', 'aux e -ef -o pid auxe', 'text'),
  program('tar', 'tf -tf xf -I ./evil --to-command=x', 'file'),
  program('export', 'x=1 PATH=.', 'text'),
  program('read', 'x -r', 'text'),
  program('eval', '', 'text'),
  program('printenv', '', 'text'),
  program('touch', '', 'file'),
  program('umask', '', 'text'),
];

export function randomCommand(random: Random): string {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const chance = (share: number): boolean => random() < share;

  const quote = (word: string): string => {
    switch (below(9)) {
      case 0:
        return `'${word.replaceAll("'", "'\\''")}'`;
      case 1:
        return `"${word}"`;
      case 2:
        return word.replace(/[^\w./-]/g, '\\$&');
      case 3:
        return word.length > 1 ? `${word.slice(0, 1)}"${word.slice(1)}"` : `"${word}"`;
      case 4:
        return chance(0.2) ? `$'${word}'` : word;
      default:
        return word;
    }
  };
  const awk = (): string => {
    const pieces = Array.from({ length: 1 + below(8) }, () => pick(awkPieces)).join(chance(0.5) ? ' ' : '');
    return `'${chance(0.6) ? `{ ${pieces} }` : pieces}'`;
  };
  const word = (kind: 'file' | 'text' | 'pattern' | 'awk'): string => {
    if (kind === 'awk') return awk();
    if (chance(0.05)) return quote(pick(evil));
    if (chance(0.06)) return pick(braces);
    if (chance(0.1)) return chance(0.7) ? `"$${pick(variables)}"` : `$${pick(variables)}`;
    if (chance(0.03)) return `"$(${simple()})"`;
    if (kind === 'pattern' || chance(0.06)) return chance(0.85) ? pick(patterns) : quote(pick(patterns));
    return quote(kind === 'file' ? pick(files) : pick(text));
  };
  const simple = (): string => {
    const { name, options, operands } = pick(programs);
    const words: string[] = [];
    while (options.length > 0 && chance(0.45) && words.length < 4)
      words.push(chance(0.12) ? quote(pick(options)) : pick(options).replace(/^[*(!]/, '\\$&'));
    for (const kind of operands) if (chance(0.75)) words.push(word(kind));
    if (chance(0.1)) words.splice(below(words.length + 1), 0, word('text'));
    if (chance(0.03)) words.splice(below(words.length + 1), 0, '--');
    if (name === '[' && chance(0.9)) words.push(']');
    if (name === '[[' && chance(0.9)) words.push(']]');
    if (name === 'find' && chance(0.3))
      words.push('-exec', ...simple().split(' '), pick(['{}', '{}', 'x']), pick(['\\;', '+']));
    const prefix = chance(0.03) ? `${pick(variables)}=${word('text')} ` : '';
    return `${prefix}${chance(0.03) ? quote(name) : name}${words.map((one) => ` ${one}`).join('')}${redirect()}`;
  };
  const redirect = (): string => {
    if (chance(0.9)) return '';
    return pick([
      ' 2>/dev/null',
      ' >/dev/null',
      ' 2>&1',
      ` < ${word('file')}`,
      ` <<< ${word('text')}`,
      ` > ${word('file')}`,
      ' &>/dev/null',
      ` <<EOF\n${pick(evil)} ${pick(text)}\nEOF`,
      ` <<'EOF'\n${pick(evil)}\nEOF`,
      ' >&2',
      ' <&-',
      ' >|x',
      ' <>x',
      ` <<-E\n\t${pick(evil)}\n\tE`,
    ]);
  };
  const statement = (depth: number): string => {
    if (depth > 2 || chance(0.55)) return simple();
    switch (below(15)) {
      case 0:
        return `${statement(depth + 1)}; ${statement(depth + 1)}`;
      case 1:
        return `${statement(depth + 1)} ${pick(['&&', '||'])} ${statement(depth + 1)}`;
      case 2:
        return `${statement(depth + 1)} ${pick(['|', '|', '|&'])} ${simple()}`;
      case 3:
        return `(${statement(depth + 1)})`;
      case 4:
        return `{ ${statement(depth + 1)}; }`;
      case 5: {
        const name = pick(['f', 'i', 'x']);
        const list = Array.from({ length: 1 + below(3) }, () =>
          word(pick(['file', 'pattern', 'text'] as const)),
        );
        const body = chance(0.6)
          ? `${pick(['wc -l', 'cat', 'echo', 'ls', 'head -1', 'sort', 'grep x', ':', 'test -f'])} ${pick([`"$${name}"`, `$${name}`, `"$${name}.txt"`, `src/$${name}`, `"./$${name}"`])}`
          : statement(depth + 1);
        return `for ${name} in ${list.join(' ')}; do ${body}; done`;
      }
      case 6:
        return `if ${simple()}; then ${statement(depth + 1)}; else ${statement(depth + 1)}; fi`;
      case 7:
        return `case ${word('text')} in ${pick(['a', '*', 'a|b', '$x'])}) ${statement(depth + 1)};; esac`;
      case 8:
      case 9: {
        const name = pick(['x', 'y', 'f', 'path', 'i', '_', 'status', 'argv']);
        return `${name}=${word(pick(['file', 'text', 'pattern'] as const))}; ${chance(0.6) ? `${pick(['cat', 'echo', 'ls', 'grep x', 'sort', 'head -n', '[ -f', ':', 'cd'])} ${pick([`"$${name}"`, `$${name}`, `"$${name}"x`, `\${${name}}`])}` : statement(depth + 1)}`;
      }
      case 10:
        return `cd ${word('file')} && ${statement(depth + 1)}`;
      case 11:
        return `find ${word('file')} ${pick(['-name "*.ts"', '-type f', '', '-print0'])} | xargs ${pick(['', '-0 '])}${pick(['wc -l', 'cat', 'grep x', 'ls', 'sort', 'head'])}`;
      case 12:
        return `${pick(['bash', 'sh'])} -c ${quote(statement(depth + 1))}`;
      case 13:
        return `! ${statement(depth + 1)}`;
      default:
        return `${statement(depth + 1)} & ${pick(['', simple()])}`;
    }
  };
  return statement(0);
}
