import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reveal, revealedNotice, revealLine } from '../../../src/protocol/text/reveal.ts';
import { sanitize, sanitizeLine } from '../../../src/ui/print/sanitize.ts';
import { renderToolLine } from '../../../src/ui/print/toolLine.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { cpuClock } from '../../cpuTime.ts';

test.each([
  ['colors', '\u001b[31mred\u001b[0m', 'red'],
  ['cursor movement and clearing', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
  ['a title', '\u001b]0;evil\u0007text', 'text'],
  ['a clipboard write', 'x\u001b]52;c;ZXZpbA==\u001b\\y', 'xy'],
  ['a hyperlink, but not its label', '\u001b]8;;http://evil\u0007label\u001b]8;;\u0007', 'label'],
  ['a device control string', 'a\u001bPq#0;2;0;0;0\u001b\\b', 'ab'],
  ['C1 controls', 'a\u009b31mb', 'ab'],
  ['bells and backspaces', 'a\u0007b\u0008c', 'abc'],
  ['carriage returns', 'a\r\nb\rc', 'a\nbc'],
  ['a byte order mark', '\ufeffa', 'a'],
])('removes %s', (_, text, expected) => {
  expect(sanitize(text)).toBe(expected);
});

test('makes marks visible that change the direction of text', () => {
  expect(sanitize('admin\u202e nimda')).toBe('admin‹U+202E› nimda');
});

test('keeps line ends and turns tabs into spaces up to the next stop', () => {
  expect(sanitize('a\n\tb\nab\tc')).toBe('a\n    b\nab  c');
});

test('keeps joined emoji, accents and every script', () => {
  const text = '👩‍👩‍👧 é नमस्ते 中文 🇩🇪';
  expect(sanitize(text)).toBe(text);
});

test('reduces a line to one row', () => {
  expect(sanitizeLine('a \n  b\u001b[1m')).toBe('a b');
});

test('removes control characters from any text', () => {
  const nasty = fc
    .array(
      fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '0',
        ';',
        'm',
        '\u0007',
        '\\',
        'P',
        'x',
        '\t',
        '\r',
        '\n',
        '\u009b',
        '\u202e',
      ),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(nasty, (text) => {
      expect(sanitize(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(sanitize(sanitize(text))).toBe(sanitize(text));
    }),
    { numRuns: 500 },
  );
});

test.each([
  '\u001b ',
  ' ',
  '\u001bP',
  '\u001b]0;',
  '\u001b[',
  '\u009d',
  '\u001b[31',
  '\u001b\u001b',
  '\u0090a\u001b',
])('takes linear time for repeated %j', (begun) => {
  const spentMs = cpuClock();
  sanitizeLine(begun.repeat(100_000));
  expect(spentMs()).toBeLessThan(2000);
});

test('keeps text after an unterminated string', () => {
  expect(sanitize('a\u001b]0;b')).toBe('a0;b');
});

test('shows every hidden character in a call that needs approval', () => {
  expect(reveal('a\u001b[1m\tb\r\n\u200bc\u{e0041}')).toBe('a‹U+001B›[1m    b\n‹U+200B›c‹U+E0041›');
});

test('marks unusual spaces and invisible characters, and leaves emoji and joined letters alone', () => {
  for (const character of [
    '\u00a0',
    '\u2003',
    '\u2800',
    '\u3164',
    '\u034f',
    '\u{e0100}',
    '\u200d',
    '\ufe0f',
    '\u3000',
  ])
    expect(reveal(`rm${character}-rf`), JSON.stringify(character)).toMatch(/^rm‹U\+[0-9A-F]+›-rf$/);
  for (const text of ['👩‍💻 ✌️', 'می‌خواهم', '日本語　テスト']) expect(reveal(text)).toBe(text);
});

test('a carriage return in a command is shown, since after a backslash it ends the line', () => {
  const command = 'echo hello \\\r\n  touch x';
  expect(reveal(command, true)).toBe('echo hello \\‹U+000D›\n  touch x');
  expect(revealedNotice([command], true)).toMatch(/show nothing/);
  expect(revealedNotice(['a\r\nb'])).toBeUndefined();
  expect(revealLine('a\r\nb')).toBe('a‹U+000D›‹U+000A›b');
});

test('the entire command is on a call’s line', () => {
  const title = 'touch ok\u001b]; touch hidden\u0007';
  const line = renderToolLine(
    { tool: 'Bash', title, status: 'running' },
    80,
    chooseTheme('plain', { noColor: true }),
  );
  expect(line).toContain('touch ok‹U+001B›]; touch hidden‹U+0007›');
});

test('on one line, invisible characters are shown by number, except in emoji', () => {
  expect(sanitizeLine('pay\u200Bpal\u2060 \u{E0041}')).toBe('pay‹U+200B›pal‹U+2060› ‹U+E0041›');
  expect(sanitizeLine('👩‍💻 ❤️ 漢\u3000字')).toBe('👩‍💻 ❤️ 漢\u3000字');
});
