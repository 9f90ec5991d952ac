/**
 * Checkpoints and session files are no way around approval: the model does not read them without asking.
 *
 * @module-tag long
 */
import { mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises';
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

test('in accept edits, only commands whose changes can be undone run without approval', async () => {
  const { work, server, print } = await setUpProgram();
  await mkdir(join(work.repository, 'data'));
  for (let part = 0; part < 8; part++) await work.write(`data/${part}`, 'x'.repeat(9 * 2 ** 20));
  await work.write('data/labels.csv', 'my only labels\n');
  await work.write('thesis.pdf', 'y'.repeat(12 * 2 ** 20));
  await writeFile(join(work.repository, 'model.bin'), '');
  await truncate(join(work.repository, 'model.bin'), 300 * 2 ** 20);
  const commands = ['rm data/labels.csv', 'rm thesis.pdf', 'rm model.bin'];
  server.script(...commands.map((command) => ({ calls: [{ name: 'Bash', input: { command } }] })), {
    text: 'Done.',
  });
  await print(['-p', 'clean up', '--permission-mode', 'acceptEdits']);
  const told =
    server
      .requests()
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(textOf(told.at(-1))).toContain('model.bin cannot be restored: larger than 256 MB');
  expect((await readdir(work.repository)).includes('model.bin')).toBe(true);
  expect((await readdir(work.repository)).includes('thesis.pdf')).toBe(false);
  const projects = join(work.data, 'projects');
  const [project = ''] = await readdir(projects);
  const blobs = join(projects, project, 'blobs');
  const kept = (await readdir(blobs, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const sizes = await Promise.all(kept.map(async (one) => (await stat(join(one.parentPath, one.name))).size));
  expect(sizes).toContain('my only labels\n'.length);
});
