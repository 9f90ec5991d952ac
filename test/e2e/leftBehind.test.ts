/**
 * The tests themselves: processes started by a test end with it.
 *
 * @module-tag long
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from './support/processes.ts';
import { setUpProgram } from './support/testProgram.ts';

let left = 0;

test('a command that is running when its program is killed', async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({
    calls: [{ name: 'Bash', input: { command: 'echo $$ > pid; while :; do sleep 0.1; done' } }],
  });
  // In a sandbox nothing outlives the program.
  const terminal = await ready(['--yolo', '-s', 'danger-full-access']);
  await terminal.submit('wait');
  const file = join(work.repository, 'pid');
  await expect.poll(async () => existsSync(file) && Number(await work.read('pid'))).toBeGreaterThan(0);
  left = Number(await work.read('pid'));
  terminal.kill('SIGKILL');
  await terminal.exited;
  expect(isAlive(left)).toBe(true);
});

test.skipIf(process.platform !== 'linux')('ends with the test', async () => {
  expect(left).toBeGreaterThan(0);
  await expect.poll(() => isAlive(left)).toBe(false);
});
