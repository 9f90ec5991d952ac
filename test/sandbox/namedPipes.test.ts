import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { confined, hasSandbox } from './confined.ts';

/** Creates a named pipe, and returns a function that reads what is in it without waiting. */
function pipeAt(path: string): () => string {
  execFileSync('mkfifo', [path]);
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(file));
  return () => {
    const bytes = Buffer.alloc(100);
    try {
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } catch {
      return '';
    }
  };
}

describe.skipIf(!hasSandbox)('a named pipe', () => {
  test('outside the project cannot be written to', async () => {
    const { home, tmp, run } = await confined();
    mkdirSync(join(home, '.player'));
    const paths = [
      join(home, 'ctl.fifo'),
      join(home, '.player/ctl'),
      join(home, '.ssh/ctl'),
      join(tmp, 'ctl'),
    ];
    const pipes = paths.map((path) => ({ path, read: pipeAt(path) }));
    for (const { path, read } of pipes) {
      await run(`for at in ${path} $(readlink ${path}); do timeout 5 sh -c "echo evil > $at"; done`);
      expect(read(), path).toBe('');
      await run(`timeout 5 sh -c 'echo evil > ${path}'`, { basis: 'read-only' });
      expect(read(), path).toBe('');
    }
  });

  test('in the project, or created by the commands themselves, works as usual', async () => {
    const { root, run } = await confined();
    const read = pipeAt(join(root, 'ctl'));
    await run('echo order > ctl');
    expect(read()).toBe('order\n');
    expect(
      (await run('mkfifo $TMPDIR/own-pipe && (echo a > $TMPDIR/own-pipe & cat $TMPDIR/own-pipe)')).text,
    ).toBe('a');
  });
});
