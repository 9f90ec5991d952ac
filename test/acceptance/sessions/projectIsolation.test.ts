/**
 * Each project has its own folder, in a place that can be chosen, readable only by its owner.
 *
 * @module-tag long
 */
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject, SILENT } from '../support/project.ts';

/** Every file and folder in it, with its permission bits. */
async function modesBelow(folder: string): Promise<[string, number][]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.map(async (name): Promise<[string, number]> => {
      const { mode } = await stat(join(folder, name));
      return [name, mode & 0o777];
    }),
  );
}

test('two repositories have two folders, and neither sees the other’s sessions', async () => {
  const { work, server, print } = await openProject();
  const other = join(work.repository, '..', 'other');
  await mkdir(join(other, '.git'), { recursive: true });
  await writeFile(join(other, '.git/HEAD'), 'ref: refs/heads/main\n');
  server.script({ ...SILENT, text: 'One.' }, { ...SILENT, text: 'Two.' }, { ...SILENT, text: 'Three.' });
  expect((await print(['-p', 'in the first'])).code).toBe(0);
  expect((await print(['-p', 'in the second'], { cwd: other })).code).toBe(0);
  // By another path: a folder inside, or a link.
  await symlink(work.repository, join(other, '..', 'link'));
  expect((await print(['-p', '--continue', 'again'], { cwd: join(other, '..', 'link', 'lib') })).code).toBe(
    0,
  );
  const projects = join(work.data, 'projects');
  const folders = (await readdir(projects)).sort();
  expect(folders).toHaveLength(2);
  expect(folders[0]).toMatch(/-other-[0-9a-f]{8}$/);
  expect(folders[1]).toMatch(/-repository-[0-9a-f]{8}$/);
  for (const folder of folders)
    expect((await readdir(join(projects, folder))).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);

  const list = async (cwd: string, ...flags: string[]): Promise<string[]> => {
    const { stdout } = await print(['session', 'list', '--json', ...flags], { cwd });
    return JSON.parse(stdout).map(({ title }: { title: string }) => title);
  };
  expect(await list(work.repository)).toEqual(['in the first']);
  expect(await list(other)).toEqual(['in the second']);
  expect((await list(other, '--all')).sort()).toEqual(['in the first', 'in the second']);

  // Sessions, locks, blobs, index: no other user can read the conversations.
  for (const [name, mode] of await modesBelow(join(work.data, 'projects')))
    expect([name, mode & 0o077]).toEqual([name, 0]);
  for (const [name, mode] of await modesBelow(join(work.data, 'index')))
    expect([name, mode & 0o077]).toEqual([name, 0]);
  for (const { file } of await work.sessions()) expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('all storage locations can be chosen, and nothing is written elsewhere', {
  tags: 'long',
}, async () => {
  const { work, access, run } = await openProject();
  const chosen = join(work.home, 'elsewhere');
  const before = await readdir(work.data);
  const env = work.env({ ...access, CLAWDCODE_HOME: chosen });
  expect((await run('hello', { env, replies: [{ text: 'Hi.' }] })).code).toBe(0);
  expect(await readdir(work.data)).toEqual(before);
  const [folder = ''] = await readdir(join(chosen, 'projects'));
  expect((await readdir(join(chosen, 'projects', folder))).some((name) => name.endsWith('.jsonl'))).toBe(
    true,
  );
  expect((await stat(chosen)).mode & 0o077).toBe(0);
  for (const [name, mode] of await modesBelow(chosen)) expect([name, mode & 0o077]).toEqual([name, 0]);
});
