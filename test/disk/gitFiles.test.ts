/** Real repositories that contain files which block their reader. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { blockingFile, mayHaveRepository } from '../../src/disk/gitFiles.ts';
import { firstIsQuick } from '../e2e/support/long.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] }).toString();

function repository(): string {
  const root = temporaryFolder();
  git(root, 'init', '--quiet', '--initial-branch=main');
  return root;
}

const isReadableByGit = (folder: string): boolean => blockingFile(folder, {}) === undefined;

function pipeAt(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

test('finds nothing wrong with a repository, its subfolders, a linked worktree, or a folder without one', {
  tags: 'long',
}, () => {
  const root = repository();
  git(root, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'x');
  git(root, 'worktree', 'add', '--quiet', join(root, 'tree'));
  git(root, 'pack-refs', '--all');
  mkdirSync(join(root, 'src'));
  for (const folder of [root, join(root, 'src'), join(root, 'tree'), join(root, '.git'), temporaryFolder()])
    expect(isReadableByGit(folder), folder).toBe(true);
});

for (const { row, options } of firstIsQuick([
  ...['HEAD', 'config', 'index', 'packed-refs', 'commondir', 'config.worktree', 'shallow'],
  ...['../.gitattributes', '../.gitignore', '../.gitmodules'],
  ...['info/exclude', 'info/attributes', 'objects/info/alternates', 'refs/heads/main'],
]))
  test(`finds a pipe at .git/${row} before git opens it`, options, () => {
    const root = repository();
    pipeAt(join(root, '.git', row));
    expect(isReadableByGit(join(root))).toBe(false);
  });

test('finds a .git that is or names a pipe, and a file of absurd size', () => {
  const own = temporaryFolder();
  pipeAt(join(own, '.git'));
  expect(isReadableByGit(own)).toBe(false);
  const linked = repository();
  const other = temporaryFolder();
  writeFileSync(join(other, '.git'), `gitdir: ${join(linked, '.git')}\n`);
  expect(isReadableByGit(other)).toBe(true);
  pipeAt(join(linked, '.git/HEAD'));
  expect(isReadableByGit(other)).toBe(false);
  const large = repository();
  truncateSync(join(large, '.git/config'), 10 * 2 ** 30);
  expect(isReadableByGit(large)).toBe(false);
});

for (const settings of [
  '[include]\n\tpath = ../ff\n',
  '[include] PATH = "../ff" ; comment\n',
  '[include]\n\tpath = ../f\\\nf\n',
  '[includeIf "gitdir:x]y"]\npath=../ff\n',
  '[include]\n\tpath = nested\n',
  '[core]\n\texcludesFile = ff\n',
  '[core]\n\tattributesFile = ff\n',
  '[mailmap]\n\tfile = ff\n',
])
  test(`finds a pipe that settings include or name: ${JSON.stringify(settings)}`, () => {
    const root = repository();
    writeFileSync(join(root, '.git/nested'), '[include]\n\tpath = ../ff\n');
    appendFileSync(join(root, '.git/config'), settings);
    writeFileSync(join(root, 'ff'), '');
    expect(blockingFile(root, {})).toBeUndefined();
    pipeAt(join(root, 'ff'));
    expect(blockingFile(root, {})).toBe(join(root, 'ff'));
  });

const included = (path: string): string => `[include]\n\tpath = ${path}\n`;

/** The pipe, and the user's settings that lead to it. */
test.each<[pipe: string, settings: string, text: string]>([
  ['.gitconfig', '', ''],
  ['.config/git/config', '', ''],
  ['.config/git/ignore', '', ''],
  ['.config/git/attributes', '', ''],
  ['ff', '.gitconfig', included('ff')],
  ['ff', '.gitconfig', included('~/ff')],
  ['ff', '.config/git/config', included('../../ff')],
  ['ff', '.gitconfig', '[includeIf "gitdir:~/work/"]\n\tpath = ~/ff\n'],
  ['ff', '.gitconfig', '[core]\n\texcludesFile = ~/ff\n'],
])(
  "a pipe as ~/%s, to which the user's %s may lead, is found with and without a repository: %j",
  (pipe, settings, text) => {
    const [home, root, plain] = [temporaryFolder(), repository(), temporaryFolder()];
    const env = { HOME: home };
    mkdirSync(join(home, '.config/git'), { recursive: true });
    if (settings !== '') writeFileSync(join(home, settings), text);
    writeFileSync(join(home, pipe), '');
    for (const folder of [root, plain]) expect(blockingFile(folder, env)).toBeUndefined();
    pipeAt(join(home, pipe));
    for (const folder of [root, plain]) expect(blockingFile(folder, env)).toBe(join(home, pipe));
  },
);

test('other settings of the user are read if the environment names them, and those alone', () => {
  const [home, root] = [temporaryFolder(), repository()];
  const env = { HOME: home };
  pipeAt(join(home, 'xdg/git/config'));
  expect(blockingFile(root, { ...env, XDG_CONFIG_HOME: '' })).toBeUndefined();
  expect(blockingFile(root, { ...env, XDG_CONFIG_HOME: join(home, 'xdg') })).toBe(
    join(home, 'xdg/git/config'),
  );
  pipeAt(join(home, '.gitconfig'));
  expect(blockingFile(root, { ...env, GIT_CONFIG_GLOBAL: '/dev/null' })).toBeUndefined();
  expect(blockingFile(root, { ...env, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') })).toBe(
    join(home, '.gitconfig'),
  );
});

test('the empty device is no obstacle; another device is', () => {
  const [home, root] = [temporaryFolder(), repository()];
  for (const name of ['excludesFile', 'attributesFile']) git(root, 'config', `core.${name}`, '/dev/null');
  symlinkSync('/dev/null', join(home, '.gitconfig'));
  expect(blockingFile(root, { HOME: home })).toBeUndefined();
  git(root, 'config', 'core.excludesFile', '/dev/zero');
  expect(blockingFile(root, { HOME: home })).toBe('/dev/zero');
});

test('tells whether git would find a repository from a folder', () => {
  const [root, plain, bare] = [repository(), temporaryFolder(), temporaryFolder()];
  git(bare, 'init', '--quiet', '--bare');
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  symlinkSync(join(root, 'src'), join(plain, 'link'));
  for (const folder of [root, join(root, 'src/deep'), join(root, '.git/refs'), join(plain, 'link'), bare]) {
    expect(git(folder, 'rev-parse', '--git-dir'), folder).not.toBe('');
    expect(mayHaveRepository(folder), folder).toBe(true);
  }
  expect(mayHaveRepository(plain)).toBe(false);
  expect(() => git(plain, 'rev-parse', '--git-dir')).toThrow();
});
