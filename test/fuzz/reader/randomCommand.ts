/** Random shell commands, biased towards what command readers get wrong. The same seed gives the same commands. */

import type { Job } from './confine.ts';
import { foundNames } from './foundNames.ts';
import { handCall } from './handPrograms.ts';
import { compareCall, filterCall, searchCall } from './plainCalls.ts';
import { findTests } from './programTexts.ts';
import type { Random } from './random.ts';
import { tableCall } from './tablePrograms.ts';
import { variableFlow } from './variableFlow.ts';
import { wordsFrom } from './words.ts';
import { TOP } from './wordTables.ts';

/** Programs that get a variable, or the names printed by `find`. */
const takers = [
  'wc -l',
  'cat',
  'echo',
  'ls',
  'head -1',
  'sort',
  'grep x',
  ':',
  'test -f',
  'test -z',
  'tar tf',
  'strings',
  'awk 1',
  'unzip -l',
  'git blame',
  'sed -n p',
  'printf %s',
  'file',
  'git log --',
  'grep -r x',
  'tail -n 1',
  'nl',
];

/** Working directories; the project's root most of the time. */
const folders = ['src', 'docs', 'odd', 'src/deep', '.hidden', '.git'];

/** What a redirection may begin with: a descriptor, or something that looks like one. */
const descriptors = ['', '', '0', '1', '2', '2', '3', '9', '10', '{x}', 'x', 'a2', '2 '];
const directions = ['<', '>', '>>', '<>', '>|', '<&', '>&', '&>', '&>>', '>!', '<<<', '>&!'];
const devices = [
  ...['/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/fd/0', '/dev/fd/2', '/dev/fd/3', '/proc/self/fd/2'],
  ...['/dev/fd/0/..', '/dev/tty', '/dev/null', '0', '1', '2', '3', '-', '2-', '&', '!', '(ls)'],
];

/** Variables that a shell or a program gives a meaning, and values that one of them calculates with. */
const meaningful = [
  ...[
    'COLUMNS',
    'LINES',
    'SECONDS',
    'HISTSIZE',
    'SAVEHIST',
    'OPTIND',
    'KEYTIMEOUT',
    'FUNCNEST',
    'TMOUT',
    'RANDOM',
  ],
  ...[
    'LC_ALL',
    'LANG',
    'LC_CTYPE',
    'LANGUAGE',
    'TZ',
    'TERM',
    'NODE_ENV',
    'CI',
    'DEBUG',
    'PORT',
    'IFS',
    'ENV',
  ],
  ...[
    'PATH',
    'path',
    'fpath',
    'cdpath',
    'psvar',
    'BASH_ENV',
    'PS4',
    'LD_PRELOAD',
    'GIT_PAGER',
    'PWD',
    'HOME',
  ],
  ...['NULLCMD', 'READNULLCMD', 'GLOBIGNORE', 'CDPATH', 'argv', 'match', 'status', 'histchars', 'mapfile'],
];
const meanings = [
  ...[
    "'path[$(touch p60)]'",
    "'a[$(touch p61)]'",
    '80',
    '0',
    'C',
    'C.UTF-8',
    'zh_CN.GBK',
    'en_US.UTF-8',
    './evil',
  ],
  ...[
    'src',
    ':',
    '/',
    '..',
    '../../outside',
    '1',
    'x',
    '"$TOKEN"',
    '~/n.txt',
    'UTC',
    'dumb',
    ':../../outside/o.txt',
  ],
];

/** A command for the tree in `top`. `isFound`: one whose words another command prints. */
export const randomJob = (random: Random, top: string, isFound = false): Job => ({
  folder: random.chance(0.85) ? '.' : random.pick(folders),
  command: randomCommand(random, isFound).replaceAll(TOP, top),
});

export function randomCommand(random: Random, isFound = false): string {
  const { chance, pick, some } = random;
  const words = wordsFrom(random, () => simple());
  const { quote, variable, word } = words;

  const simple = (): string => {
    const make = pick([
      ...[handCall, handCall, handCall, handCall, tableCall, tableCall, tableCall, tableCall],
      ...[find, filterCall, searchCall, chance(0.2) ? compareCall : searchCall],
    ]);
    const call = make(random, words);
    const prefix = chance(0.03)
      ? `${variable()}=${word('text')} `
      : chance(0.03)
        ? `${pick(meaningful)}${pick(['=', '=', '=', '+='])}${pick(meanings)} `
        : '';
    const wrapper = chance(0.04)
      ? `${pick(['timeout 5', 'nice', 'env LANG=C', 'command', 'time', 'nohup', 'stdbuf -oL', 'env -i', 'xargs'])} `
      : '';
    const [before, after] = chance(0.05) ? [redirect(), ''] : ['', redirect()];
    return `${prefix}${before === '' ? '' : `${before.trimStart()} `}${wrapper}${call.join(' ')}${after}`;
  };
  const find = (): readonly string[] => {
    const places = some(0, 2, () => word('file'));
    const run = chance(0.5)
      ? `-exec ${simple()} ${pick(['{}', '{}', 'x', '{} x', '{}/x'])} ${pick(['\\;', '+', "';'"])}`
      : '';
    return ['find', ...places, findTests(random), run, chance(0.1) ? findTests(random) : ''].filter(
      (one) => one !== '',
    );
  };
  const redirect = (): string => {
    if (chance(0.9)) return '';
    return pick([
      ...[
        ' 2>/dev/null',
        ' >/dev/null',
        ' 2>&1',
        ' &>/dev/null',
        ' >&2',
        ' <&-',
        ' >|x',
        ' <>x',
        ' 3>&1',
        ' >&-',
        ' 2>&1 >/dev/null',
      ],
      ...[
        ` < ${word('file')}`,
        ` < ${word('pattern')}`,
        ` <<< ${word('text')}`,
        ` > ${word('file')}`,
        ` >> ${word('file')}`,
        ` 3< ${word('file')}`,
        ` < <(${simple()})`,
        ` ${pick(descriptors)}${pick(directions)}${pick(['', ' '])}${pick(devices)}`,
        ` ${pick(descriptors)}${pick(directions)}${pick(['', '', ' '])}${word('file')}`,
        ` ${pick(descriptors)}<${word('file')} ${pick(descriptors)}>${pick(devices)}`,
      ],
      ...[
        ` <<EOF\n${words.trap()} ${word('text')}\nEOF`,
        ` <<'EOF'\n${words.trap()}\nEOF`,
        ` <<-E\n\t${words.trap()}\n\tE`,
      ],
      ...[
        ` <<"E" 2>&1\n${words.trap()}\nE`,
        ` <<E |cat\n${words.trap()}\nE`,
        ` <<\\E\n${words.trap()}\nE`,
        ` >/dev/shm/x`,
        ` >/tmp/p40`,
      ],
    ]);
  };
  const statement = (depth: number): string => {
    if (depth > 2 || chance(0.55)) return simple();
    const next = (): string => statement(depth + 1);
    switch (random.below(27)) {
      case 23:
      case 24:
      case 25:
      case 26:
        return foundNames(random, words);
      case 20:
        return unusual(next);
      case 21:
        return `${pick(['', 'env ', 'for ', 'export '])}${pick(meaningful)}=${pick(meanings)}${pick(['; ', ' ', '\n', ' && ', ' in a; do '])}${next()}`;
      case 0:
        return `${next()}${pick(['; ', ';', '\n', '\n\n', ' # x\n'])}${next()}`;
      case 1:
        return `${next()} ${pick(['&&', '||', '&&\n', '||\n'])} ${next()}`;
      case 2:
        return `${next()} ${pick(['|', '|', '|&', '|\n'])} ${simple()}`;
      case 3:
        return pick([`(${next()})`, `( ${next()}\n)`, `((${next()}))`]);
      case 4:
        return `{ ${next()}; }${redirect()}`;
      case 5: {
        const name = pick(['f', 'i', 'x', variable()]);
        const list = some(0, 3, () => word(pick(['file', 'pattern', 'text'] as const)));
        return `for ${name}${chance(0.95) ? ` in ${list.join(' ')}` : ''}; do ${chance(0.6) ? taking(name) : next()}; done${redirect()}`;
      }
      case 6:
        return `if ${simple()}; then ${next()}; ${pick(['', `elif ${simple()}; then ${next()}; `])}else ${next()}; fi`;
      case 7:
        return `case ${chance(0.3) ? pick(['$TOKEN', '"$TOKEN"', '"$x"', '$1']) : word(pick(['text', 'file'] as const))} in ${some(1, 2, () => `${casePattern()}) ${next()}${pick([';;', ';;', ';&', ';;&'])} `).join('')}esac`;
      case 8:
      case 9: {
        const name = pick(['x', 'y', 'f', variable()]);
        const value = word(pick(['file', 'text', 'pattern'] as const));
        return `${name}${chance(0.05) ? '+' : ''}=${value}${pick(['; ', ' && ', '\n'])}${chance(0.6) ? taking(name) : next()}`;
      }
      case 10:
        return `cd ${word('file')} ${pick(['&&', '&&', ';', '||'])} ${next()}`;
      case 11:
        return `${find().join(' ')} | xargs ${pick(['', '-0 ', '-n1 ', '-r ', '-I{} ', '-P2 '])}${chance(0.7) ? pick(takers) : simple()}`;
      case 12:
        return `${pick(['bash', 'sh', 'zsh', 'dash', 'bash -e', 'env bash'])} -c ${quote(chance(0.3) ? taking(pick(['1', '@', '0', '*'])) : next())}${chance(0.4) ? ` ${word('text')} ${word('file')}` : ''}`;
      case 13:
        return `! ${next()}`;
      case 14:
        return `${pick(['while', 'until'])} ${simple()}; do ${next()}; break; done`;
      case 15:
        return `${pick(['f', 'ls', 'cat', 'x'])}() { ${next()}; }; ${pick(['f', 'ls', 'cat', simple()])}`;
      case 16:
        return `${pick(['eval', 'command', 'builtin', 'exec', 'export', 'local', 'declare', 'readonly', '.', 'source'])} ${chance(0.5) ? quote(next()) : next()}`;
      case 17:
        return `${pick(takers)} ${pick(['$(', '"$('])}${next()})${chance(0.5) ? '"' : ''}`;
      case 18:
        return `${next()} & ${pick(['', simple()])}`;
      default:
        return variableFlow(random, taking('x'));
    }
  };
  /** Forms that shells read in different ways, or that hide where a command ends. */
  const unusual = (next: () => string): string =>
    pick([
      () => `while read ${pick(['x', '-r x', 'PATH'])}; do ${taking('x')}; done < <(${next()})`,
      () => `${next()} | while read x; do ${taking('x')}; done`,
      () => `coproc ${pick(['', 'x '])}${next()}`,
      () => `time ${pick(['', '-p ', '! ', '-- '])}${next()}`,
      () =>
        `${pick(['command', 'exec', 'nocorrect', 'noglob', 'builtin', '-', 'env -i', 'env --', 'nice -n 5'])} ${simple()}`,
      () => `{ ${next()} } always { ${next()} }`,
      () =>
        `${pick(['repeat 1', 'foreach x (a b)', 'select x in a;', 'for x (a b)', 'if (ls)', 'while (ls)'])} ${pick(['do', '', '{'])} ${next()}; ${pick(['done', 'end', '}', ''])}`,
      () =>
        `[[ ${word('text')} ${pick(['=~', '==', '<', '-nt', '-eq'])} ${word('pattern')} ]] ${pick(['&&', '||'])} ${simple()}`,
      () => `((${pick(['x=1', '1', 'x++', 'a[0]'])}))${pick([' && ', '; '])}${next()}`,
      () =>
        `${pick(['set', 'shopt -s', 'setopt', 'unset', 'trap', 'alias', 'hash', 'ulimit', 'umask'])} ${word('text')}; ${next()}`,
      () =>
        `${simple()} ${pick(['&!', '&|', '|&', '&&&', ';;', ';|', '; ;', '||&', '&;', '!', '# '])} ${simple()}`,
      () =>
        `case ${word('text')} in ${pick(['(', ''])}${casePattern()}) cat <<'E'\n${words.trap()}\nE\n;; esac`,
      () => `echo "$(cat <<'E'\n${words.trap()}\nE\n)"${pick(['', ';', ' '])}${simple()}`,
      () => `cat <<'E' ${pick(['|', '&&', ';', '&'])} ${simple()}\n${words.trap()}\nE\n${simple()}`,
      () => joined(next()),
      () =>
        `${pick(['function f', 'f ()', 'function f()', '() '])} { ${next()}; }${pick(['', '; f', ' && f x'])}`,
      () =>
        `echo ${pick(['~+', '~-', '~root', '~/x', '=ls', '*(.)', '*(e:x:)', '^a', '**/', '<1-9>', '!!', '!$', '%1', '@(a)'])}; ${simple()}`,
    ])();
  /** The text with something in one place that may join or split words. */
  const joined = (text: string): string => {
    const at = random.below(text.length + 1);
    const seam = pick([
      '\\\n',
      '\\',
      '\n',
      '\t',
      '\u00a0',
      '\u2003',
      '\u0085',
      '\\ ',
      '""',
      "''",
      '#',
      ' #',
      '$',
      '`',
      '2',
      '!',
    ]);
    return `${text.slice(0, at)}${seam}${text.slice(at)}`;
  };
  const taking = (name: string): string =>
    `${pick(takers)} ${pick([`"$${name}"`, `$${name}`, `"$${name}"x`, `\${${name}}`, `"$${name}.txt"`, `src/$${name}`, `"./$${name}"`, `"\${${name}%.*}"`, `"\${${name}#*/}"`, `{a,$${name}}`, `-$${name}`, `-- $${name}`])}`;
  const casePattern = (): string =>
    pick([
      'a',
      '*',
      'a|b',
      'a*',
      'b*|"$x"',
      '$x',
      '"$x"',
      '$TOKEN',
      '"$TOKEN"*',
      `\${TOKEN%?????????}`,
      '(a',
      '[a-z]',
      word('text'),
      word('pattern'),
      words.trap(),
    ]);
  /** The text with some of its tokens moved, doubled, left out or replaced by those of another command. */
  const shuffled = (text: string): string => {
    const tokens = (of: string): string[] => of.match(/\s+|[\w./-]+|[^\s\w]/g) ?? [];
    const all = tokens(text);
    const others = tokens(statement(1));
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      const [from, to] = [random.below(all.length + 1), random.below(all.length + 1)];
      pick([
        () => all.splice(from, 1),
        () => all.splice(to, 0, ...all.slice(from, from + 1)),
        () => all.splice(to, 0, ...all.splice(from, 1 + random.below(3))),
        () => all.splice(to, 0, pick(others)),
        () =>
          all.splice(
            to,
            0,
            pick([';', '&', '|', '\n', ' ', '(', ')', '{', '}', '&&', '<', '>', '"', "'", '!', '[', ']']),
          ),
      ])();
    }
    return all.join('');
  };
  const whole = (): string => (isFound ? foundNames(random, words) : statement(0));
  return chance(isFound ? 0.1 : 0.25) ? shuffled(whole()) : whole();
}
