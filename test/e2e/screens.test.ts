/** Golden screens of the program: what somebody sees who starts it, and in its lists and pages. */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type GoldenRule, goldenScreen } from './support/goldenScreen.ts';
import { setStage } from './support/stage.ts';
import type { Terminal } from './support/terminal.ts';

/** Sizes and shares of the window depend on the paths of the machine. */
const rules: readonly GoldenRule[] = [
  [/~?\d+% of \d+k(?: \(compacts at \d+%\))?|~\d+%/, '0%'],
  [/https?:\/\/127\.0\.0\.1:\d+\/v1/, 'http://127.0.0.1/v1'],
  [/just now|\d+ min ago|(?<= )now\b/, 'now'],
  [/\d+(?:\.\d+)? k?B\b/, '0 kB'],
  [/[0-9a-f]{7}(?= Import)/, '0000000'],
  [/Platform: .*/, 'Platform: …'],
  [/\d+\.\dk tok/, '0.0k tok'],
];

test.each([
  { columns: 20, rows: 24 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 24 },
])('at $columns columns', async ({ columns, rows }) => {
  const { server, open, work } = await setStage();
  const golden = async (terminal: Terminal, name: string): Promise<void> => {
    // What is still on its way: the shares of the window are measured beside the work.
    for (let before = ''; before !== terminal.screen(); await terminal.pause(100)) before = terminal.screen();
    await goldenScreen(terminal, `${name}-${columns}`, { rules });
  };
  // On a narrow screen a path or a port is broken where its length wants it.
  const isWide = columns > 20;
  const edit = { file_path: 'hello.txt', content: 'Hello 世界 👋\nשלום\n' };
  server.script(
    { calls: [{ name: 'Write', input: edit }] },
    { text: 'Written: **hello.txt** has 世界, 👋 and שלום in it.' },
    { error: { status: 401, message: 'Incorrect API key provided.' } },
  );
  const terminal = open([], { columns, rows });
  await terminal.waitFor(/~?\d+%/);
  await golden(terminal, 'welcome');
  await terminal.submit('say hello');
  await terminal.waitFor('1. Yes');
  if (isWide) await golden(terminal, 'question');
  await terminal.pause(400);
  await terminal.press(keys.enter);
  await terminal.waitForPrinted(/Written:/);
  await terminal.waitForIdle();
  await golden(terminal, 'answer');
  expect(await work.read('hello.txt')).toBe(edit.content);
  await terminal.type('/re');
  await terminal.pause(200);
  await golden(terminal, 'popup');
  await terminal.press(keys.escape, keys.escape, keys.escape);
  await terminal.press(keys.escape, keys.escape);
  await terminal.waitFor(/say hello/);
  await golden(terminal, 'rewind');
  await terminal.press(keys.escape);
  await terminal.waitForGone('↑↓ Enter');
  await terminal.submit('/resume');
  await terminal.waitFor(/Filter/);
  await golden(terminal, 'picker');
  await terminal.press(keys.escape);
  await terminal.press(keys.ctrl('o'));
  await terminal.waitFor(/#\d+ end/);
  if (isWide) await golden(terminal, 'transcript');
  await terminal.press('q');
  await terminal.submit('and now?');
  await terminal.waitForPrinted(/401|key/);
  await terminal.waitForIdle();
  if (isWide) await golden(terminal, 'error');
});
