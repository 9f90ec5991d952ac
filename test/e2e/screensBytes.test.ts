/**
 * The scrollback belongs to the user: nothing sent to the terminal ever clears or pushes it.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { firstIsQuick } from './support/long.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';

/** Clears the scrollback, resets the terminal, clears in a way that pushes the screen into the scrollback. */
const clears = /\u001B\[3J|\u001Bc|\u001B\[2J|\u001B\[\?3[hl]/;

const sizes = [
  { columns: 100, rows: 30 },
  { columns: 20, rows: 5 },
];
for (const { row, options } of firstIsQuick(sizes))
  test(`a long session on ${row.columns} × ${row.rows}`, options, async () => {
    const { columns, rows } = row;
    const { server, open } = await setUpProgram();
    // More lines than fit into the dialog.
    const edit = { file_path: 'made.txt', content: 'one\ntwo\nthree\n'.repeat(Math.ceil(rows / 3)) };
    const todos = [
      { content: 'first', status: 'completed' },
      { content: 'second', status: 'in_progress' },
      { content: 'third', status: 'pending' },
    ];
    server.script(
      { calls: [{ name: 'Write', input: edit }] },
      { calls: [{ name: 'TodoWrite', input: { todos } }] },
      {
        text: Array.from({ length: 60 }, (_, line) => `Line ${line}.`).join('\n\n'),
        chunkSize: 30,
        latency: 3,
      },
    );
    const terminal = open([], { columns, rows });
    await terminal.waitFor(/~\d+%/);
    await terminal.submit('work');
    await terminal.waitFor('1. Yes');
    await approve(terminal);
    await terminal.waitForPrinted('Line 59.');
    await terminal.waitForIdle();
    await terminal.type('/');
    await terminal.pause(100);
    await terminal.press(keys.escape, keys.escape, keys.escape);
    for (const line of ['/context', '/status', '/resume', '/rewind', '/help', '/model']) {
      await terminal.submit(line);
      await terminal.pause(120);
      await terminal.press(keys.escape);
      await terminal.pause(40);
    }
    await terminal.press(keys.ctrl('l'), keys.ctrl('o'));
    await terminal.pause(200);
    await terminal.press('g', 'G', 'q');
    await terminal.pause(100);
    await terminal.submit('/clear');
    await terminal.pause(500);
    expect(terminal.bytes().match(clears)).toBeNull();
    const text = terminal.everything();
    for (const line of [0, 30, 59]) expect(text).toContain(`Line ${line}.`);
    expectTried(terminal, 'app:redraw');
  });

/** Approves the question on screen, again after each page that was not on screen before. */
async function approve(terminal: Terminal): Promise<void> {
  while (terminal.screen().includes('1. Yes')) {
    const before = terminal.screen();
    await terminal.answer('y');
    await terminal.until(() => terminal.screen() !== before, 'the answer is drawn');
  }
}
