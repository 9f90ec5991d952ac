/** Keys that come before the screen is there, or before the session is open: each does what it does later. */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { setStage } from './support/stage.ts';
import { textOf } from './support/wire.ts';

test.each([0, 60])(
  'a prompt that is typed and sent %d ms after the start is one, and what follows it stays',
  async (ms) => {
    const { open, server } = await setStage();
    server.script({ text: 'Understood.' });
    const terminal = open();
    await terminal.pause(ms);
    await terminal.press(`fix the clock${keys.enter}`);
    await terminal.press('and then');
    await terminal.waitFor('Understood.');
    expect(textOf(server.requests().at(-1)?.messages.at(-1))).toBe('fix the clock');
    await terminal.waitFor('❯ and then');
  },
);

test.each([0, 120])('? shows the keys also %d ms after the start', async (ms) => {
  const { open } = await setStage();
  const terminal = open();
  await terminal.pause(ms);
  await terminal.press('?');
  await terminal.waitFor('any other key closes');
  await terminal.press(keys.escape);
  // What follows an Esc at once is taken for a key with Alt.
  await terminal.waitForGone('any other key closes');
  await terminal.press('go on');
  await terminal.waitFor('❯ go on');
});

test('Shift+Tab before the session is open changes its mode', async () => {
  const { open } = await setStage();
  const terminal = open();
  await terminal.press(keys.shiftTab);
  await terminal.waitFor('accept edits');
});

test('? that is followed by a draft before the session is open leaves the draft alone', async () => {
  const { open } = await setStage();
  const terminal = open();
  await terminal.press('?fix it');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.waitFor('fix it');
  expect(terminal.screen()).not.toContain('any other key closes');
});
