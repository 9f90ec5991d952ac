/** Rules for git, in repositories whose own settings make git start programs. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionDecision } from '../../../src/protocol/permissions.ts';
import { home, policyFor, top } from '../harness.ts';

let made = 0;
const empty = join(top, 'rules-empty');
execFileSync('git', ['init', '-q', empty]);

function repository(...settings: readonly string[]): string {
  const directory = join(top, `rules-${made++}`);
  cpSync(empty, directory, { recursive: true });
  for (const setting of settings) {
    const [key = '', ...value] = setting.split('=');
    execFileSync('git', ['-C', directory, 'config', key, value.join('=')]);
  }
  return directory;
}

async function decideIn(
  project: string,
  command: string,
  rules: readonly string[],
): Promise<PermissionDecision> {
  const access = { type: 'command', command, cwd: project } as const;
  return decide({ tool: 'Bash', access }, await policyFor(rules, 'default', { root: project }));
}

describe('an allow rule for git does not cover', () => {
  test.each([
    ['core.fsmonitor=./x.sh', 'git status --long', 'Bash(git status:*)'],
    ['core.fsmonitor=./x.sh', 'git status --long', 'Bash(git status --long)'],
    ['core.fsmonitor=./x.sh', 'git add a.txt', 'Bash(git *)'],
    ['core.fsmonitor=./x.sh', '/usr/bin/git status', 'Bash(/usr/bin/git status:*)'],
    ['core.fsmonitor=./x.sh', 'timeout 5 git status', 'Bash(git status:*)'],
    ['diff.external=./x.sh', 'git diff', 'Bash(git diff:*)'],
    ['diff.x.textconv=./x.sh', 'git log -p', 'Bash(git log:*)'],
    ['filter.x.clean=./x.sh', 'git add .', 'Bash(git add:*)'],
    ['filter.lfs.clean=git-lfs clean -- %f; ./x.sh', 'git add .', 'Bash(git add:*)'],
    ['filter.lfs.process=./git-lfs filter-process', 'git checkout -b x', 'Bash(git checkout -b:*)'],
    ['lfs.customtransfer.x.path=./x.sh', 'git commit -m x', 'Bash(git commit:*)'],
    ['gpg.program=./gpg', 'git commit -S -m x', 'Bash(git commit:*)'],
    ['gpg.ssh.program=./x.sh', 'git commit -m x', 'Bash(git commit:*)'],
    ['core.editor=./x.sh', 'git commit', 'Bash(git commit:*)'],
    ['merge.x.driver=./x.sh %A', 'git merge main', 'Bash(git merge:*)'],
    ['core.sshCommand=./x.sh', 'git fetch', 'Bash(git fetch:*)'],
    ['core.sshCommand=ssh -o ProxyCommand=./x.sh', 'git fetch', 'Bash(git fetch:*)'],
    ['credential.helper=!./x.sh', 'git push', 'Bash(git push)'],
    ['credential.helper=./x.sh', 'git push', 'Bash(git push)'],
    ['remote.origin.uploadpack=./x.sh', 'git fetch', 'Bash(git fetch:*)'],
    ['remote.origin.url=ext::./x.sh', 'git fetch', 'Bash(git fetch:*)'],
    ['url.ext::./x.sh .insteadOf=https://', 'git fetch', 'Bash(git fetch:*)'],
    ['mergetool.x.cmd=./x.sh', 'git mergetool', 'Bash(git mergetool)'],
    ['alias.look=!./x.sh', 'git look', 'Bash(git look:*)'],
  ])('%s: %s', async (setting, command, rule) => {
    const decision = await decideIn(repository(setting), command, [`allow ${rule}`]);
    expect(decision.behavior).toBe('ask');
    expect(decision.reason.toLowerCase()).toContain(setting.replace(/=.*/, '').toLowerCase());
    expect(decision.reason).toContain('names a program that git would start');
    expect(decision.suggestion).toBeUndefined();
  });

  test('settings in a file that they include, in another worktree or in a submodule', async () => {
    const including = repository('include.path=../team.gitconfig');
    writeFileSync(join(including, 'team.gitconfig'), '[diff]\n\texternal = ./x.sh\n');
    const linked = repository('user.name=a', 'user.email=a@b');
    execFileSync('git', ['-C', linked, 'commit', '-q', '--allow-empty', '-m', 'x']);
    const tree = join(linked, 'tree');
    execFileSync('git', ['-C', linked, 'worktree', 'add', '-q', tree]);
    const outer = repository();
    const inner = join(outer, 'inner');
    cpSync(linked, inner, { recursive: true });
    execFileSync('git', ['-C', outer, 'add', 'inner'], { stdio: 'ignore' });
    for (const project of [tree, outer])
      expect((await decideIn(project, 'git add a.txt', ['allow Bash(git add:*)'])).behavior).toBe('allow');
    for (const place of [linked, inner])
      execFileSync('git', ['-C', place, 'config', 'core.fsmonitor', './x.sh']);
    for (const [project, name] of [
      [including, 'diff.external'],
      [tree, 'core.fsmonitor'],
      [outer, 'core.fsmonitor'],
    ] as const) {
      const decision = await decideIn(project, 'git add a.txt', ['allow Bash(git add:*)']);
      expect([project, decision.behavior]).toEqual([project, 'ask']);
      expect(decision.reason).toContain(name);
    }
  });

  test('a repository that -C or --git-dir names', async () => {
    const project = repository();
    const other = join(project, 'vendor');
    cpSync(repository('core.fsmonitor=./x.sh'), other, { recursive: true });
    const rules = ['allow Bash(git -C vendor add:*)', 'allow Bash(git --git-dir=vendor/.git add a.txt)'];
    for (const command of ['git -C vendor add a.txt', 'git --git-dir=vendor/.git add a.txt'])
      expect((await decideIn(project, command, rules)).reason).toContain('core.fsmonitor');
  });

  test('settings that cannot be read, and the hook of a command that looks', async () => {
    const broken = repository();
    writeFileSync(join(broken, '.git/config'), '[core\n');
    const hooked = repository();
    mkdirSync(join(hooked, '.git/hooks'), { recursive: true });
    writeFileSync(join(hooked, '.git/hooks/post-index-change'), '');
    for (const project of [broken, hooked])
      expect((await decideIn(project, 'git add a.txt', ['allow Bash(git add:*)'])).behavior).toBe('ask');
  });
});

describe('a rule for git covers its commands', () => {
  test.each([
    ['filter.lfs.clean=git-lfs clean -- %f', 'git add .'],
    ['filter.lfs.smudge=git-lfs smudge -- %f', 'git add .'],
    ['filter.lfs.process=git-lfs filter-process', 'git add .'],
    ['filter.git-crypt.clean="git-crypt" clean', 'git add .'],
    ['core.fsmonitor=true', 'git add .'],
    ['core.editor=code --wait', 'git commit -m x'],
    ['core.pager=less -R', 'git add .'],
    ['core.hooksPath=.husky/_', 'git commit -m x'],
    ['commit.gpgsign=true', 'git commit -m x'],
    ['gpg.format=ssh', 'git commit -m x'],
    ['merge.tool=meld', 'git add .'],
    ['merge.ours.driver=true', 'git add .'],
    ['mergetool.x.cmd=./x.sh', 'git commit -m x'],
    ['core.sshCommand=ssh -i ~/.ssh/id_work -o IdentitiesOnly=yes', 'git fetch'],
    ['core.sshCommand=./x.sh', 'git commit -m x'],
    ['credential.helper=store', 'git fetch'],
    ['credential.https://github.com.helper=!/usr/bin/gh auth git-credential', 'git fetch'],
    ['remote.origin.url=codecommit::us-east-1://x', 'git fetch'],
    ['alias.look=!./x.sh', 'git add .'],
    ['protocol.file.allow=always', 'git fetch'],
  ])('with %s: %s', async (setting, command) => {
    const rules = ['add', 'commit', 'fetch'].map((name) => `allow Bash(git ${name}:*)`);
    expect(await decideIn(repository(setting), command, rules)).toMatchObject({ behavior: 'allow' });
  });

  test('whatever the settings of the user are', async () => {
    writeFileSync(join(home, '.gitconfig'), '[core]\n\tfsmonitor = ./x.sh\n[diff]\n\texternal = difft\n');
    const decision = await decideIn(repository(), 'git add a.txt', ['allow Bash(git add:*)']);
    expect(decision.behavior).toBe('allow');
  });

  test('with commit hooks, and files shared through an include', async () => {
    const project = repository('include.path=../team.gitconfig');
    writeFileSync(join(project, 'team.gitconfig'), '[alias]\n\tst = status\n[pull]\n\trebase = true\n');
    mkdirSync(join(project, '.git/hooks'), { recursive: true });
    writeFileSync(join(project, '.git/hooks/pre-commit'), '');
    const decision = await decideIn(project, 'git commit -m x', ['allow Bash(git commit:*)']);
    expect(decision.behavior).toBe('allow');
  });
});
