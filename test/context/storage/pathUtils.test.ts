import { execFileSync } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSafeSessionId, newId, newSessionId } from '../../../src/context/storage/newEntries.ts';
import {
  detectGitBranch,
  detectGitRemote,
  escapeProjectPath,
  getProjectStoragePath,
  getSessionFilePath,
  getStorageRoot,
  projectSlug,
} from '../../../src/context/storage/pathUtils.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

test('the storage root is in the home unless another is named', () => {
  expect(getStorageRoot({ home: '/home/u' })).toBe('/home/u/.clawdcode');
  expect(getStorageRoot({ home: '/home/u', override: '' })).toBe('/home/u/.clawdcode');
  expect(getStorageRoot({ home: '/home/u', override: '/data/x/' })).toBe('/data/x');
});

test.each([
  ['/home/u/my-app', 'home-u-my-app'],
  ['/', 'root'],
  ['/.hidden/x', 'hidden-x'],
  ['C:\\Users\\u', 'C--Users-u'],
  ['/home/u/项目 one', 'home-u-项目-one'],
  ["/a/b'c d$(e)", 'a-b-c-d--e'],
])('%s is called %s', (path, name) => {
  expect(escapeProjectPath(path)).toBe(name);
});

test('similar paths and links to one project are told apart', async () => {
  expect(projectSlug('/a-b')).not.toBe(projectSlug('/a/b'));
  expect(projectSlug('/a-b')).toMatch(/^a-b-[0-9a-f]{8}$/);
  const folder = temporaryFolder();
  await mkdir(join(folder, 'real'));
  await symlink(join(folder, 'real'), join(folder, 'link'));
  expect(getProjectStoragePath('/data', join(folder, 'link'))).toBe(
    getProjectStoragePath('/data', join(folder, 'real')),
  );
  expect(dirname(getProjectStoragePath('/data', '/gone/for/good'))).toBe('/data/projects');
});

test('any path gives one valid folder name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const slug = projectSlug(`/${text}`);
      expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(255);
      expect(slug).not.toMatch(/[/\\:\0\s]|^[-.]/);
    }),
  );
  const long = `/home/${'x'.repeat(400)}/app`;
  expect(projectSlug(long)).toMatch(/x-app-[0-9a-f]{8}$/);
  expect(Buffer.byteLength(projectSlug(`/${'项'.repeat(300)}`))).toBeLessThanOrEqual(255);
});

test.each([
  '../../x',
  '-rf',
  '',
  '.',
  '..',
  '.hidden',
  'a/b',
  'a\\b',
  'a b',
  'a\0',
  'x'.repeat(129),
  '一',
  'a\n',
])('the session id %j is rejected', (id) => {
  expect(isSafeSessionId(id)).toBe(false);
  expect(() => getSessionFilePath('/data', '/project', id)).toThrow('is not a session id');
});

test('a safe id names a file in its project’s folder', () => {
  const file = getSessionFilePath('/data', '/project', 'My.session_1');
  expect(file).toBe(join(getProjectStoragePath('/data', '/project'), 'My.session_1.jsonl'));
});

test('generated ids are safe, never start with a dash and do not repeat', () => {
  const ids = Array.from({ length: 2000 }, () => [newId(), newSessionId()]).flat();
  expect(new Set(ids).size).toBe(4000);
  for (const id of ids) {
    expect(id).toMatch(/^(?:[A-Za-z0-9]{21}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/);
    expect(isSafeSessionId(id)).toBe(true);
  }
});

test('the branch: none, unborn, named, detached, in a worktree and below the root', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const repo = join(folder, 'repo');
  await mkdir(join(repo, 'deep/er'), { recursive: true });
  expect(await detectGitBranch(repo)).toBeUndefined();
  git(repo, 'init', '-q', '-b', 'trunk');
  expect(await detectGitBranch(repo)).toBe('trunk');
  git(repo, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(repo, 'checkout', '-q', '-b', 'feature/Ünï');
  expect(await detectGitBranch(join(repo, 'deep/er'))).toBe('feature/Ünï');
  git(repo, 'worktree', 'add', '-q', '-b', 'side', '../side');
  expect(await detectGitBranch(join(folder, 'side'))).toBe('side');
  git(repo, 'checkout', '-q', '--detach');
  expect(await detectGitBranch(repo)).toBe(git(repo, 'rev-parse', 'HEAD').slice(0, 7));
  await writeFile(join(repo, '.git/HEAD'), 'garbage');
  expect(await detectGitBranch(repo)).toBeUndefined();
});

test('a pipe in place of a git file blocks nothing', async () => {
  const repo = temporaryFolder();
  await mkdir(join(repo, '.git'));
  for (const name of ['HEAD', 'config']) execFileSync('mkfifo', [join(repo, '.git', name)]);
  expect([await detectGitBranch(repo), await detectGitRemote(repo)]).toEqual([undefined, undefined]);
});

test('the remote: none, the only one, origin before others, without credentials, in a worktree', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const repo = join(folder, 'repo');
  await mkdir(repo);
  expect(await detectGitRemote(repo)).toBeUndefined();
  git(repo, 'init', '-q');
  expect(await detectGitRemote(repo)).toBeUndefined();
  git(repo, 'remote', 'add', 'fork', 'git@example.org:me/repo.git');
  expect(await detectGitRemote(repo)).toBe('git@example.org:me/repo.git');
  git(repo, 'remote', 'add', 'origin', 'https://me:secret@example.org/repo.git');
  expect(await detectGitRemote(repo)).toBe('https://example.org/repo.git');
  git(repo, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(repo, 'worktree', 'add', '-q', '../side');
  expect(await detectGitRemote(join(folder, 'side'))).toBe('https://example.org/repo.git');
  await rename(join(repo, '.git/config'), join(repo, '.git/away'));
  expect(await detectGitRemote(repo)).toBeUndefined();
});

test('a created folder name is durable', async () => {
  const folder = temporaryFolder();
  const slug = projectSlug(`/${'é/'.repeat(200)}`);
  await mkdir(join(folder, slug));
  expect(basename(join(folder, slug))).toBe(slug);
});
