/**
 * Calls of programs with options that readers get wrong: options that write, execute or read elsewhere among harmless
 * ones, in the forms that people write.
 */
import type { Random } from './random.ts';
import type { WordKind, Words } from './words.ts';

interface HandProgram {
  readonly name: string;
  readonly options: readonly string[];
  readonly operands: readonly WordKind[];
}

const program = (name: string, options: string, ...operands: readonly WordKind[]): HandProgram => ({
  name,
  options: options.split(' ').filter((option) => option !== ''),
  operands,
});

const programs: readonly HandProgram[] = [
  program('echo', '-n -e -E -ne', 'text', 'file', 'pattern'),
  program('echo', '', 'text', 'text'),
  program('printf', '-v %d %s %b %q %x -- %i %c %5s|%q', 'text', 'text', 'pattern'),
  program('ls', '-l -a -la -R -d -1 --color=never -t --hyperlink -I x', 'file', 'pattern'),
  program('cat', '-n -A -b -s', 'file', 'pattern'),
  program('head', '-n 2 -5 -c -q -v --lines=2 -n', 'file', 'pattern'),
  program('tail', '-n 2 -5 -c -q +2 --lines=2 -n --retry --pid=1', 'file'),
  program('wc', '-l -c -w --files0-from=a.txt -L', 'file', 'pattern'),
  program(
    'sort',
    '-n -r -u -k1 -k -t, -o x -ox -o --output=x -S1 -T. -c -m --compress-program=./evil --files0-from=opts --random-source=.env',
    'file',
    'pattern',
  ),
  program('uniq', '-c -d -f1 -f -s +1', 'file', 'file'),
  program('cut', '-d, -f1 -c1-3 -d -f -s', 'file'),
  program('tr', '-d -s a b', 'text', 'text'),
  program(
    'grep',
    '-r -n -i -R -e -f a.txt -l -c -v -h -o -E -F -P -A1 --include=*.ts --include -m1 -q -rh --exclude-dir=secret -L -z -f --exclude-from=.env',
    'text',
    'file',
    'pattern',
  ),
  program(
    'rg',
    '-n -i -l -uu --hidden -g *.ts -g .env* -g !x --pre=./evil --pre -t ts -z -L -c -A 1 --files --no-ignore -. -e -uuu --ignore-file=x -f',
    'text',
    'file',
  ),
  program('sed', '-n -e -i -E -s -f w -z --in-place -i.bak --follow-symlinks -u', 'sed', 'file'),
  program('sed', '-n -e', 'sed', 'sed', 'file'),
  program('awk', '-F, -f -v x=1 -F -v x=a', 'awk', 'file'),
  program('gawk', '-F, -f -i -v x=1 -o -d -p -e -l --profile=p -E', 'awk', 'file', 'text'),
  program('mawk', '-F, -W exec -v x=1 -Wd', 'awk', 'file'),
  program('jq', '-r -c -n -f --arg x 1 --slurpfile --rawfile -L . -e -s', 'jq', 'file'),
  program('diff', '-r -u -q -N --from-file=a.txt -x a -l --paginate --to-file=src', 'file', 'file'),
  program('stat', '-c %s -f -L', 'file'),
  program('du', '-s -h -a -d 1 --files0-from=a.txt -L -X .env', 'file', 'pattern'),
  program('file', '-b -i -f -m -C -z -S', 'file'),
  program('xxd', '-r -p -l 4 -b -bc -c 4 -s', 'file', 'file'),
  program('iconv', '-f -t -o x utf-8 latin1 -l', 'file', 'file'),
  program('strings', '-n 2 -a -n @opts -t @opts -T', 'file'),
  program('tree', '-L 1 -a -o x --fromfile -l -R -H .', 'file'),
  program('column', '-t -s, -s -c', 'file'),
  program('seq', '-s -f -w 3', 'number', 'number'),
  program('test', '-f -d -n -z -v -e -eq -ne = != -o -a ! -nt -t -ef -R', 'text', 'file'),
  program('[', '-f -d -n -z -v -e -eq = != -o -a ! ]', 'text', 'file'),
  program('[[', '-f -d -n -z -v -eq == =~ ]] && || < >', 'text', 'file'),
  program(':', '', 'text', 'file', 'pattern'),
  program('true', '', 'text', 'pattern'),
  program('exit', '', 'text'),
  program('type', '-a -p', 'text'),
  program('command', '-v -V -p', 'text'),
  program('which', '-a', 'text'),
  program('date', '-u -d -s -f -r +%s --set=x --file=.env', 'text'),
  program('set', '-e -u -x -o pipefail -f -- +e -euo', 'text'),
  program('cd', '-P -L -- -', 'file'),
  program(
    'git',
    'status log -1 --oneline diff --output=x --output -O branch -D --list -a show HEAD:.env HEAD:a.txt grep -e -n -C nested -c tag -l stash list config user.name ls-files rev-parse HEAD --ext-diff --textconv --format=%G? -p --no-index blame',
    'text',
    'file',
  ),
  program('git', 'diff show log -p -1 -- --stat HEAD -U1 --cached --word-diff -S x -W', 'commit', 'file'),
  program(
    'git',
    'config --get --list -l user.name core.editor --get-regexp remote.origin.url --global x y',
    'text',
  ),
  program('xargs', '-0 -n1 -I{} wc -l cat echo sort -k rm -a .env', 'text'),
  program('env', '-i A=b NODE_ENV=x PATH=. ls -u X -S', 'text'),
  program('timeout', '5 -k 1 ls cat -s 9', 'file'),
  program('nice', '-n 5 -5 cat ls', 'file'),
  program('time', '-p cat ls', 'file'),
  program('nohup', 'ls cat', 'file'),
  program('ps', 'aux e -ef -o pid auxe args -eo environ', 'text'),
  program('tar', 'tf -tf xf -I ./evil --to-command=x tvf tzf --list', 'file', 'text'),
  program('unzip', '-l -p -v -Z -lq -Z1 -1 -o', 'file', 'text'),
  program('zipinfo', '-1 -l -z', 'file', 'text'),
  program('pgrep', '-l -f -a -F .env', 'text'),
  program('lsof', '-i -nP -t -F', 'text'),
  program(
    'less',
    '-R -F -X -o x -ox -k .env -T .env -p x +!touch\\ p60 ++x -N -P x --log-file=x',
    'file',
    'pattern',
  ),
  program('more', '-d -f -s -p x +/x +2 -n', 'file', 'pattern'),
  program('bash', '-n -i -c -x -s +n --rcfile .env', 'file', 'text'),
  program('sh', '-n -c -x -s', 'file', 'text'),
  program('zgrep', '-n -i -f -o -e x -A 1 -h -r', 'text', 'file'),
  program('join', '-t , -1 1 -2 1 -o 1.1 -a 1 -e .env -j 1', 'file', 'file'),
  program('shuf', '-n 2 -o x -e -i 1-3 -r --random-source=.env -z', 'file'),
  program('bc', '-l -q -s -i -f .env -e 1', 'file'),
  program('whereis', '-b -B . -f -l', 'text'),
  program('help', '-d -s', 'text'),
  program(
    'npm',
    'ls root prefix run pkg get set name --json config registry --prefix .. -g explain zod',
    'text',
  ),
  program('pip', 'list show freeze -f --log x --path . pip', 'text'),
  program('ss', '-t -l -n -F .env -D x', 'text'),
  program('free', '-m -h', 'text'),
  program('locale', '-a', 'text'),
  program('getconf', 'PATH ARG_MAX', 'text'),
  program('cal', '-3 2020', 'text'),
  program('export', 'x=1 PATH=.', 'text'),
  program('read', 'x -r', 'text'),
  program('eval', '', 'text'),
  program('printenv', 'HOME TOKEN', 'text'),
  program('wait', '1', 'text'),
  program('touch', '', 'file'),
  program('umask', '', 'text'),
  program('python3', '--version -V -c 1', 'text'),
  program('node', '--version -v -p 1', 'text'),
];

/** Wildcards to be expanded by the program, not by the shell. */
const escaped = (option: string): string => (option.length > 1 ? `'${option}'` : `\\${option}`);

/** One call, as words. */
export function handCall(random: Random, { quote, word }: Words): readonly string[] {
  const { below, chance, pick } = random;
  const { name, options, operands } = pick(programs);
  const words: string[] = [];
  while (options.length > 0 && chance(0.45) && words.length < 4)
    words.push(chance(0.12) ? quote(pick(options)) : pick(options).replace(/^-.*[*?{!].*|^[*(!]/, escaped));
  for (const kind of operands) if (chance(0.75)) words.push(word(kind));
  if (chance(0.1)) words.splice(below(words.length + 1), 0, word('text'));
  if (chance(0.03)) words.splice(below(words.length + 1), 0, '--');
  if (name === '[' && chance(0.9)) words.push(']');
  if (name === '[[' && chance(0.9)) words.push(']]');
  return [chance(0.03) ? quote(name) : name, ...words];
}
