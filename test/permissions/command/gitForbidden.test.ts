/** A rule against reading a folder also applies to git, which shows files without naming them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { policyFor, rule, top } from '../harness.ts';

const project = join(top, 'home', 'forbidden');

function git(...args: readonly string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const all = [...own, '-c', 'core.hooksPath=/dev/null', ...args];
  const { status, stderr } = spawnSync('git', all, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

beforeAll(() => {
  mkdirSync(join(project, 'private'), { recursive: true });
  mkdirSync(join(project, 'src'));
  git('init', '-q', '-b', 'main');
  writeFileSync(join(project, 'private/a'), 'one\n');
  writeFileSync(join(project, 'src/a.ts'), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  writeFileSync(join(project, 'private/a'), 'two\n');
  git('commit', '-qam', 'two');
  writeFileSync(join(project, 'src/a.ts'), 'two\n');
  git('commit', '-qam', 'three');
  writeFileSync(join(project, 'src/a.ts'), 'three\n');
});

async function behavior(command: string, rules: readonly string[], mode: PermissionMode): Promise<string> {
  const own = rules.map((text) => ({ ...rule(text), base: project }));
  const policy = await policyFor([], mode, { root: project, rules: own });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
}

const showing = [
  'git grep -h SECRET',
  "git grep x -- ':/'",
  'git show HEAD~1',
  'git diff HEAD~2',
  'git log -p',
  'git log -S one',
  'git archive HEAD',
  'git checkout-index -a --prefix=o/',
  'git worktree add ../w',
  'git clone . ../x',
  'git bundle create x --all',
  'git diff --no-index . ../x',
  'git fast-export HEAD',
  'git cat-file --batch-all-objects --batch',
  'git -C . show HEAD~1',
  'git --no-pager -c core.pager=cat log -p',
  'git --git-dir=.git archive HEAD',
  'git format-patch HEAD~2 --stdout',
  "git for-each-ref --format='%(raw)'",
  'cd src && git log -p',
  'git status && git show HEAD~1 | head',
];

const harmless = [
  'git status',
  'git add src',
  "git commit -m 'all new'",
  'git log --oneline -5',
  'git log --stat',
  'git push',
  'git pull',
  'git fetch',
  'git branch -a',
  'git switch -c x',
  'git show HEAD',
  'git diff',
  'git diff HEAD~1 --stat',
  'git diff -- src',
  'git log -p -- src',
  'git grep x -- src',
  'git show HEAD:src/a.ts',
  'git stash list',
  'git clone https://example.com/x',
];

describe.each([
  ['deny Read(private/**)', 'bypassPermissions'],
  ['deny Read(private/**)', 'default'],
  ['ask Read(/private/**)', 'acceptEdits'],
] as const)('%s in %s', (forbidden, mode) => {
  test.each(showing)('%s does not run without approval', { tags: 'long' }, async (command) => {
    expect(await behavior(command, [forbidden, 'allow Bash'], mode)).not.toBe('allow');
  });
  test.each(harmless)('%s runs', mode === 'default' ? {} : { tags: 'long' }, async (command) => {
    expect(await behavior(command, [forbidden, 'allow Bash'], mode)).toBe('allow');
  });
});

test.each(['deny Read(keys/**)', 'deny Edit(private/**)', 'deny Bash(curl:*)'])(
  '%s does not affect git',
  async (other) => {
    for (const command of ['git log -p', 'git archive HEAD', 'git worktree add ../w', 'git grep x'])
      expect([command, await behavior(command, [other, 'allow Bash'], 'bypassPermissions')]).toEqual([
        command,
        'allow',
      ]);
  },
);
