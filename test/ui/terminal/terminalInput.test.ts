import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPasteStream } from '../../../src/ui/input/paste.ts';
import { createTerminalInput } from '../../../src/ui/terminal/terminalInput.ts';
import { answersQuestions, followBackground } from '../../../src/ui/terminal/terminalStatus.ts';
import { chooseTheme, type TerminalColors, type Theme } from '../../../src/ui/theme/theme.ts';

type TerminalInput = ReturnType<typeof createTerminalInput>;
type Reply = Parameters<Parameters<TerminalInput['onReply']>[0]>[0];

function setUp() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const calls: string[] = [];
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isOn: boolean) => calls.push(`raw ${isOn}`),
    ref: () => terminal,
    unref: () => terminal,
  });
  const write = (text: string): void => void calls.push(text.replaceAll('\u001B', 'ESC'));
  const input = createTerminalInput(terminal as never, write, () => Date.now());
  const replies: Reply[] = [];
  input.onReply((reply) => replies.push(reply));
  const stream = createPasteStream(input.stream);
  let typed = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    typed += text;
  });
  /** As if the terminal had sent it. */
  const send = (text: string): void => void terminal.emit('data', text);
  return { calls, input, stream, replies, send, typed: () => typed };
}

test('listeners are called when the screen starts and stops reading the terminal', () => {
  const { input, calls } = setUp();
  input.setModes([1004]);
  input.onRead(() => calls.push(`read ${input.isRead()}`));
  for (const isOn of [true, true, false, true]) input.stream.setRawMode(isOn);
  expect(calls.filter((call) => call.startsWith('read'))).toEqual(['read true', 'read false', 'read true']);
});

test('keys pass through, replies go to listeners, and only keys count as activity', async () => {
  const { input, stream, replies, send, typed } = setUp();
  stream.setRawMode(true);
  const start = input.lastKeyAt();
  vi.advanceTimersByTime(5000);
  send('\u001B[O\u001B[?62;c');
  expect(input.lastKeyAt()).toBe(start);
  send('x\u001B[Iy');
  await vi.advanceTimersByTimeAsync(0);
  expect(typed()).toBe('xy');
  expect(input.lastKeyAt()).toBe(start + 5000);
  expect(replies.map(({ type }) => type)).toEqual(['focus', 'attributes', 'focus']);
});

test('a reply that arrives after the screen has released the terminal is awaited and dropped', async () => {
  const { calls, input, stream, send, typed } = setUp();
  stream.setRawMode(true);
  input.ask('?');
  stream.setRawMode(false);
  let isOver = false;
  const over = input.answered().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect({ isOver, calls }).toEqual({ isOver: false, calls: ['raw true', '?', 'raw false', 'raw true'] });
  send('\u001B[?62;c');
  await over;
  expect({ typed: typed(), last: calls.at(-1) }).toEqual({ typed: '', last: 'raw false' });
  // Answered: nothing waits any more.
  await input.answered();
  expect(calls).toHaveLength(5);
});

test('a terminal that never answers causes no long wait', async () => {
  const { input } = setUp();
  input.ask('?');
  const over = input.answered();
  await vi.advanceTimersByTimeAsync(500);
  await over;
});

test('reports are enabled only while the screen reads the terminal, so an editor gets none', () => {
  const { calls, input, stream } = setUp();
  input.setModes([1004, 2031]);
  expect(calls).toEqual([]);
  stream.setRawMode(true);
  stream.setRawMode(false);
  stream.setRawMode(true);
  input.setModes([]);
  stream.setRawMode(false);
  const on = 'ESC[?1004hESC[?2031h';
  const off = 'ESC[?1004lESC[?2031l';
  expect(calls).toEqual(['raw true', on, off, 'raw false', 'raw true', on, off, 'raw false']);
});

const rich: TerminalColors = {
  noColor: false,
  term: 'xterm-256color',
  colorTerm: 'truecolor',
  mayAnswer: true,
};

function follow(first: Theme) {
  const { input, stream, send, calls } = setUp();
  stream.setRawMode(true);
  calls.length = 0;
  let theme = first;
  const names: string[] = [];
  const end = followBackground({
    input,
    theme: () => theme,
    setTheme: (next) => {
      theme = next;
      names.push(next.name);
    },
  });
  return { send, calls, names, end };
}

test('the terminal is queried once, and its answer is used', () => {
  const { send, calls, names } = follow(chooseTheme('auto', rich));
  expect(calls).toEqual(['ESC]11;?ESC\\ESC[c']);
  send('\u001B]11;rgb:ffff/ffff/ffff\u0007\u001B[?62c');
  vi.advanceTimersByTime(60_000);
  expect(names).toEqual(['light']);
});

test.each([
  ['a terminal that replies only to the other query', (send: (text: string) => void) => send('\u001B[?62c')],
  ['a terminal that does not reply within 200 ms', () => vi.advanceTimersByTime(200)],
])('%s counts as dark until it replies', (_, happens) => {
  const { send, names } = follow(chooseTheme('auto', rich));
  expect(names).toEqual([]);
  happens(send);
  expect(names).toEqual(['dark']);
  vi.advanceTimersByTime(60_000);
  send('\u001B]11;rgb:ff/ff/ff\u0007');
  expect(names).toEqual(['dark', 'light']);
});

test('a change at run time changes the theme unless it has a fixed background', () => {
  const auto = follow(chooseTheme('high-contrast', { ...rich, background: 'dark', mayAnswer: false }));
  auto.send('\u001B[?997;2n');
  auto.send('\u001B[?997;2n');
  auto.send('\u001B[?997;1n');
  expect(auto.names).toEqual(['light-high-contrast', 'dark-high-contrast']);
  auto.end();
  auto.send('\u001B[?997;2n');
  expect(auto.names).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('a fixed theme keeps its name, whatever the terminal reports', () => {
  const { send, names } = follow(chooseTheme('dark', rich));
  send('\u001B]11;rgb:ff/ff/ff\u0007');
  expect(new Set(names)).toEqual(new Set(['dark']));
});

test.each([
  ['xterm-256color', false, true],
  ['tmux-256color', false, true],
  ['linux', false, false],
  ['vt220', false, false],
  ['eterm-color', false, false],
  ['dumb', false, false],
  [undefined, false, false],
  ['xterm-256color', true, false],
])('TERM=%s, NO_COLOR %s: queried %s', (term, noColor, asked) => {
  expect(answersQuestions(chooseTheme('auto', { term, noColor }))).toBe(asked);
});
