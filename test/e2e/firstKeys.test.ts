/** Keys pressed before the screen is drawn, or before the session is open, do what they do later. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { firstIsQuick, long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

for (const { row: ms, options } of firstIsQuick([0, 60]))
  test(
    `a prompt sent ${ms} ms after the start is one prompt, and text after it stays in the composer`,
    options,
    async () => {
      const { open, server } = await setUpProgram();
      server.script({ text: 'Understood.' });
      const terminal = open();
      await terminal.pause(ms);
      terminal.send(`fix the clock${keys.enter}`);
      await terminal.pause(65);
      terminal.send('and then');
      await terminal.waitFor('Understood.');
      expect(textOf(server.requests().at(-1)?.messages.at(-1))).toBe('fix the clock');
      await terminal.waitFor('❯ and then');
    },
  );

for (const ms of [0, 120])
  test(`? shows the keys ${ms} ms after the start, too`, long, async () => {
    const { open } = await setUpProgram();
    const terminal = open();
    await terminal.pause(ms);
    terminal.send('?');
    await terminal.waitFor('any other key closes');
    await terminal.press(keys.escape);
    // A key right after Esc is taken for Alt with that key.
    await terminal.waitForGone('any other key closes');
    await terminal.press('go on');
    await terminal.waitFor('❯ go on');
  });

test('Shift+Tab before the session is open changes its mode', long, async () => {
  const { open } = await setUpProgram();
  const terminal = open();
  terminal.send(keys.shiftTab);
  await terminal.waitFor('accept edits');
});

test('a shell command in the prompt on the command line waits for Enter', long, async () => {
  const { open, work } = await setUpProgram();
  const terminal = open(['!echo ran > made.txt']);
  await terminal.waitFor('Press Enter to run it.');
  await terminal.waitFor('echo ran > made.txt');
  expect(existsSync(join(work.repository, 'made.txt'))).toBe(false);
  await terminal.press(keys.enter);
  await expect.poll(() => existsSync(join(work.repository, 'made.txt'))).toBe(true);
});

test('? followed by a draft before the session is open does not affect the draft', long, async () => {
  const { open } = await setUpProgram();
  const terminal = open();
  terminal.send('?fix it');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.waitFor('fix it');
  expect(terminal.screen()).not.toContain('any other key closes');
});
