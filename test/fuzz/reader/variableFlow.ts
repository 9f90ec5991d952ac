/** Ways in which a value does or does not reach a command: a reader has to follow them to know which file is meant. */
import type { Random } from './random.ts';

const values = [
  ...['a.txt', 'b.txt', 'src', 'src/app.ts', 'x', '-n', '1', '""'],
  ...['../../outside/o.txt', '.env', '../..', '~/n.txt', '"$TOKEN"', '*.txt', '-o'],
];

const names = ['"$x"', '$x', `"\${x}"`, '"$x".txt', '"$HOME/$x"'];

/** A command that may set `x` again before or next to `command`, which reads it. */
export function variableFlow(random: Random, command: string): string {
  const { chance, pick } = random;
  // Statements inside each other are read by other code than those side by side.
  const use = chance(0.3) ? variableFlow(random, command) : command;
  const set = `${pick(['', '', '', 'export '])}x=${pick(values)}`;
  const other = `x=${pick(values)}`;
  const test = pick(['true', 'false', '[ -f a.txt ]', '! ls', 'cd src']);
  const flow = pick([
    `if ${set}; then ${use}; fi`,
    `if ${test}; then ${set}; fi; ${use}`,
    `if ${test}; then ${set}; else ${use}; fi`,
    `if ${test}; then :; elif ${set}; ${test}; then :; else ${use}; fi`,
    `if ${test}; then :; elif ${set}; ${test}; then ${other}; elif ${test}; then ${use}; fi`,
    `case a in a) ${set};& b) ${use};; esac`,
    `case a in ?) ${set};;& *) ${use};; esac`,
    `case a in b) ${set};; a) ${use};; esac; ${use}`,
    `case $x in a*) ${set};; esac; ${use}`,
    `${test} && ${set}; ${use}`,
    `${test} && ${set} || ${use}`,
    `${set} | ${use}`,
    `${test} | ${set}; ${use}`,
    `${set} & ${use}`,
    `{ ${set}; }; ${use}`,
    `(${set}); ${use}`,
    `! ${set}; ${use}`,
    `while ${set}; do ${use}; break; done; ${use}`,
    `until ${use}; do ${set}; break; done`,
    `for i in 1 2; do ${use}; ${set}; done`,
    `for x in ${pick(values)} ${pick(values)}; do ${use}; ${set}; done; ${use}`,
    `for x in; do ${set}; done; ${use}`,
    `eval '${set}'; ${use}`,
    `bash -c '${set}'; ${use}`,
    `bash -c '${set}; ${use}' ${pick(values)} ${pick(values)}`,
    `${set} ${use}`,
    `${set} ${other}; ${use}`,
    `y=$x ${set}; x=$y; ${use}`,
    `y=$x; ${set}; ${use.replaceAll('x', 'y')}`,
    `: "$(${set})"; ${use}`,
    `: \${x:=${pick(values)}}; ${use}`,
    `unset x; ${use}`,
    `x+=/${pick(values)}; ${use}`,
    `f() { ${set}; }; f; ${use}`,
    `set -- ${pick(values)}; x=$1; ${use}`,
    `${set} && cd src && ${use}`,
    `cd src; ${set}; cd ..; ${use}`,
    `${set}; echo x ${pick(['>', '>>', '>|', '2>', '&>', '<>'])} ${pick(names)}`,
    `${set}; ${use} ${pick(['<', '0<', '3<', '<<<'])} ${pick(names)}`,
    `LOG=${pick(values)}; x=$LOG; echo y >> ${pick(['"$LOG"', '$LOG', ...names])}; ${use}`,
    `read ${pick(['-r x', 'x', 'x y', '-r -p p x', '-rd "" x', 'LOG'])} ${pick(['< a.txt', '<<< ../n.txt', '< .env', ''])}; ${use}`,
    `${set}; [[ ${pick(names)} ${pick(['==', '!=', '=', '=~'])} ${pick(['*.txt', 'a*', ...names, ...values])} ]] && ${use}`,
    `${set}; [ ${pick(names)} = ${pick(values)} ] || ${use}`,
  ]);
  return chance(0.85) ? `x=${pick(values)}; ${flow}` : flow;
}
