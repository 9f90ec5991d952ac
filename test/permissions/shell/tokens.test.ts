import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../src/permissions/shell/tokens.ts';
import { shellParser } from '../harness.ts';

const parse = await shellParser();

const shown = (source: string): readonly string[] | undefined =>
  tokensOf(source)?.tokens.map(({ kind, start, end }) => `${kind} ${source.slice(start, end)}`);

test('reads words, operators, descriptors and comments', () => {
  expect(shown('a 2>&1 2 >f "b c"|d # e')).toEqual([
    'word a',
    'descriptor 2',
    'operator >&',
    'word 1',
    'word 2',
    'operator >',
    'word f',
    'word "b c"',
    'operator |',
    'word d',
    'comment # e',
  ]);
});

test('lists the commands of substitutions before their word', () => {
  expect(shown('a "x$(b `c`)" <(d)')).toEqual([
    'word a',
    'word b',
    'word c',
    'word `c`',
    'word "x$(b `c`)"',
    'word d',
    'word <(d)',
  ]);
});

test('treats here-documents as data up to their last line', () => {
  const source = "a <<'E' | b\n$(x) ' > y\nE\nc";
  expect(shown(source)).toEqual(['word a', 'operator <<', "word 'E'", 'operator |', 'word b', 'word c']);
  expect(tokensOf(source)?.documents).toEqual([{ start: 12, end: 24 }]);
});

const nested = `a "$(cat <<'E'\nit's (b)\nE\n)"`;

describe('understood:', () => {
  test.each([
    ...['a <f', 'a >f', 'a 1>f', 'a 2>>f', 'a >/dev/null 2>&1', 'a 2>&1 >&2 1>&2', 'a &>f', 'a &>>f'],
    ...['a &>f; b', 'a &>f 2>&1', 'a &>f && b', '(a &>f)', 'a &>f | b', 'a &>f & b'],
    ...['a <<<b', "a <<'E'\nb\nE", 'a <<-E\n\tb\n\tE', 'a < <(b)', 'a>f', '"a">f', nested],
    ...['a \\\n b', 'a&&b;c|d||e&', '{ a; }', '(a)', '! a', 'a |& b', 'case a in b|c) d;; (e) f;; esac'],
    ...['a $((1+(2*3)))', 'a "$" "$x" ${y} ${#z}', "a $'b'", 'a `b c`', 'é ü'],
  ])('%j', (command) => expect(parse(command)).toMatchObject({ ok: true }));
});

describe('not understood:', () => {
  // A descriptor that keeps no single meaning: opened for reading, then written through /dev/stderr.
  const redirections = [
    ...['2<f', '0<f', '3<f', '9<f', '10<f', '3>f', '0>f', '12>f', '3>>f', '3>&1', '2>&3', '1>&0', '>&3'],
    ...['<&0', '<&3', '0<&1', '<&-', '>&-', '2>&-', '3<&-', '2>&1-', '<&2-', '<>f', '1<>f', '2<>f', '>|f'],
    ...['2>|f', '>&f', '2>&f', '>& 2', '2>& 1', '{x}>f', '{x}<f', '3<<<b', '0<<<b', '&>|f', '>!f', '>! f'],
    ...['>>!f', '<!f', '&>!f', '<1-9>', '<1-9>f', '>(b)', '> >(b)', '2>&1x', '2>&12', '>&"2"', '>&$x'],
  ];
  const touching = ['a2>f', 'a$x2>f', 'a 12>f', 'a {b}>f', 'a*>f', 'a =(b)', 'a x(b)', 'a *(.)', 'a @(b|c)'];
  // In dash `&` ends the command, and the words after the file are another one.
  const ended = ['&>f b', '&>f -x', '&>>f b', '&>f <g', '&>f >g', '&>f b=c d', '&>f "b"', '&>f <<<b'];
  const blanks = ['\u00a0', '\u2003', '\u3000', '\u200b', '\u0085', '\u1680'];
  test.each([
    ...redirections.map((one) => `a ${one}`),
    ...redirections.map((one) => `${one} a`),
    ...touching,
    ...ended.map((one) => `a ${one}`),
    ...['(a) &>f b', '{ a; } &>f b', 'a 3&>f', 'a 2&>>f'],
    ...blanks.flatMap((one) => [`a b${one}c`, `${one}a`, `a ;${one}b`]),
    ...[
      'a 3<<E\nb\nE',
      'a $(b # c)\n)',
      'a\\\nb',
      'a "`b "c"`"',
      'a $"b"',
      'a $[1]',
      'a ${x:-"b"}',
      'a ((b))',
    ],
    ...[
      'a <<E\nb',
      'a <<E <<F\nE\nF',
      'a <<E$x\nE$x',
      "a <<'E\n'\nb\nE\n",
      'a=(b)',
      'a <(b',
      'a $(b',
      '[[ a =~ (b) ]]',
    ],
  ])('%j', (command) => expect(parse(command)).toMatchObject({ ok: false }));
});
