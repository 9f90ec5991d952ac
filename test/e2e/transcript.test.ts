/**
 * Ctrl+O in the program: everything unfolded on a separate screen, with no trace of it afterwards.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

test('everything is unfolded, scrolls and can be searched, and the scrollback is unchanged', {
  tags: 'long',
}, async () => {
  const { server, ready } = await setUpProgram();
  const command = 'for i in $(seq 1 3000); do echo "output number $i of the loop"; done';
  server.script(
    { reasoning: 'a long thought', calls: [{ name: 'Bash', input: { command } }] },
    { text: 'All **counted**.' },
  );
  const terminal = await ready(['--yolo'], { columns: 80, rows: 20 });
  await terminal.submit('count');
  await terminal.waitFor('All counted.');
  await terminal.waitForIdle();
  // The share of the window is counted in the background.
  const everything = (): string => terminal.everything().replace(/context ~?\d+%/, 'context');
  await terminal.pause(200);
  const before = everything();
  const sent = terminal.bytes().length;
  await terminal.press(keys.ctrl('o'));
  await terminal.waitFor('q back');
  await terminal.waitFor('output number 3000 of the loop');
  await terminal.waitFor('All counted.');
  expect(terminal.isCursorVisible()).toBe(false);
  // The model got a part of it; this is the full text.
  await terminal.press('?');
  await terminal.type('number 1500 of');
  await terminal.until(
    () => terminal.cursor().x === 15 && terminal.cursor().y === 19,
    'the cursor is behind the words',
  );
  expect(terminal.isCursorVisible()).toBe(true);
  await terminal.press(keys.enter);
  await terminal.waitFor('match 1 of 1');
  await terminal.waitFor('output number 1500 of the loop');
  await terminal.press('g');
  await terminal.waitFor('System prompt');
  await terminal.press('}');
  await terminal.waitFor(/^> count/m);
  await terminal.waitFor('a long thought');
  await terminal.resize(20, 8);
  await terminal.pause(200);
  await terminal.press('G');
  await terminal.waitFor(/All counted\./);
  await terminal.resize(80, 20);
  await terminal.pause(200);
  await terminal.press('q');
  await terminal.waitFor('❯');
  await terminal.waitFor(/context ~?\d+%/);
  await expect.poll(everything).toBe(before);
  expect(terminal.bytes().slice(sent)).not.toMatch(/\u001B\[[23]J|\u001Bc/);
  await terminal.type('still typing');
  await terminal.waitFor('❯ still typing');
  expectTried(
    terminal,
    'app:toggleTranscript',
    'transcript:searchBack',
    'scroll:top',
    'transcript:nextPrompt',
    'scroll:bottom',
    'transcript:exit',
  );
});

test(
  'streaming text appears in it, a question is announced, and everything printed meanwhile is there afterwards',
  long,
  async () => {
    const { server, work, ready } = await setUpProgram();
    const text = Array.from({ length: 40 }, (_, line) => `Paragraph ${line} of the reply.`).join('\n\n');
    server.script(
      { text, chunkSize: 20, latency: 80, calls: [{ name: 'Bash', input: { command: 'git tag seen' } }] },
      { text: 'Tagged.' },
    );
    const terminal = await ready([], { columns: 60, rows: 16 });
    await terminal.submit('talk');
    await terminal.waitForPrinted('Paragraph 3 ');
    await terminal.press(keys.ctrl('o'));
    await terminal.waitFor('q back');
    await terminal.waitFor('Bash asks: q goes back to answer');
    await terminal.waitFor('Paragraph 39 ');
    await terminal.press(keys.escape);
    await terminal.waitFor('1. Yes');
    await terminal.answer('y');
    await terminal.waitForPrinted('Tagged.');
    await terminal.waitForIdle();
    const lines = terminal.everything().split('\n');
    for (const number of [0, 10, 20, 39])
      expect(lines.filter((line) => line === `Paragraph ${number} of the reply.`)).toHaveLength(1);
    expect(await work.git('tag')).toBe('seen\n');
    expectTried(terminal, 'transcript:cancel');
  },
);

test('a program that is stopped in it restores the ordinary screen', long, async () => {
  const { server, ready } = await setUpProgram();
  server.script({ text: 'Hello there.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitFor('Hello there.');
  await terminal.waitForIdle();
  await terminal.press(keys.ctrl('o'));
  await terminal.waitFor('q back');
  terminal.kill('SIGTERM');
  await terminal.exited;
  expect(terminal.screen()).toContain('Hello there.');
  expect(terminal.screen()).not.toContain('q back');
  expect(terminal.isCursorVisible()).toBe(true);
});
