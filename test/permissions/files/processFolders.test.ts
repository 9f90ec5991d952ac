/** Paths through a process folder lead to different files for a command than for this program. */
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bash, outside, root } from '../harness.ts';

beforeAll(() => {
  // ClawdCode runs in the workspace, where `key.txt` is harmless; in `sub` it links to a file outside.
  process.chdir(root);
  symlinkSync('/proc/self/cwd', join(root, 'here'));
  symlinkSync('../here', join(root, 'src/here'));
  writeFileSync(join(root, 'key.txt'), 'x\n');
  symlinkSync(join(outside, 'secret.txt'), join(root, 'sub/key.txt'));
});

const isLinux = existsSync('/proc/self/cwd');

describe.runIf(isLinux)('a path through a process folder', () => {
  test.each([
    'cat /proc/self/cwd/key.txt',
    'cd sub && cat /proc/self/cwd/key.txt',
    'cd sub && cat //proc/./thread-self/cwd/key.txt',
    'cd sub && cat /dev/../proc/self/cwd/key.txt',
    'cd sub && cat < /proc/self/cwd/key.txt',
    'cd sub && cat ../here/key.txt',
    'cd sub && cat ../src/here/key.txt',
    'cd sub && grep -r x /proc/self/cwd/',
    'cd sub && grep -r x ../here/',
    'cd sub; cd ../here; cat key.txt',
    'cd sub && head ../h*re/key.txt',
    'cd sub && for f in ../here/*.txt; do cat "$f"; done',
    `cat /proc/${process.pid}/cwd/key.txt`,
  ])('needs approval: %s', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
    expect((await bash(command, ['allow Bash(cat:*)', 'allow Bash(grep:*)'])).behavior).toBe('ask');
  });

  test.each(['cp a.txt /proc/self/cwd/b.txt', 'cd sub && cp ../a.txt ../here/key.txt', 'touch here/x'])(
    'needs approval in acceptEdits: %s',
    async (command) => expect((await bash(command, [], 'acceptEdits')).behavior).toBe('ask'),
  );

  test('can be denied by a rule', async () => {
    const command = 'cd secret && cat /proc/self/cwd/a.txt';
    expect((await bash(command, ['deny Read(/secret/**)'])).behavior).not.toBe('allow');
    expect((await bash(command, ['deny Read(/secret/**)'], 'bypassPermissions')).behavior).toBe('deny');
    expect((await bash(command, [], 'bypassPermissions')).behavior).toBe('allow');
  });

  test('needs no approval if the file describes the system', async () => {
    for (const command of ['cat /proc/cpuinfo', 'cat /proc/version', 'cat src/app.ts', 'cat itself/a.txt'])
      expect((await bash(command)).behavior).toBe('allow');
  });
});
