import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { gitRunsPrograms } from '../../src/permissions/gitPrograms.ts';
import { policyFor, top } from './harness.ts';

let made = 0;
function repository(...settings: readonly string[]): string {
  const directory = join(top, `git-${made++}`);
  execFileSync('git', ['init', '-q', directory]);
  for (const setting of settings) {
    const [key = '', ...value] = setting.split('=');
    execFileSync('git', ['-C', directory, 'config', key, value.join('=')]);
  }
  return directory;
}

test.each([
  ['core.fsmonitor=./watch'],
  ['filter.x.clean=./clean'],
  ['filter.x.process=./process'],
  ['diff.external=./diff'],
  ['diff.x.textconv=./show'],
  ['diff.x.command=./show'],
  ['gpg.program=./gpg'],
  ['include.path=../settings'],
  ['includeIf.gitdir:/.path=../settings'],
  ['remote.origin.uploadpack=./pack'],
  ['remote.origin.url=ext::./fetch'],
  ['remote.origin.vcs=helper'],
  ['protocol.ext.allow=always'],
  ['url.ext::sh -c x.insteadOf=https://x'],
])('a repository with %s runs programs', (setting) => {
  expect(gitRunsPrograms(repository(setting))).toBe(true);
});

test('an ordinary repository does not, nor does a place without one', () => {
  const plain = repository(
    'user.name=a',
    'core.fsmonitor=true',
    'remote.origin.url=https://example.com/process.git',
  );
  mkdirSync(join(plain, 'src'));
  expect(gitRunsPrograms(join(plain, 'src'))).toBe(false);
  expect(gitRunsPrograms(top)).toBe(false);
});

test('settings on the line of their section count, and those that cannot be read count as the worst', () => {
  const oneLine = repository();
  writeFileSync(join(oneLine, '.git/config'), '[core] fsmonitor=./x');
  expect(gitRunsPrograms(oneLine)).toBe(true);
  const piped = repository();
  execFileSync('mkfifo', [join(piped, '.git/config.worktree')]);
  expect(gitRunsPrograms(piped)).toBe(true);
});

test('the hook of a command that looks counts, wherever hooks are kept', () => {
  const own = repository();
  mkdirSync(join(own, '.git/hooks'), { recursive: true });
  writeFileSync(join(own, '.git/hooks/post-index-change'), '#!/bin/sh\n');
  const moved = repository('core.hooksPath=.husky');
  expect(gitRunsPrograms(moved)).toBe(false);
  mkdirSync(join(moved, '.husky'));
  writeFileSync(join(moved, '.husky/post-index-change'), '#!/bin/sh\n');
  expect([own, moved].map(gitRunsPrograms)).toEqual([true, true]);
});

test('a worktree has the settings of its main repository', () => {
  const main = repository('user.name=a', 'user.email=a@b', 'core.fsmonitor=./x');
  execFileSync('git', [
    '-C',
    main,
    '-c',
    'core.fsmonitor=false',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'one',
  ]);
  const tree = join(top, `tree-${made}`);
  execFileSync('git', ['-C', main, '-c', 'core.fsmonitor=false', 'worktree', 'add', '-q', tree]);
  expect(gitRunsPrograms(tree)).toBe(true);
});

test('a bare repository that hides in a folder is asked about once the shell is there', async () => {
  const project = repository();
  const hidden = join(project, 'vendor/data');
  execFileSync('git', ['init', '-q', '--bare', hidden]);
  const policy = await policyFor([], 'default', { root: project });
  const status = { type: 'command', command: 'git status', cwd: hidden } as const;
  expect(decide({ tool: 'Bash', access: status }, policy)).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('another repository'),
  });
  const atRoot = { ...status, cwd: project };
  const ask = () => decide({ tool: 'Bash', access: atRoot }, policy);
  expect(ask().behavior).toBe('allow');
  execFileSync('git', ['-C', project, 'config', 'core.fsmonitor', './run']);
  expect(ask()).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('names programs'),
  });
});

const commit = (directory: string, ...args: readonly string[]): void => {
  const name = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...name, '-C', directory, ...args], { stdio: 'ignore' });
};

test.each([
  ['2', []],
  ['4', ['-c', 'index.version=4']],
])('a submodule whose own settings name a program counts, in an index of version %s', (_, version) => {
  const inner = repository();
  commit(inner, 'commit', '--allow-empty', '-m', 'x');
  const outer = repository();
  for (let index = 0; index < 20; index++) writeFileSync(join(outer, `file-${'x'.repeat(index)}`), 'x');
  mkdirSync(join(outer, 'libs'));
  commit(outer, ...version, 'add', '.');
  commit(outer, ...version, 'submodule', 'add', inner, 'libs/inner');
  commit(outer, ...version, 'update-index', '--force-write-index', '-q', '--refresh');
  expect(gitRunsPrograms(outer)).toBe(false);
  commit(join(outer, 'libs/inner'), 'config', 'core.fsmonitor', './watch');
  expect(gitRunsPrograms(outer)).toBe(true);
});

test('so does a repository that lies in its folder, as in an unpacked archive', () => {
  const outer = repository();
  const inner = join(outer, 'inner');
  mkdirSync(inner);
  execFileSync('git', ['init', '-q', inner]);
  commit(inner, 'commit', '--allow-empty', '-m', 'x');
  commit(outer, 'add', 'inner');
  expect(gitRunsPrograms(outer)).toBe(false);
  commit(inner, 'config', 'core.fsmonitor', './watch');
  expect(gitRunsPrograms(outer)).toBe(true);
});

test('git searches no secret that it tracks without a question', async () => {
  const project = repository();
  mkdirSync(join(project, 'src'));
  for (const name of ['src/a.ts', '.env']) writeFileSync(join(project, name), 'x');
  commit(project, 'add', 'src');
  const policy = await policyFor([], 'default', { root: project });
  const ask = (command: string) =>
    decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
  expect(ask('git grep x')).toBe('allow');
  expect(ask('git grep --untracked x')).toBe('ask');
  expect(ask('git -C src grep --untracked x')).toBe('allow');
  commit(project, 'add', '-f', '.env');
  expect(['git grep x', 'git grep x HEAD', 'git -C . grep x'].map(ask)).toEqual(['ask', 'ask', 'ask']);
  expect(['git grep x -- src', 'git grep x src/a.ts'].map(ask)).toEqual(['allow', 'allow']);
});

test('files that are said to be elsewhere count', () => {
  const moved = repository('core.worktree=/somewhere');
  expect(gitRunsPrograms(moved)).toBe(true);
});

test('an index that is not understood counts as the worst', () => {
  const broken = repository();
  writeFileSync(join(broken, '.git/index'), 'DIRC\0\0\0\x09\0\0\0\x01');
  expect(gitRunsPrograms(broken)).toBe(true);
  const shared = repository();
  writeFileSync(join(shared, 'a'), 'a');
  commit(shared, 'add', '.');
  expect(gitRunsPrograms(shared)).toBe(false);
  commit(shared, 'update-index', '--split-index');
  expect(gitRunsPrograms(shared)).toBe(true);
});
