/**
 * Checkpoints and session files are no way around approval: the model does not read them without asking.
 *
 * @module-tag long
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

test('a checkpoint’s copies of a secret file are not read without approval', async () => {
  const { work, server, print } = await setUpProgram();
  await work.write('.env', 'API_TOKEN=first-value\n');
  await work.write('setup.sh', 'echo API_TOKEN=second-value > .env\n');
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'sh setup.sh', description: 'Set up' } }] },
    { text: 'Done.' },
  );
  await print(['-p', 'set up', '--allowed-tools', 'Bash(sh setup.sh)']);
  const projects = join(work.data, 'projects');
  const [project = ''] = await readdir(projects);
  const blobs = join(projects, project, 'blobs');
  expect((await readdir(blobs)).length).toBeGreaterThan(0);

  server.script(
    {
      calls: [
        { name: 'Glob', input: { pattern: '**', path: blobs } },
        { name: 'Grep', input: { pattern: 'API', path: blobs, output_mode: 'content' } },
        { name: 'Bash', input: { command: `cat ${blobs}/*/*`, description: 'Look' } },
        { name: 'Bash', input: { command: `grep -r API ${blobs}`, description: 'Search' } },
      ],
    },
    { text: 'Done.' },
  );
  await print(['-p', 'look']);
  const results =
    server
      .requests()
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(results).toHaveLength(4);
  for (const result of results) {
    expect(textOf(result)).not.toMatch(/(?:first|second)-value/);
    expect(textOf(result)).toContain('so it is never read without approval');
  }
});
