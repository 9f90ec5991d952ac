/** Where a project's sessions are stored. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as paths from '../../../src/context/storage/pathUtils.ts';
import { openProject, runPrint } from '../support/project.ts';

test('two paths that look alike have two folders, and no id leads elsewhere', () => {
  const { getStorageRoot, escapeProjectPath, getProjectStoragePath, getSessionFilePath } = paths;
  expect(getStorageRoot({ home: '/home/u' })).toBe('/home/u/.clawdcode');
  expect(getStorageRoot({ home: '/home/u', override: '/elsewhere' })).toBe('/elsewhere');
  expect(escapeProjectPath('/a/b')).toBe('a-b');
  const folders = ['/a-b', '/a/b'].map((path) => getProjectStoragePath('/data', path));
  expect(new Set(folders).size).toBe(2);
  for (const folder of folders) expect(folder).toMatch(/^\/data\/projects\/a-b-[0-9a-f]+$/);
  expect(getSessionFilePath('/data', '/a/b', 'abc')).toBe(`${folders[1]}/abc.jsonl`);
  for (const id of ['../x', '/etc/passwd', 'a/b', '..', '.', '', 'a\0b'])
    expect(() => getSessionFilePath('/data', '/a/b', id)).toThrow();
});

test('branch and remote are read from the repository, and a detached head has no branch', async () => {
  const { work } = await openProject();
  await work.git('remote', 'add', 'origin', 'https://example.com/a.git');
  expect(await paths.detectGitBranch(work.repository)).toBe('main');
  expect(await paths.detectGitRemote(work.repository)).toBe('https://example.com/a.git');
  await work.git('checkout', '--quiet', '--detach');
  expect(await paths.detectGitBranch(work.repository)).not.toBe('main');
  expect(await paths.detectGitBranch(work.home)).toBeUndefined();
  expect(await paths.detectGitRemote(work.home)).toBeUndefined();
});

test('the program works with a detached head, without a repository, and in a very long path', {
  tags: 'long',
}, async () => {
  const project = await openProject();
  await project.work.git('checkout', '--quiet', '--detach');
  const deep = join(
    project.work.temporary,
    ...Array.from({ length: 30 }, (_, n) => `${n}-${'long'.repeat(25)}`),
  );
  await mkdir(deep, { recursive: true });
  for (const cwd of [project.work.repository, project.work.home, deep]) {
    const run = await project.run('hello', { replies: [{ text: 'Hi.' }], cwd, format: 'text' });
    expect(run).toMatchObject({ code: 0, stdout: 'Hi.\n' });
  }
  expect(await readdir(join(project.work.data, 'projects'))).toHaveLength(3);
});

test('CLAWDCODE_HOME moves everything, and an id that leads out of the folder is rejected', {
  tags: 'long',
}, async () => {
  const { project, requests } = await runPrint('hello', { replies: [{ text: 'Hi.' }] });
  expect(requests).toHaveLength(1);
  const other = join(project.work.temporary, 'other home');
  const env = { ...project.work.env(project.access), CLAWDCODE_HOME: other };
  await project.run('hello', { replies: [{ text: 'Hi.' }], env, format: 'text' });
  expect(await readdir(join(other, 'projects'))).toHaveLength(1);
  for (const id of ['../../config', '/etc/passwd', '..']) {
    expect(await project.run('x', { resume: id, format: 'text' })).toMatchObject({ code: 42, stdout: '' });
    expect(await project.run('x', { flags: ['--session-id', id], format: 'text' })).toMatchObject({
      code: 42,
    });
  }
});
