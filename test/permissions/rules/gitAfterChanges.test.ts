/**
 * Git commands that follow a part of the same command that changes files or moves refs to other commits.
 *
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { policyFor, rule, top } from '../harness.ts';

/** A deleted secret in the history of another branch, and in a commit without a ref. */
const project = join(top, 'home', 'past');
/** A tracked secret that has not changed. */
const tracking = join(top, 'home', 'tracking');
/** No secret except an ignored one. */
const clean = join(top, 'home', 'clean');
let dropped = '';

function git(cwd: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}
function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}
function commitAll(cwd: string, message: string): void {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', message);
}

beforeAll(() => {
  for (const place of [project, tracking, clean]) {
    write(join(place, 'src/a.ts'), 'one\n');
    git(place, 'init', '-q', '-b', 'main');
    commitAll(place, 'one');
  }
  git(project, 'checkout', '-q', '-b', 'other');
  write(join(project, 'conf/.env'), 'KEY=one\n');
  commitAll(project, 'secret');
  dropped = git(project, 'commit-tree', '-m', 'x', 'HEAD^{tree}');
  git(project, 'rm', '-q', 'conf/.env');
  git(project, 'commit', '-qm', 'removed');
  git(project, 'checkout', '-q', 'main');
  for (const place of [project, clean]) {
    write(join(place, 'src/a.ts'), 'two\n');
    commitAll(place, 'two');
  }
  write(join(tracking, 'conf/.env'), 'KEY=one\n');
  commitAll(tracking, 'secret');
  write(join(tracking, 'src/a.ts'), 'two\n');
  commitAll(tracking, 'two');
  write(join(clean, '.gitignore'), '.env\n');
  commitAll(clean, 'ignored');
  write(join(clean, '.env'), 'KEY=one\n');
  // Otherwise, files may count as changed because they are as new as the index.
  for (const place of [project, tracking, clean])
    for (const name of ['src/a.ts', ...(place === tracking ? ['conf/.env'] : [])])
      utimesSync(join(place, name), 1e9, 1e9);
  for (const place of [project, tracking, clean]) git(place, 'update-index', '-q', '--refresh');
});

const allowed = [
  ...['checkout', 'switch', 'fetch', 'pull', 'reset', 'commit', 'add', 'branch', 'tag', 'rm', 'stash'],
  ...['merge', 'cherry-pick', 'restore', 'push'],
].map((name) => `allow Bash(git ${name}:*)`);
const others = ['rm:*', 'npm run setup', 'npm test', 'gh pr:*', 'touch:*', 'xargs git checkout:*'];
const given = [...allowed, ...others.map((one) => `allow Bash(${one})`)];

async function behavior(
  cwd: string,
  command: string,
  texts: readonly string[] = given,
  mode: PermissionMode = 'default',
): Promise<string> {
  const rules = texts.map((text) => ({ ...rule(text), base: cwd }));
  const policy = await policyFor([], mode, { root: cwd, rules });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd } }, policy).behavior;
}

/** These show the deleted secret of another branch; the last part alone does not. */
const moving = [
  'git checkout other && git show HEAD~1',
  'git checkout -q other && git log -p -2',
  'git switch other && git log -p -2',
  'git checkout -q other~1 && git grep KEY',
  'git reset --soft other && git diff HEAD~1',
  'git branch x other && git show x~1',
  'git tag x other~1 && git show x',
  'git cherry-pick other~1 && git show',
  'git merge -q other && git log -p -3',
  'git checkout other; git log -p -2',
  'git restore --source other~1 . && git diff',
];
/** These show commits that do not exist yet or are not known. */
const fetching = [
  'git fetch -q origin x && git show FETCH_HEAD~1',
  'git fetch && git log -p HEAD..origin/main',
  'git pull && git log -p -3',
  'gh pr checkout 5 && git log -p -3',
  'echo other | xargs git checkout && git log -p -2',
];
/** These show the tracked secret; the last part alone does not. */
const changing = [
  'rm -rf conf && git diff',
  'npm run setup && git diff',
  'npm run setup && git diff HEAD',
  'npm run setup && git diff -- conf',
  'rm -rf conf && git status -vv',
  'git rm -rq conf && git diff --cached',
  'git rm -rq conf && git diff HEAD',
];

describe('a command that moves refs to other commits', () => {
  test.each(moving)('%s needs approval', async (command) => {
    expect(await behavior(project, command)).toBe('ask');
    expect(await behavior(project, command, ['allow Bash'])).toBe('ask');
    const denied = ['allow Bash', 'deny Read(conf/**)'];
    expect(await behavior(project, command, denied, 'bypassPermissions')).not.toBe('allow');
  });

  test.each(moving)('%s runs if no commit contains a secret', async (command) => {
    const own = command.replaceAll(/other/g, 'main');
    expect(await behavior(clean, own)).toBe('allow');
    expect(await behavior(clean, own, ['allow Bash', 'deny Read(conf/**)'], 'bypassPermissions')).toBe(
      'allow',
    );
  });

  test('a commit without a ref is checked if an earlier part names it', async () => {
    for (const command of [`git checkout -q ${dropped} && git show`, `git tag x ${dropped} && git show x`])
      expect(await behavior(project, command)).toBe('ask');
  });
});

describe('a command that fetches commits or may do anything', () => {
  test.each(fetching)('%s needs approval', async (command) => {
    for (const place of [project, clean]) {
      expect(await behavior(place, command)).toBe('ask');
      expect(await behavior(place, command, ['allow Bash', 'deny Read(conf/**)'], 'bypassPermissions')).toBe(
        'ask',
      );
    }
  });
});

describe('a command that changes files', () => {
  test.each(changing)('%s needs approval', async (command) => {
    expect(await behavior(tracking, command)).toBe('ask');
    expect(await behavior(tracking, command, ['allow Bash'])).toBe('ask');
    const denied = ['allow Bash', 'deny Read(conf/**)'];
    expect(await behavior(tracking, command, denied, 'bypassPermissions')).not.toBe('allow');
  });

  test.each(changing)('%s runs if no secret is tracked', async (command) => {
    const own = command.replaceAll('conf', 'src');
    expect(await behavior(clean, own)).toBe('allow');
  });
});

test.each([
  'git fetch && git log --oneline HEAD..origin/main',
  'git fetch && git status -sb',
  'git checkout main && git log --stat -3',
  'git commit -m x && git log --stat -1',
  'git add -A && git commit -m "fix: x" && git status',
  'git diff && git checkout other',
  'npm test && git log -p -1',
  'npm test && git diff -- src',
  'npm test && git show',
  'npm test && git diff --stat',
  'touch src/b.ts && git diff',
  'rm -rf dist && git diff --cached',
  'git restore src/a.ts && git diff -- src',
  'gh pr view 5 && git log -p -1',
])('%s runs in every repository', async (command) => {
  for (const place of [project, tracking, clean]) expect(await behavior(place, command)).toBe('allow');
});

test.each([
  'git add -A && git diff --cached',
  'git add . && git commit -m x && git show',
  'git add -A && git commit -m x && git log -p -1',
  'git commit -am x && git push && git show',
  'npm test && git diff',
])('%s runs despite an ignored secret', async (command) => {
  expect(await behavior(clean, command)).toBe('allow');
});
