import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTerminal } from '../../../src/cli/doctor/checks/terminal.ts';
import {
  queryTerminal,
  readReplies,
  samples,
  type TerminalAnswers,
  terminalProgram,
} from '../../../src/cli/doctor/terminalFacts.ts';
import { drawnWidth } from '../../../src/ui/print/width.ts';
import { createScreen } from '../../ui/screen.ts';
import { doctorPorts } from './doctorPorts.ts';

const ESC = '\u001B';
const positions = (...widths: number[]): string => widths.map((width) => `${ESC}[1;${width + 1}R`).join('');
const widths = samples.map(({ text }) => drawnWidth(text));

test('a terminal is queried and restored', async () => {
  const screen = createScreen();
  screen.stdout.write('before\n');
  const answers = await queryTerminal(screen.stdin as never, screen.stdout as never, 10_000);
  expect(answers).toMatchObject({ isComplete: true, widths });
  await screen.settle();
  expect(screen.text()).toEqual(['before']);
  expect(screen.isRaw()).toBe(false);
  expect(screen.stdin.listenerCount('data')).toBe(0);
});

test('the wait for a silent terminal is limited', async () => {
  const { stdout } = createScreen();
  const { stdin } = createScreen();
  const startedAt = performance.now();
  const answers = await queryTerminal(stdin as never, stdout as never, 100);
  expect(answers.isComplete).toBe(false);
  expect(answers.widths.every((width) => width === undefined)).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('Ctrl+C ends the wait and the program', async () => {
  const { stdout } = createScreen();
  const { stdin } = createScreen();
  let interrupted = 0;
  const asking = queryTerminal(stdin as never, stdout as never, 60_000, () => {
    interrupted += 1;
  });
  stdin.write('\u0003');
  expect((await asking).isComplete).toBe(false);
  expect(interrupted).toBe(1);
});

test('every reply is understood, in any order and between keys', () => {
  const replies = `x${positions(2, 1, 2, 1, 4, 4)}${ESC}[?5u\r${ESC}[?2026;2$y${ESC}[?2004;1$yy${ESC}]11;rgb:1e1e/ff/0\u0007${ESC}[?62;22c`;
  expect(readReplies(replies)).toEqual({
    widths: [2, 1, 2, 1, 4, 4],
    keyboard: true,
    bracketedPaste: true,
    synchronized: true,
    background: '1eff00',
    isComplete: true,
  } satisfies TerminalAnswers);
});

test.each([
  ['nothing is known', `${ESC}[?1;2c`, { keyboard: false, synchronized: undefined, background: undefined }],
  ['a mode is unknown', `${ESC}[?2026;0$y${ESC}[?6c`, { synchronized: false }],
  ['a mode is permanently off', `${ESC}[?2026;4$y${ESC}[?6c`, { synchronized: false }],
  [
    'the alpha channel is reported, too',
    `${ESC}]11;rgba:ffff/0000/8080/ffff${ESC}\\${ESC}[?6c`,
    { background: 'ff0080' },
  ],
  ['a position report is missing', `${positions(2, 1)}${ESC}[?6c`, { widths: samples.map(() => undefined) }],
])('where %s', (_, replies, expected) => {
  expect(readReplies(replies)).toMatchObject(expected);
});

test('any input is parsed', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(`${ESC}[`, `${ESC}]11;rgb:`, '?', ';', 'R', 'c', '$y', '/'),
      fc.string(),
      fc.nat().map(String),
    ),
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const { widths: read, background } = readReplies(parts.join(''));
      expect(read).toHaveLength(samples.length);
      if (background !== undefined) expect(background).toMatch(/^[\da-f]{6}$/);
    }),
  );
});

describe('the findings', () => {
  const facts = { term: 'xterm-256color', program: undefined, colors: 3, columns: 120, rows: 40 } as const;
  const answers: TerminalAnswers = {
    widths,
    keyboard: true,
    bracketedPaste: true,
    synchronized: true,
    background: '000000',
    isComplete: true,
  };
  const check = (terminal: object, env = { LANG: 'C.UTF-8' }) =>
    checkTerminal(doctorPorts({ terminal: { ...facts, answers, ...terminal }, env }));

  test('all is well', () => {
    expect(check({}).map(({ id, state }) => `${id} ${state}`)).toEqual([
      'terminal ok',
      'terminal.widths ok',
      'terminal.keyboard ok',
      'terminal.screen ok',
      'locale ok',
    ]);
  });

  test.each<[string, object, string, RegExp]>([
    [
      'emoji of another width',
      { answers: { ...answers, widths: [2, 1, 2, 1, 4, 2] } },
      'terminal.widths',
      /joined emoji \(4 columns, not 2\)/,
    ],
    ['no answer', { answers: { ...answers, isComplete: false } }, 'terminal.answers', /did not answer/],
    ['a dumb terminal', { term: 'dumb' }, 'terminal', /dumb/],
    ['no TERM', { term: undefined }, 'terminal', /TERM is not set/],
    ['a tiny one', { columns: 20 }, 'terminal', /20×40/],
  ])('%s is a warning with its fix', (_, terminal, id, value) => {
    const found = check(terminal).find((finding) => finding.id === id);
    expect(found).toMatchObject({
      state: 'warning',
      value: expect.stringMatching(value),
      fix: expect.any(String),
    });
  });

  test.each([
    [{ LANG: 'de_DE.UTF-8' }, 'ok'],
    [{ LANG: 'C.UTF-8', LC_ALL: 'POSIX' }, 'warning'],
    [{}, 'warning'],
    [{ TERM_PROGRAM: 'Apple_Terminal' }, 'ok'],
  ])('with %j the locale is %s', (env, state) => {
    expect(checkTerminal(doctorPorts({ terminal: undefined, env }))).toMatchObject([{ id: 'locale', state }]);
  });

  test.each([
    [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '2026' }, 'WezTerm 2026'],
    [{ WT_SESSION: 'x' }, 'Windows Terminal'],
    [{}, undefined],
  ])('%j is %s', (env, expected) => {
    expect(terminalProgram(env)).toBe(expected);
  });
});
