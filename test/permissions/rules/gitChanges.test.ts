/** Git commands that add secrets, or show files that an earlier part of the same command adds. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { policyFor, rule, top } from '../harness.ts';

const project = join(top, 'home', 'added');
const key = join(project, 'src/server.key');

function git(...args: readonly string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const { status, stderr } = spawnSync('git', [...own, '-c', 'core.hooksPath=/dev/null', ...args], {
    cwd: project,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

beforeAll(() => {
  mkdirSync(join(project, 'src'), { recursive: true });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(project, 'src/a.ts'), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  writeFileSync(key, 'x\n');
});

const rules = ['add', 'commit', 'stash', 'diff', 'show', 'log'].map((name) => `allow Bash(git ${name}:*)`);

async function behavior(command: string, given = rules, mode: PermissionMode = 'default'): Promise<string> {
  const own = given.map((text) => ({ ...rule(text), base: project }));
  const policy = await policyFor([], mode, { root: project, rules: own });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
}

const combined = [
  'git add -A && git diff --cached',
  'git add -A; git diff --cached',
  'cd src && git add . && git diff --staged',
  'git add -N . && git diff',
  'git add -A && git commit -m x && git show',
  'git add -A && git commit -m x && git log -p -1',
  'git stash -u && git show stash@{0}^3',
  'git stash -u && git stash show -p --include-untracked',
  'for i in 1 2; do git diff --cached; git add -A; done',
];

describe('a secret that could be added', () => {
  test.each(combined)('%s needs approval', async (command) => {
    expect(await behavior(command)).toBe('ask');
    expect(await behavior(command, ['allow Bash'])).toBe('ask');
  });

  test.each([
    'git diff --cached',
    'git add src/a.ts && git status',
    'git add src/a.ts && git commit -m x && git log -1 --oneline',
    'git diff && git add src/a.ts && git commit -m x',
  ])('%s runs', async (command) => {
    expect(await behavior(command)).toBe('allow');
  });

  test.each(combined)('%s counts as reading a denied file', async (command) => {
    const denied = ['deny Read(src/server.key)', 'allow Bash'];
    expect(await behavior(command, denied, 'bypassPermissions')).not.toBe('allow');
  });
});

describe('without a secret that could be added', () => {
  beforeAll(() => rmSync(key));

  test.each(combined)('%s runs', async (command) => {
    expect(await behavior(command)).toBe('allow');
    expect(await behavior(command, ['deny Read(src/server.key)', 'allow Bash'], 'bypassPermissions')).toBe(
      'allow',
    );
  });
});

describe('a command that adds files to the repository without naming them', () => {
  beforeAll(() => {
    writeFileSync(join(project, '.gitignore'), '.env\nignored/\n');
    writeFileSync(join(project, '.env'), 'A=1\n');
    mkdirSync(join(project, 'ignored'), { recursive: true });
    writeFileSync(join(project, 'ignored/id_rsa'), 'x\n');
    mkdirSync(join(project, 'docs'), { recursive: true });
    writeFileSync(join(project, 'docs/new.md'), 'x\n');
    rmSync(key, { force: true });
  });
  const forced = [
    ...['git add -f .', 'git add --force .', 'git add -fA', 'git add -f -- .', 'git add --force --all'],
    ...['git add -f ignored', 'git add -f src/..', 'git stage -f .', 'cd src && git add -f ..'],
    ...['git stash -a', 'git stash push -a -m x', 'git stash push --all'],
    ...['git add -f -n --no-dry-run .', 'git add -f --dry-run --no-dry-run .', 'git add -f . -- -n'],
  ];
  const plain = [
    ...['git add -A', 'git add .', 'git add -u', 'git add src', 'git add -f docs', 'git add docs/new.md'],
    ...['git commit -am x', 'git commit -m x src/a.ts', 'git stash -u', 'git stash push -m x'],
    'npm test && git add -A && git commit -m x',
    ...['git add -f -n .', 'git add --dry-run -f .', 'git commit -nam x'],
  ];
  const given = [...rules, 'allow Bash(git stage:*)', 'allow Bash(npm test)'];

  test.each(forced)('%s needs approval, since it would add an ignored secret', async (command) => {
    expect(await behavior(command, given)).toBe('ask');
    expect(await behavior(command, ['allow Bash'])).toBe('ask');
  });

  test.each(plain)('%s runs, since secrets are ignored', async (command) => {
    expect(await behavior(command, given)).toBe('allow');
    expect(await behavior(command, ['allow Bash'])).toBe('allow');
  });

  test('adding a secret that is not ignored, or is tracked and has changed, needs approval', async () => {
    writeFileSync(key, 'x\n');
    for (const command of ['git add -A', 'git add .', 'git add src', 'git stash -u'])
      expect(await behavior(command, given)).toBe('ask');
    for (const command of ['git add docs', 'git add -u', 'git commit -am x'])
      expect(await behavior(command, given)).toBe('allow');
    git('add', 'src/server.key');
    writeFileSync(key, 'another\n');
    for (const command of [
      'git add -u',
      'git commit -am x',
      'git commit -nam x',
      'git commit -vna -m x',
      'git commit -m x src',
      'git add -A',
    ])
      expect(await behavior(command, given)).toBe('ask');
    for (const command of ['git add docs', 'git commit -m x', 'git commit -m x src/a.ts'])
      expect(await behavior(command, given)).toBe('allow');
    git('rm', '-qf', '--cached', 'src/server.key');
    rmSync(key);
  });

  test('adding a file that a rule denies reading needs approval', async () => {
    const denied = ['allow Bash', 'deny Read(ignored/**)'];
    for (const command of ['git add -f .', 'git add -fA', 'git stash -a', 'git -C src add -f ..'])
      expect(await behavior(command, denied, 'bypassPermissions')).toBe('ask');
    for (const command of ['git add .', 'git add -A', 'git commit -am x', 'git -C src add ..'])
      expect(await behavior(command, denied, 'bypassPermissions')).toBe('allow');
  });
});
