/** The terminal's own scrollback contains everything, once and in order, on any size of screen. */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { firstIsQuick } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

const markdown = Array.from(
  { length: 40 },
  (_, block) => `## Part ${block}

Paragraph ${block} has **bold** words, \`code${block}\` and 漢字 with 👍.

- item ${block} one
- item ${block} two

\`\`\`js
const value${block} = ${block}; // line
function f${block}() { return value${block}; }
\`\`\`
`,
).join('\n');

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
  { columns: 160, rows: 50 },
];
for (const { row, options } of firstIsQuick(sizes))
  test(`a long reply on ${row.columns} × ${row.rows} is printed once, in order`, options, async () => {
    const { columns, rows } = row;
    const { server, ready } = await setUpProgram();
    server.script({ text: markdown, chunkSize: 40, latency: 3 });
    const terminal = await ready([], { columns, rows });
    await terminal.submit('write a lot');
    await terminal.waitForPrinted('function f39', 40_000);
    await terminal.waitForIdle();
    // Text drawn while it streamed is printed when it is complete.
    await terminal.waitForPrinted(/function f39[^❯]*❯ Ask for/);
    await terminal.pause(300);
    const lines = terminal.everything().split('\n');
    for (const text of ['Part ', 'const value', 'function f']) {
      const found = lines.flatMap((line) => {
        const number = new RegExp(`${text}(\\d+)`).exec(line)?.[1];
        return number === undefined ? [] : [Number(number)];
      });
      expect({ text, found }).toEqual({ text, found: Array.from({ length: 40 }, (_, block) => block) });
    }
    expect(lines.filter((line) => line.startsWith('❯'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('esc to interrupt'))).toEqual([]);
  });

test('a dialog fits a small screen, and its diff can be scrolled', { tags: 'long' }, async () => {
  const { server, work, ready } = await setUpProgram();
  const content = Array.from({ length: 80 }, (_, line) => `row ${line};`).join('\n');
  server.script(
    { calls: [{ name: 'Write', input: { file_path: 'long.txt', content } }] },
    { text: 'Written.' },
  );
  const terminal = await ready([], { columns: 50, rows: 20 });
  await terminal.submit('write it');
  await terminal.waitFor(/─ Write .*\?/);
  await terminal.waitFor('1. Yes');
  await terminal.waitFor('No, tell it what to do instead');
  await terminal.waitFor('row 0;');
  expect(terminal.screen()).not.toContain('row 79;');
  // The last line may be on a separate page.
  const isAtEnd = (): boolean => /lines \d+–(\d+) of \1\b/.test(terminal.screen());
  for (let page = 0; page < 60 && !isAtEnd(); page++) await terminal.press(keys.pageDown);
  await terminal.waitFor('row 79;');
  await terminal.answer(keys.enter);
  await terminal.waitFor('Written.');
  expect((await work.read('long.txt')).trimEnd()).toBe(content);
});

test('text typed ahead of a question does not answer it', { tags: 'long' }, async () => {
  // After a pause, a key is an answer. If this process was suspended for that long while typing, it tries again.
  while (!(await typeAhead(150)));
});

/** Resolves with false, and checks nothing, if there was too long a pause between two keys. */
async function typeAhead(longestPauseMs: number): Promise<boolean> {
  const { server, work, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'git tag typed-ahead' } }], latency: 300 },
    { text: 'All right.' },
  );
  const terminal = await ready();
  const isAsked = (): boolean => terminal.screen().includes('Run this command?');
  await terminal.submit('tag it');
  if (isAsked()) return false;
  // Typing continues while the question appears, and for three more keys.
  let longestMs = 0;
  let typedAt = performance.now();
  for (let left = 3; left > 0; left -= isAsked() ? 1 : 0) {
    terminal.send('y');
    const now = performance.now();
    longestMs = Math.max(longestMs, now - typedAt);
    typedAt = now;
    await terminal.pause(20);
  }
  if (longestMs > longestPauseMs) return false;
  expect(await work.git('tag')).toBe('');
  await terminal.answer('y');
  await terminal.waitFor('All right.');
  expect(await work.git('tag')).toBe('typed-ahead\n');
  return true;
}

test('a prompt that a question interrupts does not answer it after a short pause, and stays in the composer', {
  tags: 'long',
}, async () => {
  // After a second without typing, a key is an answer.
  while (!(await interruptPrompt(900)));
});

/** Resolves with false, and checks nothing, if the question came first, or if there was too long a pause. */
async function interruptPrompt(longestPauseMs: number): Promise<boolean> {
  const { server, work, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'git tag interrupted' } }], latency: 300 },
    { text: 'All right.' },
  );
  const terminal = await ready();
  await terminal.submit('tag it');
  let typedAt = Number.NEGATIVE_INFINITY;
  for (; !terminal.screen().includes('Run this command?'); await terminal.pause(50)) {
    terminal.send('x');
    typedAt = performance.now();
  }
  await terminal.pause(300);
  if (performance.now() - typedAt > longestPauseMs) return false;
  terminal.send(keys.enter);
  if (performance.now() - typedAt > longestPauseMs) return false;
  await terminal.settle();
  expect(await work.git('tag')).toBe('');
  await terminal.pause(1100);
  await terminal.answer('y');
  await terminal.waitFor('All right.');
  await terminal.waitFor(/❯ x+/);
  expect(await work.git('tag')).toBe('interrupted\n');
  return true;
}

test('the output of a running command is shown as it arrives, then folded', { tags: 'long' }, async () => {
  const { server, work, ready } = await setUpProgram();
  const command =
    'for i in 1 2 3 4 5 6 7 8; do echo tick $i; while [ $i = 3 -a ! -e ../go ]; do sleep 0.05; done; done';
  server.script({ calls: [{ name: 'Bash', input: { command } }] }, { text: 'Ticked.' });
  const terminal = await ready(['--yolo']);
  await terminal.submit('tick');
  await terminal.waitFor('tick 3');
  expect(terminal.screen()).not.toContain('tick 8');
  await work.write('../go', '');
  await terminal.waitFor('Ticked.');
  await terminal.waitFor('tick 8');
  expect(terminal.screen()).not.toContain('tick 1\n');
  expect(terminal.screen()).toMatch(/\+\d+ lines/);
});

test('escape sequences from a model or a command do not reach the terminal', { tags: 'long' }, async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    {
      text: 'Watch: \u001B]0;owned\u0007 \u001B[2J\u001B[31mred\u001B[0m done.',
      calls: [{ name: 'Bash', input: { command: "printf '\\033]0;owned\\007\\033[2J\\033[5mblink\\n'" } }],
    },
    { text: 'Finished.' },
  );
  const terminal = await ready(['--yolo']);
  await terminal.submit('show me');
  await terminal.waitFor('Finished.');
  await terminal.waitForIdle();
  const bytes = terminal.bytes();
  expect(bytes).not.toContain('\u001B]0;owned');
  expect(bytes).not.toContain('\u001B[2J\u001B[31m');
  expect(bytes).not.toContain('\u001B[5m');
  expect(terminal.everything()).toContain('> show me');
  expect(terminal.everything()).toContain('blink');
});
