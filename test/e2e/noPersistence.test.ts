/** `--no-session-persistence`: the session stays in memory, and none of it is written. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDriver } from './support/driver.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

/** The files that the program has written in a folder. */
async function textIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

test('turns share a conversation, a long output can be recalled, and no file contains any of it', {
  tags: 'long',
}, async () => {
  const { server, work, ...setup } = await setUpProgram();
  const long = 'for i in $(seq 1 9000); do echo "sesame $i"; done';
  server.script(
    { calls: [{ name: 'Bash', input: { command: long } }] },
    { text: 'Counted.' },
    { calls: [{ name: 'Recall', input: { query: 'sesame 4321' } }] },
    {
      calls: [
        { name: 'Agent', input: { description: 'Look', prompt: 'Say sesame.', subagent_type: 'explore' } },
      ],
    },
    { text: 'sesame' },
    { text: 'Found.' },
  );
  const driver = startDriver(setup, ['--no-session-persistence', '--permission-mode=bypassPermissions']);
  driver.prompt('open sesame');
  expect(await driver.nextOf('result')).toMatchObject({ result: 'Counted.' });
  driver.prompt('and again');
  expect(await driver.nextOf('result')).toMatchObject({ result: 'Found.' });
  expect(await driver.end()).toMatchObject({ code: 0, stderr: '' });
  expect(await work.sessions()).toEqual([]);
  const written = await textIn(join(work.home, '.clawdcode'));
  expect(written).not.toContain('sesame');
  const recalled = server.requests()[3];
  expect(recalled?.messages.map(textOf)).toContain('open sesame');
  expect(textOf(recalled?.messages.at(-1))).toContain('sesame 4321');
});

test('there is nothing to resume, and only headless runs allow the flag', async () => {
  const { print } = await setUpProgram();
  for (const flags of [['-p', '--continue', 'x'], ['x']]) {
    const { code, stderr } = await print(['--no-session-persistence', ...flags]);
    expect(code).toBe(42);
    expect(stderr).toContain('--no-session-persistence');
  }
});
