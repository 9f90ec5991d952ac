/** @module-tag long */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = new URL('../../../src/cli/process/guardSession.ts', import.meta.url).href;

test('the exit waits for pending output, and for nothing else that is still running', {
  tags: 'long',
}, async () => {
  const script = `
    const { exitNow } = await import(${JSON.stringify(module)});
    setInterval(() => {}, 1000);
    process.stdout.write('x'.repeat(2_000_000));
    process.stderr.write('y'.repeat(2_000_000));
    await exitNow(3);
    process.stdout.write('never');
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    maxBuffer: 1e7,
  });
  const { code, stdout, stderr } = await run.then(
    () => ({ code: 0, stdout: '', stderr: '' }),
    (error) => error,
  );
  expect([code, stdout.length, stderr.replaceAll(/[^y]/g, '').length]).toEqual([3, 2_000_000, 2_000_000]);
});

test('an exit started by a signal keeps its exit code', { tags: 'long' }, async () => {
  const script = `
    const { exitNow } = await import(${JSON.stringify(module)});
    process.exitCode = 143;
    setTimeout(() => process.exit(143), 100);
    await exitNow(130);
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  await expect(run).rejects.toMatchObject({ code: 143 });
});

test('a reader that leaves before it has read everything changes the exit code', {
  tags: 'long',
}, async () => {
  const script = `
    const { exitNow, guardOutput } = await import(${JSON.stringify(module)});
    guardOutput((code) => {
      process.exitCode = code;
      setTimeout(() => process.exit(code), 100);
    });
    process.stdout.write('x'.repeat(2_000_000));
    exitNow(0);
    process.stderr.write('exiting');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(child.stderr, 'data');
  child.stdout.destroy();
  expect(await once(child, 'close')).toEqual([141, null]);
});
