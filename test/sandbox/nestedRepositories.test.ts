/** A git command in one repository cannot change the git folder of another, whatever code it runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Confined, confined, type Given, hasSandbox } from './confined.ts';

interface Project extends Confined {
  /** Runs git outside the sandbox, as the user does. */
  git(folder: string, ...args: string[]): string;
  /** True if code that ran with a git command has written into the project's git folder. */
  isReached(): boolean;
  /** True if it ran at all. */
  hasRun(): boolean;
}

/** A project with a commit, and `plant.sh`, which tries to write into its git folder. */
async function project(given: Given = {}): Promise<Project> {
  const opened = await confined(given);
  const { home, root } = opened;
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = A\n\temail = a@b.c\n[protocol "file"]\n\tallow = always\n[init]\n\tdefaultBranch = main\n',
  );
  const env = { PATH: process.env.PATH, HOME: home };
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: join(root, folder), env, encoding: 'utf8', stdio: 'pipe' });
  git('.', 'init', '-q');
  writeFileSync(
    join(root, 'plant.sh'),
    `#!/bin/sh\ndate >> ${root}/ran\necho x > ${root}/.git/reached\nexit 0\n`,
    { mode: 0o755 },
  );
  git('.', 'add', 'plant.sh');
  git('.', 'commit', '-qm', 'one');
  return {
    ...opened,
    git,
    isReached: () => existsSync(join(root, '.git/reached')),
    hasRun: () => existsSync(join(root, 'ran')),
  };
}

/** Starts a program in the background and waits until it has created a file of the project. */
async function inBackground({ run, root }: Project, script: string, ready: string): Promise<void> {
  writeFileSync(join(root, 'task.sh'), script);
  await run('sh task.sh', { background: true });
  await vi.waitFor(() => expect(existsSync(join(root, ready))).toBe(true), { timeout: 30_000 });
}

const commitIn = (folder: string): string =>
  `git -C ${folder} add -A && git -C ${folder} commit -q --allow-empty -m after`;

/** Keeps adding missing hooks to a repository, starting before it exists. */
const planting = (folder: string): string =>
  `touch ready; while :; do for name in pre-commit commit-msg post-commit post-checkout post-index-change; do
    [ -d ${folder} ] && mkdir -p ${folder}/hooks && ln ../plant.sh ${folder}/hooks/$name || ln plant.sh ${folder}/hooks/$name
  done 2>/dev/null; done`;

describe.skipIf(!hasSandbox)('a repository in the project', { tags: 'long' }, () => {
  test('runs no hooks that a background task adds after the check', async () => {
    const given = await project();
    await inBackground(
      given,
      `git init -q sub; rm -r sub/.git/hooks; mkdir sub/.git/hooks; touch ready
      until [ -e go ]; do sleep 0.1; done
      for name in pre-commit commit-msg post-commit post-index-change; do ln plant.sh sub/.git/hooks/$name; done
      touch planted; sleep 60`,
      'ready',
    );
    const { text } = await given.run(`touch go && sleep 2 && ${commitIn('sub')}`);
    expect(existsSync(join(given.root, 'planted')), text).toBe(true);
    expect(given.git('sub', 'log', '--format=%s')).toBe('after\n');
    expect(given.hasRun()).toBe(false);
    expect(given.isReached()).toBe(false);
  });

  test('cannot change the project’s git folder, whatever programs its settings start', async () => {
    const given = await project();
    await inBackground(
      given,
      `git init -q sub; touch ready; until [ -e go ]; do sleep 0.1; done
      git -C sub config core.fsmonitor ${given.root}/plant.sh; sleep 60`,
      'ready',
    );
    await given.run(`touch go && sleep 2 && ${commitIn('sub')}`);
    expect(given.hasRun()).toBe(true);
    expect(given.isReached()).toBe(false);
  });

  test.each([
    ['git status', 'git -C sub status && git commit -q --allow-empty -m x'],
    ['in a loop', 'for at in sub .; do git -C $at status; git commit -q --allow-empty -m x; done'],
  ])('gives a program that its settings start no access to the project’s git folder: %s', async (_, line) => {
    const given = await project();
    const { root, run } = given;
    writeFileSync(
      join(root, 'make.sh'),
      `git init -q sub && git -C sub config core.fsmonitor ${root}/plant.sh`,
    );
    expect((await run('sh make.sh')).status).toBe('ok');
    await run(line);
    expect(given.hasRun()).toBe(true);
    expect(given.isReached()).toBe(false);
  });

  test('cannot be changed by commands if its settings name hooks', async () => {
    const given = await project();
    const { root, run } = given;
    mkdirSync(join(root, 'sub/h'), { recursive: true });
    given.git('sub', 'init', '-q');
    given.git('sub', 'config', 'core.hooksPath', 'h');
    writeFileSync(join(root, 'sub/h/pre-commit'), `#!/bin/sh\n${root}/plant.sh\n`, { mode: 0o755 });
    const { text } = await run('git -C sub commit -q --allow-empty -m x');
    expect(text).toContain('which only git commands may do');
    expect(given.isReached()).toBe(false);
  });

  test('can be created, cloned and committed to, even in one command line', async () => {
    const given = await project();
    const { git, root, run } = given;
    mkdirSync(join(root, 'app'));
    const lines = [
      'git init -q made && cd made && echo x > a && git add a && git commit -qm made; cd ..',
      'cd app && git init -q && echo x > a && git add -A && git commit -qm app',
      `cd ${root} && git clone -q . copy && git -C copy commit -q --allow-empty -m copy`,
      'git -C made commit -q --allow-empty -m more && git commit -q --allow-empty -m both',
    ];
    for (const line of lines) {
      const { status, text } = await run(line);
      expect(status, `${line}\n${text}`).toBe('ok');
    }
    expect(git('made', 'log', '--format=%s')).toBe('more\nmade\n');
    expect(git('app', 'log', '--format=%s')).toBe('app\n');
    expect(git('copy', 'log', '-1', '--format=%s')).toBe('copy\n');
    expect(git('.', 'log', '-1', '--format=%s')).toBe('both\n');
  });

  test('does not run hooks that appear while it is cloned', async () => {
    const given = await project();
    await inBackground(given, planting('copy/.git'), 'ready');
    for (let at = 0; at < 5; at += 1) await given.run('rm -rf copy && git clone -q . copy');
    expect(given.hasRun()).toBe(false);
    expect(given.isReached()).toBe(false);
  });

  test.each(['linked', 'lib'])(
    'cannot impersonate the checkout in %s by replacing its .git file',
    async (folder) => {
      const given = await project();
      const { git, home, root, run } = given;
      mkdirSync(join(home, 'lib'));
      git('../lib', 'init', '-q');
      git('../lib', 'commit', '-q', '--allow-empty', '-m', 'one');
      git('.', 'submodule', 'add', '-q', join(home, 'lib'), 'lib');
      git('.', 'commit', '-qam', 'lib');
      git('.', 'submodule', '--quiet', 'deinit', '-f', 'lib');
      await inBackground(
        given,
        `git init -q evil && git -C evil config core.fsmonitor ${root}/plant.sh
      git -C evil -c core.fsmonitor=false commit -q --allow-empty -m x
      echo "gitdir: ${root}/evil/.git" > evil.txt; touch ready
      until [ -e go ]; do sleep 0.1; done; mv evil.txt ${folder}/.git; touch replaced; sleep 60`,
        'ready',
      );
      // The checkouts are created while the task runs.
      git('.', 'worktree', 'add', '-q', 'linked');
      git('.', 'submodule', 'update', '-q', '--init');
      const { text } = await run(`touch go && sleep 2 && ${commitIn(folder)}`);
      expect(existsSync(join(root, 'replaced')), text).toBe(true);
      expect(given.isReached()).toBe(false);
      expect(given.hasRun()).toBe(false);
      const own = folder === 'lib' ? '.git/modules/lib' : '.git/worktrees/linked';
      expect(git('.', `--git-dir=${own}`, 'log', '-1', '--format=%s', 'HEAD')).toBe('after\n');
    },
  );

  test('the project, its submodules and linked worktrees run their own hooks', async () => {
    const given = await project();
    const { git, home, root, run } = given;
    mkdirSync(join(home, 'lib'));
    git('../lib', 'init', '-q');
    git('../lib', 'commit', '-q', '--allow-empty', '-m', 'one');
    git('.', 'submodule', 'add', '-q', join(home, 'lib'), 'lib');
    git('.', 'commit', '-qam', 'lib');
    git('.', 'worktree', 'add', '-q', 'linked');
    mkdirSync(join(root, '.husky/_'), { recursive: true });
    const hook = (name: string) => `#!/bin/sh\necho ${name} >> ${root}/hooks.log\n`;
    writeFileSync(join(root, '.husky/_/pre-commit'), hook('project'), { mode: 0o755 });
    git('.', 'config', 'core.hooksPath', '.husky/_');
    mkdirSync(join(root, '.git/modules/lib/hooks'), { recursive: true });
    writeFileSync(join(root, '.git/modules/lib/hooks/pre-commit'), hook('lib'), { mode: 0o755 });
    mkdirSync(join(root, 'linked/.husky/_'), { recursive: true });
    writeFileSync(join(root, 'linked/.husky/_/pre-commit'), hook('linked'), { mode: 0o755 });
    const commit = 'commit -q --allow-empty -m x';
    for (const line of [
      `git ${commit}`,
      `git -C lib ${commit} && git add lib && git ${commit}`,
      `cd linked && git ${commit}`,
      'git worktree add -q other && git -C other commit -q --allow-empty -m y --no-verify',
      // Each commits to the repository that it names.
      'cd linked && git worktree add -q inner && git -C inner commit -q --allow-empty -m inner --no-verify',
    ]) {
      const { status, text } = await run(line);
      expect(status, `${line}\n${text}`).toBe('ok');
    }
    expect(git('linked/inner', 'log', '-1', '--format=%s')).toBe('inner\n');
    expect(git('linked', 'log', '-1', '--format=%s')).toBe('x\n');
    expect(readFileSync(join(root, 'hooks.log'), 'utf8')).toBe('project\nlib\nproject\nlinked\n');
  });
});
