/**
 * Commands other than git can read git folders but not change them.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Confined, confined, type Given, hasSandbox } from './confined.ts';

interface Project extends Confined {
  /** Runs git outside the sandbox, as the user does. */
  git(folder: string, ...args: string[]): string;
}

/** A project with a commit; commands run git as `A`. */
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
  for (const folder of ['.', '../lib']) {
    mkdirSync(join(root, folder), { recursive: true });
    git(folder, 'init', '-q');
    writeFileSync(join(root, folder, 'file'), 'one\n');
    git(folder, 'add', 'file');
    git(folder, 'commit', '-qm', 'one');
  }
  return { ...opened, git };
}

const READ_ONLY = /read-only file system|resource busy/i;

describe.skipIf(!hasSandbox)('git folders', { tags: 'long' }, () => {
  test('are read-only for commands other than git: in the project, a submodule, a linked worktree and an inner repository', async () => {
    const given = await project();
    const { git, root, home } = given;
    git('.', 'submodule', 'add', '-q', join(home, 'lib'), 'lib');
    git('.', 'worktree', 'add', '-q', 'linked');
    mkdirSync(join(root, 'services/api'), { recursive: true });
    git('services/api', 'init', '-q');
    const folders = ['.git', '.git/modules/lib', '.git/worktrees/linked', 'services/api/.git'];
    for (const folder of folders) {
      const attempts = [
        `ln -sf ~/.bashrc ${folder}/COMMIT_EDITMSG`,
        `ln -s ~/.zshrc ${folder}/FETCH_HEAD`,
        `echo x > ${folder}/index`,
        `mkdir ${folder}/remotes`,
        `mkdir ${folder}/rebase-merge`,
        `mkdir ${folder}/modules-x`,
        `rm ${folder}/HEAD`,
        `mv ${folder} ${folder}2`,
        `cp file ${folder}/x`,
        `python3 -c "open('${folder}/config','a').write('x')"`,
      ];
      // Each in its own shell, so that a failure does not end the others.
      const { text } = await given.run(
        attempts.map((one) => `( ${one} ) && echo "DONE ${folder}"`).join('; '),
      );
      expect(text, folder).not.toContain('DONE');
      expect(text.match(new RegExp(READ_ONLY, 'gi')) ?? [], text).toHaveLength(attempts.length);
    }
    for (const file of ['lib/.git', 'linked/.git'])
      expect((await given.run(`echo x > ${file}`)).text).toMatch(READ_ONLY);
    const { text } = await given.run(
      'if cd linked; then echo x > f; git add f; cd ../lib; git commit --allow-empty -m x; node -e 1; fi',
    );
    expect(text).toMatch(/index\.lock': Read-only/);
    expect(git('linked', 'status', '--short')).toBe('?? f\n');
  });

  test('are read-only outside the workspace as well, except for git commands', async () => {
    const workspace: string[] = [];
    const given = await project({ workspace: () => workspace });
    given.git('.', 'worktree', 'add', '-q', '../wt');
    const at = join(given.home, 'wt');
    workspace.push(at);
    const common = join(given.root, '.git');
    expect((await given.run(`cd ${at}; echo x > new; echo x > ${common}/x; node -e 1`)).text).toMatch(
      READ_ONLY,
    );
    expect(existsSync(join(common, 'x'))).toBe(false);
    const { status, text } = await given.run(`cd ${at} && git add new && git commit -qm new`);
    expect(status, text).toBe('ok');
  });

  test('can be read by commands other than git, which can also create new repositories elsewhere', async () => {
    const given = await project();
    writeFileSync(join(given.root, 'file'), 'two\n');
    given.git('.', 'tag', 'v1');
    const script = [
      'set -e',
      'git status --short',
      'git diff --stat',
      'git log --oneline',
      'git describe --tags --dirty',
      'git ls-files',
      'for at in "$TMPDIR/made" node_modules/.cache/made fixtures/made; do',
      '  git init -q "$at" && git -C "$at" commit -q --allow-empty -m x && git -C "$at" config a.b c',
      'done',
      'git clone -q . copy && git -C copy commit -q --allow-empty -m x',
      'echo all',
    ].join('\n');
    writeFileSync(join(given.root, 'test.sh'), script);
    const { status, text } = await given.run('sh test.sh');
    expect(status, text).toBe('ok');
    expect(text).toMatch(/M file[\s\S]*v1-dirty[\s\S]*^all$/m);
    // The next command protects them, and git commands still work there.
    expect((await given.run('git -C copy commit -q --allow-empty -m y')).status).toBe('ok');
  });

  test('stay read-only for a background command while git outside the sandbox replaces the settings', async () => {
    const given = await project();
    const config = join(given.root, '.git/config');
    const server = 'while :; do echo "[core] fsmonitor = evil" >> .git/config; date > tick; sleep 0.1; done';
    await given.run(server, { background: true });
    const tick = join(given.root, 'tick');
    await vi.waitFor(() => expect(existsSync(tick)).toBe(true), { timeout: 30_000 });
    given.git('.', 'config', 'a.b', 'c');
    // Two more rounds of the loop after the change.
    for (let round = 0; round < 2; round++) {
      renameSync(tick, join(given.root, 'old'));
      await vi.waitFor(() => expect(existsSync(tick)).toBe(true), { timeout: 30_000 });
    }
    expect(readFileSync(config, 'utf8')).not.toContain('evil');
    expect(readFileSync(config, 'utf8')).toContain('b = c');
  });

  test("can be changed by git commands, which run the user's hooks", async () => {
    const given = await project();
    const hook = join(given.root, '.git/hooks/pre-commit');
    mkdirSync(join(given.root, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho checked > checked\ngit add checked\n', { mode: 0o755 });
    writeFileSync(join(given.root, 'file'), 'two\n');
    const { status, text } = await given.run(
      'git add -A && git commit -qm two 2>&1 | tail -3; git status --short',
    );
    expect(status, text).toBe('ok');
    expect(given.git('.', 'show', '--name-only', '--format=%s')).toMatch(/two\n\nchecked\nfile/);
  });

  test.each(['.git', '.git/lfs'])(
    'are writable if settings open %s, except for git settings and hooks',
    async (path) => {
      const given = await project();
      mkdirSync(join(given.root, path), { recursive: true });
      const opened = await confined({ workspace: () => [given.root], allowWrite: [join(given.root, path)] });
      const { text } = await opened.run(
        `cd ${given.root}; echo x > .git/mine; echo x > .git/config; echo x > .git/hooks/pre-commit; cat .git/mine`,
      );
      expect(text).toMatch(/config: Read-only[\s\S]*hooks[\s\S]*^x$/m);
      expect(lstatSync(join(given.root, '.git/mine')).isFile()).toBe(true);
    },
  );

  test('can be changed by the git commands of a command line, but not by its other programs', async () => {
    const given = await project();
    const { git, root } = given;
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'check.sh'), 'cd sub; echo x > ../.git/planted; echo checked; date > made\n');
    const line = 'sh check.sh && cd sub && git add made && git commit -qm made && pwd';
    const { status, text } = await given.run(line);
    expect(status, text).toBe('ok');
    expect(text).toMatch(/planted: Read-only[\s\S]*checked[\s\S]*\/sub$/m);
    expect(existsSync(join(root, '.git/planted'))).toBe(false);
    expect(git('.', 'log', '-1', '--format=%s')).toBe('made\n');
    const failing = await given.run('false && node -e 1 && git tag v1; git tag v2; node -e 1');
    expect(failing.status, failing.text).toBe('ok');
    expect(git('.', 'tag')).toBe('v2\n');
  });

  test('a program cannot make the rest of its command line run in another folder or outside the sandbox', async () => {
    const given = await project({ options: { isExcluded: (asked) => asked.startsWith('git ') } });
    const { root, home } = given;
    mkdirSync(join(root, 'sub'));
    const forging = [
      'for folder in $(cut -d" " -f5 /proc/self/mountinfo); do',
      '  echo $EVIL > "$folder/cwd" && chmod 444 "$folder/cwd"',
      'done 2>/dev/null; :',
    ];
    const preparing = [
      'git init -q evil',
      'mkdir evil/h',
      `printf '#!/bin/sh\necho ran >> ${home}/owned\n' > evil/h/pre-commit`,
      'chmod +x evil/h/pre-commit',
      'git -C evil config core.hooksPath h',
      'EVIL=$PWD/evil',
    ];
    writeFileSync(join(root, 'evil.sh'), ['cd ..', ...preparing, ...forging].join('\n'));
    const { text } = await given.run('cd sub && sh ../evil.sh && git commit -q --allow-empty -m x');
    expect(text).toContain('(Not run, because the command ended in another folder: git commit');
    expect(existsSync(join(root, 'evil/.git/COMMIT_EDITMSG'))).toBe(false);
    // The named folder is replaced by a link, and the session's folder by another folder.
    const committing = 'git commit -q --allow-empty -m x';
    const replacing = ['cd ..', 'rmdir sub && ln -s evil sub', 'EVIL=$PWD/evil'];
    writeFileSync(join(root, 'evil.sh'), [...replacing, ...forging].join('\n'));
    expect((await given.run(`cd sub && sh ../evil.sh && ${committing}`)).text).toContain(
      `(Not run, because the command ended in another folder: ${committing}`,
    );
    rmSync(join(root, 'sub'));
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'evil.sh'), ['cd ..', 'mv sub old && cp -r evil sub'].join('\n'));
    const inSub = { cwd: join(root, 'sub') };
    expect((await given.run(`sh ../evil.sh && ${committing}`, inSub)).text).toContain(
      `(Not run, because the command ended in another folder: ${committing}`,
    );
    expect(existsSync(join(root, 'evil/.git/COMMIT_EDITMSG'))).toBe(false);
    // The same without forging: whether its hooks run is for the user to decide.
    writeFileSync(join(root, 'evil.sh'), '');
    const line = 'cd evil && sh ../evil.sh && git commit -q --allow-empty -m x; git log --format=%s';
    expect((await given.run(line)).text).toContain('Read-only file system');
    expect(existsSync(join(home, 'owned'))).toBe(false);
  });

  test('a command line that ends early reports which commands did not run', async () => {
    const given = await project();
    const { status, text } = await given.run('sleep 60 && node -e 1 && git tag v1', { timeout: 1500 });
    expect(status).toBe('partial');
    expect(text).toContain('(Not run, because it comes after this task: git tag v1)');
  });

  test('the model is told to run git in a separate call; the user is asked only if that cannot help', async () => {
    const asked: string[] = [];
    const given = await project({
      context: {
        confirm: async ({ reason }) => {
          asked.push(String(reason));
          return false;
        },
      },
    });
    const together = await given.run('if node -e 1; then git commit --allow-empty -m x; fi');
    expect(together.text).toContain(
      'The sandbox blocked it: it tried to change the .git folder, which only git commands may do. Run git in a separate call',
    );
    // The exit code is that of the last program.
    const piped = await given.run('{ node -e 1; git commit --allow-empty -m x 2>&1 | tail -1; echo end; }');
    expect(piped.text).toContain('Run git in a separate call');
    expect(piped.status).toBe('ok');
    expect(asked).toEqual([]);
    writeFileSync(join(given.root, 'release.sh'), 'git tag v2');
    expect((await given.run('sh release.sh')).text).toContain('which only git commands may do');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('it tried to change the .git folder, which only git commands may do');
  });
});
