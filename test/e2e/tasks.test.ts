/** Background commands and the todo list: Ctrl+B, /tasks, Ctrl+T, from the key to the process. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textWidth } from '../../src/ui/print/width.ts';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { isAlive } from './support/processes.ts';
import { resizeDrawn } from './support/resizing.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

/** Prints, then waits for a file whose name is in another script. */
const WAITS = 'echo 开始; while [ ! -e 继续 ]; do sleep 0.05; done; echo 结束; exit 3';

test("Ctrl+B moves the model's command: the turn continues, and its end is reported once to both", {
  tags: 'long',
}, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Bash', input: { command: WAITS } }] },
    { text: 'It runs beside us.' },
    { text: 'I see that it has ended.' },
    { text: 'And on.' },
  );
  const terminal = await ready(['--permission-mode', 'bypassPermissions']);
  await terminal.submit('start it');
  // What it prints, not what it is.
  await terminal.waitFor(/^(?!.*echo).*开始$/m);
  await terminal.waitFor('ctrl+b to run in background');
  await terminal.press(keys.ctrl('b'));
  await terminal.waitFor('It runs beside us.');
  await terminal.waitFor(/1 running/);
  expect(textOf(server.requests()[1]?.messages.at(-1))).toMatch(
    /^开始\n\(Moved to the background by the user after [\d.]+ m?(?:in)?s?: it continues as task b1\. BashOutput reads its output/,
  );
  await terminal.waitForIdle();

  // Nothing is drawn while nothing happens, even with running tasks.
  let drawn = -1;
  for (let many = 0; many < 15 && drawn !== terminal.bytes().length; many++) {
    drawn = terminal.bytes().length;
    await terminal.pause(1100);
  }
  expect(terminal.bytes().length).toBe(drawn);

  await work.write('继续', '');
  await terminal.waitForPrinted(/Background task b1 ended with exit code 3 after \d+ s: echo 开始/);
  await terminal.waitForGone(/1 running/);
  await terminal.submit('and now?');
  await terminal.waitFor('I see that it has ended.');
  await terminal.waitForIdle();
  await terminal.submit('go on');
  await terminal.waitFor('And on.');
  const notes = (server.requests()[3]?.messages ?? []).filter((message) =>
    textOf(message).includes('Background task b1 ended'),
  );
  expect(notes).toHaveLength(1);
  expect(terminal.everything().match(/Background task b1 ended/g)).toHaveLength(1);
  expectTried(terminal, 'task:background');
});

/** Starts a command that never ends and moves it to the background; returns the id of a process of it. */
async function start({ work }: TestProgram, terminal: Terminal, name: string): Promise<number> {
  await terminal.submit(`!sleep 300 & echo $! > ${name}; echo ${name} läuft; wait`);
  const file = join(work.repository, name);
  await terminal.until(() => existsSync(file) && readFileSync(file, 'utf8') !== '', `${name} runs`);
  await terminal.waitFor(new RegExp(`^(?!.*echo).*${name} läuft$`, 'm'));
  await terminal.waitFor('esc to interrupt');
  await terminal.press(keys.ctrl('b'));
  await terminal.waitForIdle();
  return Number(readFileSync(file, 'utf8'));
}

test('/tasks stops a running task, and exiting stops the rest', async () => {
  const setup = await setUpProgram();
  const terminal = await setup.ready([], { columns: 80 });
  const [eins, zwei] = [await start(setup, terminal, 'eins'), await start(setup, terminal, 'zwei')];
  await terminal.waitFor(/2 running/);
  await terminal.submit('/tasks');
  await terminal.waitFor(/❯ b2 .*zwei läuft/);
  await terminal.press('x');
  await terminal.waitFor('Stop b2 and all it started?');
  await terminal.press('y');
  await terminal.waitFor(/b2 +stopped/);
  await terminal.until(() => !isAlive(zwei), 'the second has ended');
  expect(isAlive(eins)).toBe(true);
  await terminal.press(keys.escape);
  await terminal.waitFor(/1 running/);

  await terminal.submit('/exit');
  expect(await terminal.exited).toBe(0);
  expect(terminal.everything()).toContain('Background tasks stop with their session: b1 sleep 300');
  await terminal.until(() => !isAlive(eins), 'the first has ended');
  expectTried(terminal, 'tasks:stop');
});

test('/tasks lists and follows running tasks, on 20 to 200 columns', long, async () => {
  const setup = await setUpProgram();
  const terminal = await setup.ready([], { columns: 80 });
  await start(setup, terminal, 'eins');
  await start(setup, terminal, 'zwei');
  for (const columns of [20, 200, 80]) {
    await resizeDrawn(terminal, columns, 24);
    await terminal.submit('/ps');
    await terminal.waitFor('Background tasks');
    await terminal.waitFor(/❯ b2 /);
    for (const row of terminal.screen().split('\n')) expect(textWidth(row)).toBeLessThanOrEqual(columns);
    await terminal.press(keys.enter);
    await terminal.waitFor(/^zwei läuft$/m);
    await terminal.press(keys.escape, keys.escape);
    await terminal.waitForGone('Esc');
  }
});

test('Ctrl+T shows the whole todo list, even when idle, and hides it', { tags: 'long' }, async () => {
  const { server, ready } = await setUpProgram();
  const todos = Array.from({ length: 9 }, (_, at) => ({
    content: at === 3 ? 'مهمة رقم ٤ 🎉' : `任务 ${at + 1}`,
    status: at < 2 ? 'completed' : 'pending',
  }));
  server.script({ calls: [{ name: 'TodoWrite', input: { todos } }] }, { text: 'Planned.' });
  const terminal = await ready([], { columns: 60, rows: 30 });
  await terminal.submit('plan it');
  await terminal.waitFor('Planned.');
  await terminal.waitForIdle();
  const rowsBelow = (): string => terminal.screen().slice(terminal.screen().indexOf('Planned.'));
  expect(rowsBelow()).not.toContain('任务');
  await terminal.press(keys.ctrl('t'));
  await terminal.until(() => rowsBelow().includes('任务 9'), 'the whole list');
  for (const { content } of todos) expect(rowsBelow()).toContain(content);
  await terminal.press(keys.ctrl('t'));
  await terminal.until(() => !rowsBelow().includes('任务'), 'no list');
  expectTried(terminal, 'app:toggleTodos');
});
