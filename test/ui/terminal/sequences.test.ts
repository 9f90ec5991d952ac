import headless from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  notificationSequence,
  POP_TITLE,
  PUSH_TITLE,
  progressSequence,
  titleSequence,
} from '../../../src/ui/terminal/sequences.ts';
import { terminalActivity, titleOf } from '../../../src/ui/terminal/terminalStatus.ts';

test('any title becomes one sequence with a single line of text', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('a', '漢', '\u001B', '\u0007', '\\', ']', '\n', '\u009C', '\u009D', '\u202E', ';'),
  });
  fc.assert(
    fc.property(nasty, (title) => {
      const [, inner = '?'] = /^\u001B\]2;([\s\S]*)\u001B\\$/.exec(titleSequence(title)) ?? [];
      expect(inner).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
    }),
  );
});

test('a title is cut to the width of a tab', () => {
  expect(titleSequence('漢'.repeat(500)).length).toBeLessThan(60);
});

test('a terminal shows the title and nothing on its screen', async () => {
  const terminal = new headless.Terminal({ cols: 40, rows: 5, allowProposedApi: true });
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  const all = [PUSH_TITLE, titleSequence('✳ Fix\u001B]0;evil\u0007 it'), progressSequence(true)];
  const calls = (['bell', 'osc9', 'osc777', 'osc99'] as const).flatMap((channel) =>
    ([undefined, 'tmux', 'screen'] as const).map((multiplexer) =>
      notificationSequence(channel, 'a; b', multiplexer),
    ),
  );
  for (const sequence of [...all, ...calls, progressSequence(false), POP_TITLE])
    await new Promise<void>((done) => terminal.write(sequence, done));
  expect(titles).toEqual(['✳ Fix it', '']);
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('');
});

test.each([
  ['bell', undefined, '\u0007'],
  ['osc9', undefined, '\u001B]9;ClawdCode: x is done\u0007'],
  ['osc777', undefined, '\u001B]777;notify;ClawdCode;x is done\u0007'],
  [
    'osc99',
    undefined,
    '\u001B]99;i=clawdcode:d=0:o=unfocused;ClawdCode\u001B\\\u001B]99;i=clawdcode:p=body;x is done\u001B\\',
  ],
  ['osc9', 'tmux', '\u0007\u001BPtmux;\u001B\u001B]9;ClawdCode: x is done\u0007\u001B\\'],
  ['osc9', 'screen', '\u0007\u001BP\u001B]9;ClawdCode: x is done\u0007\u001B\\'],
  ['bell', 'tmux', '\u0007'],
] as const)('%s in %s', (channel, multiplexer, sequence) => {
  expect(notificationSequence(channel, 'x is done', multiplexer)).toBe(sequence);
});

test('the title shows the activity and the session', () => {
  const view = { questions: [], busy: true } as never;
  expect(terminalActivity({ view, phase: { type: 'session' } })).toBe('working');
  expect(
    terminalActivity({ view: { questions: [1], busy: true } as never, phase: { type: 'session' } }),
  ).toBe('waiting');
  expect(
    terminalActivity({ view: { questions: [], busy: false } as never, phase: { type: 'session' } }),
  ).toBe('idle');
  expect(titleOf('working', 'Fix it')).toBe('✳ Fix it');
  expect(titleOf('waiting', 'ClawdCode · b')).toBe('? ClawdCode · b');
});

test('a title marks invisible characters', () => {
  expect(titleSequence('pay\u200Bpal')).toContain('pay‹U+200B›pal');
});
