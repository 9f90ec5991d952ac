import { expect, test } from 'vitest';
import { joinPrompt, MAX_PROMPT_BYTES } from '../../src/headless/joinPrompt.ts';

test.each([
  ['explain', undefined, 'explain'],
  ['explain', '', 'explain'],
  ['explain', ' \n', 'explain'],
])('%j and %j become %j', (argument, stdin, prompt) => {
  expect(joinPrompt(argument, stdin)).toEqual({ type: 'ready', prompt });
});

test.each([
  ['explain', 'a\n\nb\n\n', 'explain\n\na\n\nb'],
  ['explain', '\uFEFF  indented', 'explain\n\n  indented'],
  ['', 'log line\n', 'log line'],
  ['', '/compact\n', '/compact'],
  ['', '\uFEFF日本語 😀\r\n', '日本語 😀'],
])('for %j and %j, only the former counts as typed', (typed, stdin, prompt) => {
  expect(joinPrompt(typed, stdin)).toEqual({ type: 'ready', prompt, typed });
});

test('without an argument nothing counts as typed', () => {
  expect(joinPrompt(undefined, 'log line\n')).toEqual({ type: 'ready', prompt: 'log line', typed: '' });
});

test.each([
  [undefined, undefined],
  ['', ''],
  ['  ', '\n'],
])('%j and %j are not a prompt', (argument, stdin) => {
  expect(joinPrompt(argument, stdin)).toMatchObject({
    type: 'error',
    message: expect.stringContaining('pipe one in'),
  });
});

test('the limit counts bytes, of both together', () => {
  const half = 'é'.repeat(MAX_PROMPT_BYTES / 4 - 1);
  expect(joinPrompt(half, half)).toMatchObject({ type: 'ready' });
  expect(joinPrompt(`${half}é`, `${half}é`)).toMatchObject({
    type: 'error',
    message: expect.stringContaining('longer than 10 MB'),
  });
});
