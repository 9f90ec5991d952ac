import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Language, Parser } from 'web-tree-sitter';
import { decide } from '../../../src/permissions/decide.ts';
import { createShellParser } from '../../../src/permissions/shell/loadParser.ts';
import type { ParsedCommand } from '../../../src/permissions/shell/parsedCommand.ts';
import { policyFor, root, shellParser, wasmFolder } from '../harness.ts';

let parse: (command: string) => ParsedCommand;
beforeAll(async () => {
  parse = await shellParser();
});

describe('a command is split into', () => {
  test.each<[string, (string | null)[][]]>([
    ['ls -la', [['ls', '-la']]],
    ['a && b || c; d & e | f |& g', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
    ['a\nb', [['a'], ['b']]],
    ['(a; {  b; })', [['a'], ['b']]],
    ['! a', [['a']]],
    ['echo $(a $(b)) `c`', [['b'], ['a', null], ['c'], ['echo', null, null]]],
    ['x "a b" \'c d\' e\\ f g"h"\'i\'', [['x', 'a b', 'c d', 'e f', 'ghi']]],
    ["$'cat' a", [['cat', 'a']]],
    ['x "$Y" $Z ${W}', [['x', null, null, null]]],
    ['x $? "$#"', [['x', '0', '0']]],
    ['x {a,b} {1..3} {.en{v},.env}', [['x', null, null, null]]],
    ['x @{u} stash@{0}', [['x', '@{u}', 'stash@{0}']]],
    ['x ~/a ~b "~c"', [['x', '~/a', null, '~c']]],
    ['timeout -k 5 10 nice -n 3 x y', [['x', 'y']]],
    ['env A=1 B=2 x', [['x']]],
    ['xargs x', [['x', null]]],
    ['x > a b', [['x', 'b']]],
    ['x 2>/dev/null a', [['x', 'a']]],
    ['cat <<EOF x\nhi\nEOF\ny', [['cat', 'x'], ['y']]],
    ["bash -lc 'a; b'", [['bash', '-lc', 'a; b'], ['a'], ['b']]],
    ['é && 😀 "日本"', [['é'], ['😀', '日本']]],
    ['# a', []],
  ])('%s', (command, expected) => {
    const parsed = parse(command);
    expect(parsed.ok && parsed.parts.map(({ argv }) => argv)).toEqual(expected);
  });
});

test('commands in substitutions and functions are found', () => {
  for (const command of [
    'x $(p)',
    'x `p`',
    'x "a$(p)"',
    'x <(p)',
    'f() { p; }',
    'y=$(p)',
    'y=$(p) x',
    'x <<< $(p)',
  ])
    expect(parse(command).ok && JSON.stringify(parse(command))).toContain('"argv":["p"]');
});

test('"$@" may be any number of words, an unquoted positional parameter none, and "$*" is one', () => {
  const wordsOf = (command: string): unknown => {
    const parsed = parse(command);
    return parsed.ok && parsed.parts[0]?.runs?.[0]?.slice(1);
  };
  expect(wordsOf('x "$@"')).toEqual([{ type: 'output', loose: true }]);
  expect(wordsOf('x "$*"')).toEqual([{ type: 'output', loose: false }]);
  for (const unset of ['$1', '${1}', '${12}'])
    expect(wordsOf(`x ${unset}`), unset).toEqual([{ type: 'output', loose: true }]);
  for (const word of ['"${1}"', '${#1}', '${#}', '${?}'])
    expect(wordsOf(`x ${word}`), word).toEqual([{ type: 'output', loose: false }]);
});

test.each([
  'x=-a; x=-b & p $x',
  'x=-a; { x=-b & p $x; }',
  'x=-a; (x=-b & p $x)',
  'x=-a; if x=-b & p $x; then y; fi',
  'x=-a; if y; then x=-b & p $x; fi',
  'x=-a; if y; then y; else x=-b & p $x; fi',
  'x=-a; if y; then y; elif z; then x=-b & p $x; fi',
  'x=-a; if y; then { x=-b; } & p $x; fi',
  'x=-a; if y; then x=-b | p $x; fi',
  'x=-a; case y in y) x=-b & p $x;; esac',
])('a variable set in the background or in a pipeline may stay unset: %s', (command) => {
  const parsed = parse(command);
  const runs = parsed.ok ? parsed.parts.find(({ argv }) => argv[0] === 'p')?.runs : [];
  expect(runs).toContainEqual([
    { type: 'text', text: 'p' },
    { type: 'text', text: '-a' },
  ]);
});

test.each([
  'x=~; p "$x.txt"',
  'x=~; y="$x.txt"; p "$y"',
  'x=~; p "${x}b"/..',
  'x=; p "$x~/a"',
  'x=; y=; p "$x$y~/a"',
  'y=~; x=b; p "$y$x"',
])('a tilde that does not mean the home folder is not read as the home folder: %s', (command) => {
  const parsed = parse(command);
  const runs = parsed.ok ? parsed.parts.find(({ argv }) => argv[0] === 'p')?.runs : undefined;
  expect(JSON.stringify(runs ?? [])).not.toContain('"text":"~');
});

test.each([
  ['x=~; p "$x"', '~'],
  ['x=~; p "$x/a"', '~/a'],
  ['x=~; y=/a; p "$x$y"', '~/a'],
  ['x=~/; p "$x.b"', '~/.b'],
])('a variable may name the home folder: %s', (command, text) => {
  const parsed = parse(command);
  expect(parsed.ok && parsed.parts.find(({ argv }) => argv[0] === 'p')?.runs?.[0]?.[1]).toEqual({
    type: 'text',
    text,
  });
});

test('redirections are distinguished as reads and writes', () => {
  expect(parse('a > w1 2>> w2 < r1 2>&1 >&2 > $W 1>/dev/null &> w3')).toMatchObject({
    ok: true,
    writes: ['w1', 'w2', null, '/dev/null', 'w3'],
    reads: ['r1'],
  });
});

describe('not understood:', () => {
  test.each([
    'a "',
    'a &&',
    '$X a',
    '"$X" a',
    '$(a) b',
    '"" a',
    "$'\\x63at' a",
    'a\n\\rm b',
    'a=1\n\\rm b',
    'export A=1\n\\rm b',
    'a>&2$x\\p1 b',
    '{p1,p2} a; }',
    'command {p1,p2}',
    'command $X',
    'env $X a',
    'env [=x a',
    'exec $X',
    'time x=1 {p1,p2}',
    'timeout $X rm',
    '[ a|b ]',
    '[ a | b ]',
    '[ -n a|b ]',
    '[ a = a|b ]',
    '[ a & b ]',
    '[ a && b ]',
    '[ a > b ]',
    '[ (a) ]',
    '[ ! a|b ]',
    'echo ${!x}',
    'echo ${x@P}',
    'echo ${x:=y}',
    'echo $((a[0]))',
    '((x=1))',
    'for ((;;)); do a; done',
    'a[$(b)]=1',
    'a=(b c)',
    'bash -c "$X"',
    'bash -c "a $X',
    'sh -c $X',
    'eval $X',
    'eval -- ls',
    "bash --rcfile x -c 'a'",
    'coproc a',
    'a <> b',
    'a <<"E"OF\nx\nEOF',
    'a <<E b <<F\nE\nF',
    'cat <<EOF\nx\\\nEOF\nls',
    'ls\\\n-la',
    'a \x00b',
    'a\rb',
    'a \u202eb',
    'a\u00a0b c\u00a0&& d e\u2028f',
    'echo `a \\`b\\``',
    'cd() { a; }; cd b',
    `${'('.repeat(8000)}a${')'.repeat(8000)}`,
    `echo ${'$('.repeat(6000)}a${')'.repeat(6000)}`,
    'x'.repeat(70_000),
  ])('%j', (command) => expect(parse(command)).toMatchObject({ ok: false }));
});

test('a long command with a large here-document is parsed', () => {
  const command = `cat <<'EOF' > x\n${'function f(a) { return `${a}`; } // "\n'.repeat(1500)}EOF\nls`;
  expect(parse(command)).toMatchObject({ ok: true, writes: ['x'] });
});

test.each([
  ['WebAssembly', () => new WebAssembly.RuntimeError('memory access out of bounds')],
  ['the stack', () => new RangeError('Maximum call stack size exceeded')],
])(
  'a command on which the parser fails with an error of %s needs approval, and later ones are parsed',
  async (_name, failure) => {
    await shellParser();
    const language = await Language.load(join(wasmFolder(), 'tree-sitter-bash.wasm'));
    /** A parser that keeps failing once it has failed. */
    const create = (): Pick<Parser, 'parse' | 'reset'> => {
      const parser = new Parser().setLanguage(language);
      let isBroken = false;
      const check = (): void => {
        if (isBroken) throw failure();
      };
      return {
        parse: (script, ...rest) => {
          isBroken ||= String(script).includes('break');
          check();
          return parser.parse(script, ...rest);
        },
        reset: () => {
          check();
          parser.reset();
        },
      };
    };
    const policy = await policyFor(['allow Bash'], 'default', { parseCommand: createShellParser(create) });
    const behaviorOf = (command: string): string =>
      decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior;
    expect(['ls', 'break', 'bash -c break', 'ls', 'make'].map(behaviorOf)).toEqual([
      'allow',
      'ask',
      'ask',
      'allow',
      'allow',
    ]);
  },
);
