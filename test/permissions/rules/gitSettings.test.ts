/** Rules for git, in repositories whose own settings make git start programs. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionDecision } from '../../../src/protocol/permissions.ts';
import { home, policyFor, top } from '../harness.ts';

let made = 0;
const empty = join(top, 'rules-empty');
execFileSync('git', ['init', '-q', '--template=', empty]);

function repository(...settings: readonly string[]): string {
  const directory = join(top, `rules-${made++}`);
  cpSync(empty, directory, { recursive: true });
  appendFileSync(join(directory, '.git/config'), settings.map(inFile).join(''));
  return directory;
}

/** `section.name=value` or `section.any.thing.name=value`, as git writes it into its file. */
function inFile(setting: string): string {
  const [key = '', ...value] = setting.split('=');
  const [, section, subsection, name] = /^([^.]+)\.(?:(.*)\.)?([^.]+)$/.exec(key) ?? [];
  const quoted = (text = ''): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `[${section}${subsection === undefined ? '' : ` ${quoted(subsection)}`}]\n\t${name} = ${quoted(value.join('='))}\n`;
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
    ['alias.look=!./x.sh', 'git LOOK', 'Bash(git LOOK)'],
    ['alias.st=bisect run ./x.sh', 'git st', 'Bash(git st)'],
    ['alias.st=submodule foreach ./x', 'git st', 'Bash(git st:*)'],
    ['alias.st=rebase -x ./x HEAD~1', 'git st', 'Bash(git st)'],
    ['alias.st=difftool -y -x ./x', 'git st', 'Bash(git st)'],
    ['alias.st=diff --output=.git/hooks/pre-commit', 'git st', 'Bash(git st)'],
    ['alias.st=show HEAD:.env', 'git st', 'Bash(git st)'],
    ['alias.st=st', 'git st', 'Bash(git st)'],
    ['alias.st=lo"g', 'git st', 'Bash(git st)'],
    ['alias.maintenance=!./x.sh', 'git maintenance run', 'Bash(git maintenance run)'],
    ['remote.origin.vcs=evil', 'git fetch', 'Bash(git fetch:*)'],
    ['remote.origin.url=evil://x', 'git fetch', 'Bash(git fetch:*)'],
    ['pull.twohead=x/evil', 'git merge main', 'Bash(git merge:*)'],
    ['branch.main.mergeOptions=-s x/evil', 'git pull', 'Bash(git pull:*)'],
    ['branch.main.mergeOptions=--strategy=x/evil', 'git pull', 'Bash(git pull:*)'],
  ])('a command that starts a program because of %s: %s', async (setting, command, rule) => {
    const decision = await decideIn(repository(setting), command, [`allow ${rule}`]);
    expect(decision.behavior).toBe('ask');
    expect(decision.reason.toLowerCase()).toContain(setting.replace(/=.*/, '').toLowerCase());
    expect(decision.reason).toContain('names a program that git would start');
    expect(decision.suggestion).toBeUndefined();
  });

  test.each([
    ['remote.origin.pushurl=vendor/e.git', 'git push'],
    ['remote.origin.url=./vendor/e.git', 'git push'],
    ['remote.origin.url=vendor/../e', 'git fetch'],
    ['remote.origin.url=~/rules-now/e.git', 'git pull'],
    ['remote.origin.url=/tmp/e.git', 'git push'],
    ['remote.origin.url=/proc/self/cwd/e.git', 'git push'],
    ['remote.other.url=e', 'git fetch --all'],
    ['remote.origin.url=me@localhost:rules/vendor/e.git', 'git push'],
    ['remote.origin.url=ssh://127.0.0.1/rules/vendor/e.git', 'git push'],
    ['url.ssh://.insteadOf=https://', 'git push'],
    ['remote.vendor/e.git.fetch=+refs/heads/*:refs/remotes/x/*', 'git fetch --all'],
    ['remotes.default=origin vendor/e.git', 'git remote update'],
    ['branch.main.remote=vendor/e.git', 'git pull'],
    ['branch.main.pushRemote=e', 'git push'],
    ['remote.pushDefault=vendor', 'git push'],
    ['url.vendor/.insteadOf=https://example.com/', 'git fetch'],
    ['url..pushInsteadOf=https://example.com/', 'git push'],
    ['url.file:.insteadOf=https:', 'git fetch'],
    ['submodule.lib.url=../rules-now/e', 'git submodule update'],
    ['extensions.partialClone=vendor/e.git', 'git commit -m x'],
    ['lfs.url=file:///tmp/e', 'git push'],
  ])('a command that leads to a repository where commands can write: %s, %s', async (setting, command) => {
    const project = repository('remote.upstream.url=https://example.com/x.git', setting);
    const [, name = ''] = command.split(' ');
    const decision = await decideIn(project, command, [`allow Bash(git ${name}:*)`]);
    expect(decision.behavior).toBe('ask');
    expect(decision.reason.toLowerCase()).toContain(setting.replace(/=.*/s, '').toLowerCase());
    expect(decision.reason).toMatch(/leads git to a repository where commands can write|names a program/);
    const local = await decideIn(project, 'git add a.txt', ['allow Bash(git add:*)']);
    expect(local.behavior).toBe(setting.startsWith('extensions') ? 'ask' : 'allow');
  });

  test('a submodule or an old-style remote that leads to a repository where commands can write', async () => {
    const project = repository();
    const rules = ['allow Bash(git submodule update:*)', 'allow Bash(git fetch:*)'];
    writeFileSync(
      join(project, '.gitmodules'),
      '[submodule "a"]\n\tpath = a\n\turl = https://example.com/a\n',
    );
    expect((await decideIn(project, 'git submodule update', rules)).behavior).toBe('allow');
    for (const url of ['vendor/e.git', './e.git']) {
      writeFileSync(join(project, '.gitmodules'), `[submodule "a"]\n\tpath = a\n\turl = ${url}\n`);
      const decision = await decideIn(project, 'git submodule update', rules);
      expect([decision.behavior, decision.reason]).toEqual(['ask', expect.stringContaining('.gitmodules')]);
    }
    expect((await decideIn(project, 'git fetch', rules)).behavior).toBe('allow');
    mkdirSync(join(project, '.git/branches'), { recursive: true });
    expect((await decideIn(project, 'git fetch', rules)).behavior).toBe('allow');
    writeFileSync(join(project, '.git/branches/origin'), 'vendor/e.git\n');
    expect((await decideIn(project, 'git fetch', rules)).reason).toContain('branches/origin');
  });

  test.each([
    ['git push vendor/e.git main', 'git push'],
    ['git push e main', 'git push'],
    ["git push 'sub' main", 'git push'],
    ['git push -u -o x e main', 'git push'],
    ['git push -- e', 'git push'],
    ['git fetch sub/e.git', 'git fetch'],
    ['git fetch --multiple origin e', 'git fetch'],
    ['git fetch --depth=1 e', 'git fetch'],
    ['git pull sub/e.git', 'git pull'],
    ['git ls-remote sub', 'git ls-remote'],
    ['git remote update e', 'git remote update'],
    ['git remote show e', 'git remote'],
    ['git remote set-url origin ./e', 'git remote set-url'],
    ['git clone vendor/e.git x', 'git clone'],
    ['git clone --depth 1 e x', 'git clone'],
    ['git push e:* main', 'git push e'],
    ['git push e main', 'git push e main'],
  ])('a repository that is not a configured remote: %s', async (command, rule) => {
    const project = repository('remote.origin.url=https://example.com/x.git');
    const rules = [`allow Bash(${rule}:*)`, ...(command === rule ? [`allow Bash(${rule})`] : [])];
    const decision = await decideIn(project, command.replace(':*', ''), rules);
    expect([decision.behavior, decision.reason]).toEqual([
      'ask',
      expect.stringContaining('which is not a configured git remote'),
    ]);
  });

  test("a user's alias that leads to an alias of the repository", async () => {
    writeFileSync(
      join(home, '.gitconfig'),
      '[alias]\n\tst = status\n\tlg = l --graph\n\tl = log\n\tgo = !x\n',
    );
    const rules = ['allow Bash(git st)', 'allow Bash(git lg)', 'allow Bash(git go)'];
    const given = async (setting: string): Promise<readonly string[]> => {
      const project = repository(setting);
      const calls = ['git st', 'git lg', 'git go'].map((command) => decideIn(project, command, rules));
      return (await Promise.all(calls)).map(({ behavior }) => behavior);
    };
    expect(await given('alias.other=!./x')).toEqual(['allow', 'allow', 'allow']);
    expect(await given('alias.l=!./x')).toEqual(['allow', 'ask', 'allow']);
    expect(await given('alias.lg=y')).toEqual(['allow', 'ask', 'allow']);
    expect(await given('alias.log=push')).toEqual(['allow', 'ask', 'allow']);
    expect(await given('alias.l=log --oneline')).toEqual(['allow', 'allow', 'allow']);
  });

  test('settings in an included file, another worktree or a submodule', async () => {
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

  test('unreadable settings, or the hook of a read-only command', async () => {
    const broken = repository();
    writeFileSync(join(broken, '.git/config'), '[core\n');
    const hooked = repository();
    mkdirSync(join(hooked, '.git/hooks'), { recursive: true });
    writeFileSync(join(hooked, '.git/hooks/post-index-change'), '');
    for (const project of [broken, hooked])
      expect((await decideIn(project, 'git add a.txt', ['allow Bash(git add:*)'])).behavior).toBe('ask');
  });
});

describe('an allow rule for git covers its commands', () => {
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
    ['remote.origin.url=git@github.com:a/b.git', 'git fetch'],
    ['remote.origin.url=/srv/git/x.git', 'git fetch'],
    ['remote.origin.url=ssh://git@localhost:2222/x.git', 'git fetch'],
    ['url.https://.insteadOf=git://', 'git fetch'],
    ['remote.origin.url=file:///srv/git/x.git', 'git fetch'],
    ['remote.origin.url=./vendor/e.git', 'git commit -m x'],
    ['branch.main.remote=.', 'git fetch'],
    ['remote.origin.url=https://example.com/x.git', 'git fetch origin main'],
    ['remote.fork.url=https://example.com/x.git', 'git fetch --depth 1 fork main:refs/remotes/fork/main'],
    ['url.git@github.com:.insteadOf=https://github.com/', 'git fetch'],
    ['url.work:.insteadOf=https://github.com/', 'git fetch'],
    ['branch.main.mergeOptions=--no-ff -s ort', 'git fetch'],
    ['alias.st=status -sb', 'git add .'],
    ['alias.look=!./x.sh', 'git add .'],
    ['protocol.file.allow=always', 'git fetch'],
  ])('with %s: %s', async (setting, command) => {
    const rules = ['add', 'commit', 'fetch'].map((name) => `allow Bash(git ${name}:*)`);
    expect(await decideIn(repository(setting), command, rules)).toMatchObject({ behavior: 'allow' });
  });

  test('with a group of remotes, and a remote that the user has', async () => {
    const project = repository('remote.fork.url=https://example.com/x.git', 'remotes.mine=fork shared');
    writeFileSync(join(home, '.gitconfig'), '[remote "shared"]\n\turl = https://example.com/y.git\n');
    for (const words of ['mine', '--multiple mine', '--multiple fork shared', 'shared main'])
      expect((await decideIn(project, `git fetch ${words}`, ['allow Bash(git fetch:*)'])).behavior).toBe(
        'allow',
      );
  });

  test("regardless of the user's settings", async () => {
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
