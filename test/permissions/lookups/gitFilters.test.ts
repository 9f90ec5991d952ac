/** Checking a git command runs no program that the repository names, even if the command itself would. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import type { Shown } from '../../../src/permissions/lookups/gitShown.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'filters');
const trace = join(top, 'filter-ran');

const git = (...args: readonly string[]): string => {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false', '-C', project];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
};
const write = (name: string, text: string): void => {
  mkdirSync(join(project, name, '..'), { recursive: true });
  writeFileSync(join(project, name), text);
};

/** Modes and rules that make the check look up what a command shows or writes. */
const decisions = [
  ['default'],
  ['acceptEdits', 'allow Bash'],
  ['bypassPermissions', 'deny Read(src/**)', 'deny Edit(src/**)'],
] as const;

beforeAll(() => {
  write('.gitattributes', '* filter=f diff=f\n');
  for (const name of ['a.txt', 'src/b.txt', '.netrc', 'sub/c.txt']) write(name, 'one\n');
  git('init', '-q');
  git('add', '-f', '.');
  git('commit', '-qm', 'one');
  write('a.txt', 'two\n');
  git('commit', '-qam', 'two');
  write('a.txt', 'three\n');
  git('stash', '-q');
  git('branch', 'side', 'HEAD~1');
  const program = join(project, 'filter.sh');
  writeFileSync(program, `#!/bin/sh\necho ran >> ${trace}\ncat\n`);
  chmodSync(program, 0o755);
  for (const key of ['filter.f.clean', 'filter.f.process', 'filter.f.smudge', 'diff.f.textconv'])
    git('config', key, program);
});

beforeEach(() => {
  // As if just unpacked: git has to read the files to tell whether they have changed.
  for (const name of ['a.txt', 'src/b.txt', '.netrc']) utimesSync(join(project, name), 1, 1);
  rmSync(trace, { force: true });
});

test('git runs the filter when it compares files on disk', () => {
  git('diff', '--stat');
  expect(existsSync(trace)).toBe(true);
});

async function decideAll(command: string): Promise<void> {
  const access = { type: 'command', command, cwd: project } as const;
  for (const [mode, ...rules] of decisions)
    decide({ tool: 'Bash', access }, await policyFor(rules, mode, { root: project }));
}

test.each(['git diff', 'git status -v', 'git checkout .', 'cd src && git diff'])(
  'checking %s runs no filter',
  async (command) => {
    await decideAll(command);
    expect(existsSync(trace)).toBe(false);
  },
);

const more = [
  ...[
    'HEAD',
    'HEAD~0',
    'a.txt',
    '-- a.txt',
    '--check',
    '--cached',
    'HEAD~1 HEAD',
    'side..HEAD',
    'side...HEAD',
  ],
  ...['side HEAD src', '--merge-base side', '--no-index a.txt src/b.txt', 'HEAD --name-only -p'],
].map((args) => `git diff ${args}`);
test.each([
  ...more,
  ...[
    'git diff-files -p',
    'git diff-index -p HEAD',
    'git diff-index --cached -p HEAD',
    'git diff-tree -p HEAD',
  ],
  ...[
    'git status',
    'git status -vv',
    'git show',
    'git log -p',
    'git log -1 -p -- a.txt',
    'git describe --dirty',
  ],
  ...['git stash show -p', 'git stash list -p', 'git blame a.txt', 'git grep one', 'git ls-files -m'],
  ...['git checkout -- a.txt', 'git restore .', 'git restore --source=side a.txt', 'git checkout -f side'],
  ...[
    'git checkout side',
    'git switch side',
    'git merge side',
    'git reset --hard',
    'git stash',
    'git stash pop',
  ],
  ...['git add -A', 'git commit -am x', 'git clean -fd', 'git rm a.txt', 'git archive HEAD', 'git -C . diff'],
  ...['git cat-file -p HEAD:a.txt', 'git add a.txt && git diff --cached', 'git hash-object a.txt'],
])('checking %s runs no filter', { tags: 'long' }, async (command) => {
  await decideAll(command);
  expect(existsSync(trace)).toBe(false);
});

const onDisk = (...words: readonly string[]): Shown => ({
  objects: words,
  compared: [{ how: 'disk', words, paths: [] }],
});

test.each<Shown>([
  onDisk(),
  onDisk('HEAD'),
  onDisk('a.txt'),
  { objects: [], restored: ['a.txt'] },
  { objects: [], moves: { how: 'switch', words: ['HEAD'], drops: true } },
])('lists changed files without running the filter: %j', (shown) => {
  const lookups = diskLookups(process.env);
  const found = lookups.gitShows(project, shown, [project]);
  expect(found).toContain(join(project, 'a.txt'));
  expect(existsSync(trace)).toBe(false);
});

test('lists no files on disk for two commits or for unchanged files', () => {
  const { gitShows } = diskLookups(process.env);
  expect(gitShows(project, onDisk('side', 'HEAD'), [project])).toEqual(
    expect.not.arrayContaining([join(project, 'src/b.txt')]),
  );
  expect(gitShows(project, onDisk('sub'), [project])).toEqual([]);
});

test('a file counts as changed if the index has another inode, owner or fraction of a second, since git rereads it', () => {
  const { gitShows } = diskLookups(process.env);
  const shown = onDisk();
  const file = join(project, '.git/index');
  const index = readFileSync(file);
  const start = index.indexOf('sub/c.txt') - 62;
  for (const at of [4, 12, 20, 28, 32]) {
    const forged = Buffer.from(index);
    forged.writeUInt32BE(at < 20 ? 0 : forged.readUInt32BE(start + at) ^ 1, start + at);
    writeFileSync(file, forged);
    expect(gitShows(project, shown, [project]), `byte ${at}`).toContain(join(project, 'sub/c.txt'));
  }
  writeFileSync(file, index);
});

test('finds changed files behind links and in a sparse index, and gives up if the worktree is elsewhere', () => {
  const { gitShows } = diskLookups(process.env);
  const shown = onDisk();
  renameSync(join(project, 'sub'), join(project, 'sub2'));
  symlinkSync('sub2', join(project, 'sub'));
  expect(gitShows(project, shown, [project])).toContain(join(project, 'sub/c.txt'));
  rmSync(join(project, 'sub'));
  renameSync(join(project, 'sub2'), join(project, 'sub'));
  git('config', 'core.worktree', '../../src');
  expect(gitShows(project, shown, [project])).toBeUndefined();
  git('--work-tree=.', 'config', '--unset', 'core.worktree');
  git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
  expect(gitShows(project, shown, [project])).toContain(join(project, 'sub/c.txt'));
});
