/**
 * What git shows is known, although its subcommands read the same words and settings in different ways.
 *
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { policyFor, rule, top } from '../harness.ts';

type Files = Readonly<Record<string, string | undefined>>;

const CANARY = 'Kanarienvogel';
const password = (text = CANARY): string => `{"Db":{"Password":"${text}"}}\n`;

function git(place: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...args], { cwd: place, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function write(place: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    if (text === undefined) rmSync(join(place, name), { force: true });
    else writeFileSync(join(place, name), text);
  }
}

/** A repository with one commit per step. */
function repository(...steps: readonly Files[]): string {
  const place = mkdtempSync(join(top, 'home', 'words-'));
  git(place, 'init', '-q', '-b', 'main');
  for (const files of steps) commit(place, files);
  return place;
}

function commit(place: string, files: Files): void {
  write(place, files);
  git(place, 'add', '-A', '-f', '.');
  git(place, 'commit', '-q', '--allow-empty', '-m', 'next');
}

async function behavior(
  root: string,
  command: string,
  rules: readonly string[] = [],
  home = join(top, 'home'),
): Promise<string> {
  const own = rules.map((text) => ({ ...rule(text), base: root }));
  const policy = { ...(await policyFor([], 'default', { root, rules: own })), home };
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior;
}

/** Runs one call with these git settings of the user. */
async function withSettings<T>(text: string, call: () => Promise<T>): Promise<T> {
  const file = join(mkdtempSync(join(top, 'home', 'settings-')), 'gitconfig');
  writeFileSync(file, text);
  const before = process.env.GIT_CONFIG_GLOBAL;
  process.env.GIT_CONFIG_GLOBAL = file;
  try {
    return await call();
  } finally {
    if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL;
    else process.env.GIT_CONFIG_GLOBAL = before;
  }
}

describe('paths relative to the current folder', () => {
  let place = '';
  beforeAll(() => {
    place = repository(
      { 'sub/appsettings.json': password(), 'top/appsettings.json': password(), 'top/a.txt': 'a\n' },
      { 'sub/appsettings.json': password(''), 'top/appsettings.json': password('') },
    );
  });

  test.each([
    'git -C sub show HEAD~1:./appsettings.json',
    'cd sub && git show HEAD~1:./appsettings.json',
    'git -C sub show HEAD~1:../top/appsettings.json',
    'git -C sub cat-file -p HEAD~1:./appsettings.json',
    'git -C sub grep Password HEAD~1:./appsettings.json',
    'git -C sub diff HEAD~1:./appsettings.json HEAD:./appsettings.json',
    'git -C top grep Password HEAD~1:./',
    'git -C sub grep Password HEAD~1 -- ../top',
    'git -C sub log -p -- ../top',
    'git -C sub diff HEAD~1 HEAD -- ../top',
    'cd sub && git diff HEAD~1 ..',
    'git -C sub blame HEAD~1 -- ../top/appsettings.json',
  ])('%s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
  });

  test.each([
    'git -C top show HEAD~1:./a.txt',
    'git -C sub log -p -- ../top/a.txt',
    'git -C sub grep a HEAD~1 -- ../top/a.txt',
    'git -C sub diff HEAD~1 -- ../top/a.txt',
  ])('%s runs', async (command) => {
    expect(await behavior(place, command)).toBe('allow');
  });

  test.each([
    'git blame top/appsettings.json HEAD~1',
    'git blame -L1,1 top/appsettings.json HEAD~1',
    'git -C sub blame ../top/appsettings.json HEAD~1',
    'git blame --since=1.year top/appsettings.json @~',
    'git blame top/appsettings.json --root HEAD~1',
    'git blame HEAD~1 top/appsettings.json',
    'git blame HEAD~1 -- top/appsettings.json',
  ])('blame with the file and the commit in any order: %s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
  });

  test.each(['git blame top/a.txt HEAD~1', 'git blame HEAD~1 -- top/a.txt', 'git blame top/a.txt'])(
    'blame with the file and the commit in any order: %s runs',
    async (command) => {
      expect(await behavior(place, command)).toBe('allow');
    },
  );
});

describe('changes on disk', () => {
  let place = '';
  beforeAll(() => {
    place = repository({ '.env': 'A=1\n', 'secret/x.txt': 'x\n', 'src/app.ts': 'a\n', 'src/b.ts': 'b\n' });
    write(place, { '.env': `A=${CANARY}\n`, 'secret/x.txt': `${CANARY}\n`, 'src/app.ts': 'c\n' });
  });

  test.each([
    "cd src && git diff -- ':!app.ts'",
    "git -C src diff -- ':!app.ts'",
    "git -C src diff -- ':!nothere'",
    "git -C src diff HEAD -- ':^app.ts'",
    "git -C src diff-files -p -- ':!app.ts'",
    "git -C src diff-index -p HEAD -- ':!app.ts'",
    "git -C src diff -- ':(exclude)app.ts'",
    "git -C src diff -- ':/!src'",
    "git -C src diff -- ':(top)'",
    'git -C src diff ..',
    'cd src && git diff ..',
    'cd src && git diff -w ..',
    'cd src && git diff --stat -p ..',
    'cd src && git diff .. .',
    'cd src && git diff HEAD ..',
    'cd src && git diff -- ../.env',
    "git diff -- '*env'",
    "git diff -- '[.]env'",
  ])('%s needs approval, and a deny rule applies', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
    expect(await behavior(place, command, ['deny Read(/.env)'])).not.toBe('allow');
  });

  test.each([
    'git diff src',
    'cd src && git diff .',
    "git diff -- '*.ts'",
    'git diff -- src/app.ts',
    'git -C src diff app.ts',
  ])('%s runs', async (command) => {
    expect(await behavior(place, command)).toBe('allow');
  });
});

describe('a stash', () => {
  let place = '';
  beforeAll(() => {
    place = repository({ '.env': 'A=1\n', 'a.txt': 'a\n' });
    write(place, { '.env': `A=${CANARY}\n` });
    git(place, 'stash', '-q');
    write(place, { 'a.txt': 'b\n' });
    git(place, 'stash', '-q');
  });

  test.each([
    'git stash show -p 1',
    'git stash show -p stash@{1}',
    'git stash show -p --since 1 -w',
    'git stash show -p --until 1 -w',
    'git stash show --min-age 1 -w -p',
    'git stash show --author 1 -w -p',
    'git stash show --word-diff-regex 1 -w -p',
    'git stash show --stat-width 1 -w -p',
    'git stash show -p main',
  ])('%s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
    expect(await behavior(place, command, ['deny Read(/.env)'])).not.toBe('allow');
  });

  test.each(['git stash show -p', 'git stash show', 'git stash show -p stash@{0}', 'git stash show -p -w 0'])(
    '%s runs',
    async (command) => {
      expect(await behavior(place, command)).toBe('allow');
    },
  );
});

describe('settings files are checked as a whole, in every version', () => {
  const composer = (inside: string): string => `{\n  "http-basic": {\n${inside}  }\n}\n`;
  const held = composer(`    "repo.example.org": { "username": "u", "password": "${CANARY}" }\n`);

  test('if only some lines changed', async () => {
    const place = repository(
      { 'auth.json': composer(''), '.yarnrc.yml': 'npmAuthToken:\n  "${TOKEN}"\n' },
      { 'auth.json': held, '.yarnrc.yml': `npmAuthToken:\n  "${CANARY}"\n` },
      { 'auth.json': composer(''), '.yarnrc.yml': 'npmAuthToken:\n  "${TOKEN}"\n' },
    );
    for (const command of [
      'git log -p -- auth.json',
      'git show HEAD~1:auth.json',
      'git log -p -- .yarnrc.yml',
      'git show HEAD~1:.yarnrc.yml',
    ])
      expect(await behavior(place, command), command).toBe('ask');
  });

  test('if a branch changed them back before it was merged and deleted', async () => {
    const place = repository({ 'appsettings.json': password('') }, { 'a.txt': 'a\n' });
    git(place, 'switch', '-qc', 'side', 'HEAD~1');
    commit(place, { 'appsettings.json': password() });
    commit(place, { 'appsettings.json': password('') });
    git(place, 'switch', '-q', 'main');
    git(place, 'merge', '-q', '--no-ff', '-m', 'merge', 'side');
    git(place, 'branch', '-qD', 'side');
    git(place, 'reflog', 'expire', '--expire=now', '--all');
    for (const command of ['git show HEAD^2~1', 'git show HEAD^2~1:appsettings.json', 'git log -p'])
      expect(await behavior(place, command), command).toBe('ask');
  });

  test("if the user's settings make git follow renames", async () => {
    const place = repository({ 'old.json': '{}\n' });
    git(place, 'switch', '-qc', 'other');
    commit(place, { 'appsettings.json': password() });
    commit(place, { 'appsettings.json': password('') });
    git(place, 'switch', '-q', 'main');
    git(place, 'mv', 'old.json', 'appsettings.json');
    git(place, 'commit', '-qm', 'moved');
    await withSettings('[log]\n\tfollow = true\n', async () => {
      for (const command of ['git log -p --all', 'git show other~1', 'git log -p other'])
        expect(await behavior(place, command), command).toBe('ask');
    });
  });

  test('if git follows the rename of a secret', async () => {
    const text = `${'line\n'.repeat(9)}KEY=${CANARY}\n`;
    const place = repository({ '.env': text }, { '.env': undefined, 'plain.txt': 'line\n'.repeat(9) });
    for (const command of ['git log -p plain.txt', 'git show HEAD -- plain.txt'])
      for (const rules of [[], ['allow Bash(git:*)']]) {
        await withSettings('[log]\n\tfollow = true\n', async () => {
          expect(await behavior(place, command, rules), command).toBe('ask');
        });
        expect(await behavior(place, command, rules), command).toBe('allow');
      }
  });

  test('in a conflict that no commit contains', async () => {
    const place = repository({ 'appsettings.json': password('') });
    write(place, { 'appsettings.json': password() });
    git(place, 'add', '.');
    const ours = git(place, 'rev-parse', ':appsettings.json');
    git(place, 'reset', '-q', '--hard');
    const theirs = git(place, 'rev-parse', ':appsettings.json');
    const stages = `0 ${'0'.repeat(40)}\tappsettings.json\n100644 ${theirs} 1\tappsettings.json\n100644 ${theirs} 2\tappsettings.json\n100644 ${ours} 3\tappsettings.json\n`;
    expect(spawnSync('git', ['update-index', '--index-info'], { cwd: place, input: stages }).status).toBe(0);
    for (const command of [
      'git show :3:appsettings.json',
      'git cat-file -p :3:appsettings.json',
      'git diff -3',
      'git diff',
      'git diff-files -p -3',
    ])
      expect(await behavior(place, command), command).toBe('ask');
  });

  test('if a file is marked as unchanged, so that git searches its committed content', async () => {
    const place = repository({ 'appsettings.json': password(), 'a.txt': 'Password\n' });
    for (const flag of ['assume-unchanged', 'skip-worktree']) {
      git(place, 'update-index', `--${flag}`, 'appsettings.json');
      write(place, { 'appsettings.json': password('') });
      for (const command of ['git grep Password', 'git grep -n Password -- "*.json"'])
        expect(await behavior(place, command), `${flag}: ${command}`).toBe('ask');
      expect(await behavior(place, 'git grep Password -- a.txt'), flag).toBe('allow');
      git(place, 'update-index', `--no-${flag}`, 'appsettings.json');
    }
    expect(await behavior(place, 'git grep Password -- a.txt')).toBe('allow');
  });
});

test('outside a repository, git grep needs approval if grep.fallbackToNoIndex lets it search every file', async () => {
  const place = mkdtempSync(join(top, 'home', 'none-'));
  write(place, { '.env': `P=${CANARY}\n` });
  await withSettings('[grep]\n\tfallbackToNoIndex = true\n', async () => {
    expect(await behavior(place, 'git grep P')).toBe('ask');
  });
});

describe('blame.ignoreRevsFile', () => {
  test.each(['in the repository', 'by the user'])(
    'needs approval if it is a link to a secret, set %s',
    async (where) => {
      const place = repository({ 'README.md': 'a\n', '.env': 'A=1\n' });
      symlinkSync('.env', join(place, '.git-blame-ignore-revs'));
      const home = mkdtempSync(join(top, 'home', 'user-'));
      const setting = '[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n';
      if (where === 'by the user') writeFileSync(join(home, '.gitconfig'), setting);
      else git(place, 'config', 'blame.ignoreRevsFile', '.git-blame-ignore-revs');
      expect(await behavior(place, 'git blame README.md', [], home)).toBe('ask');
      rmSync(join(place, '.git-blame-ignore-revs'));
      writeFileSync(join(place, '.git-blame-ignore-revs'), '# none\n');
      expect(await behavior(place, 'git blame README.md', [], home)).toBe('allow');
    },
  );
});

test('Bash(git add:*) does not cover an exclusion that adds a secret from a subfolder', async () => {
  const place = repository({ 'src/a.ts': 'a\n' });
  write(place, { '.env': `A=${CANARY}\n`, 'src/a.ts': 'b\n' });
  const rules = ['allow Bash(git add:*)', 'allow Bash(cd:*)'];
  expect(await behavior(place, "cd src && git add -- ':!a.ts'", rules)).toBe('ask');
  expect(await behavior(place, 'cd src && git add a.ts', rules)).toBe('allow');
});

describe('patterns that the shell expands', () => {
  let place = '';
  beforeAll(() => {
    place = repository(
      { 'sub/.env': `A=${CANARY}\n`, 'sub/a.txt': 'a\n', 'appsettings.json': password(), 'b.txt': 'b\n' },
      { 'sub/.env': undefined, 'appsettings.json': password('') },
    );
  });

  test.each([
    'git log -p -- *',
    'git log -p -- sub*',
    'git log -p -- [s]ub',
    'git log -p -3 -- s*',
    'git show HEAD~1 -- s*',
    'git diff HEAD~1 HEAD -- *',
    'git grep A HEAD~1 -- *',
    'git blame HEAD~1 -- app*.json',
    'git log -p -- *.json',
    'for f in s*; do git log -p -- "$f"; done',
    'ls -d s* | xargs git log -p --',
    "find . -name 'app*' -exec git log -p -- {} +",
  ])('%s needs approval, since it may match a secret in the history', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
    expect(await behavior(place, command, ['deny Read(/sub/**)', 'deny Read(/appsettings.json)'])).not.toBe(
      'allow',
    );
  });

  test('run if the history has no secret', async () => {
    const clean = repository({ 'sub/a.txt': 'a\n' }, { 'sub/a.txt': 'b\n' });
    for (const command of ['git log -p -- *', 'git log -p -- sub*', 'git grep -n b -- sub/*.txt'])
      expect(await behavior(clean, command), command).toBe('allow');
  });
});

describe('patterns that the shell expands, beside a secret', () => {
  let place = '';
  beforeAll(() => {
    place = repository(
      { '.env': `A=${CANARY}\n`, '.netrc': 'a\n', 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'README.md': 'r\n' },
      { '.env': undefined, 'src/a.ts': 'a2\n', 'README.md': 'r2\n', 'src/lib/c.ts': 'c\n' },
      { 'src/b.ts': 'b2\n', '.netrc': 'b\n' },
      { 'src/a.ts': 'a3\n' },
    );
    write(place, { '.netrc': 'c\n', 'src/a.ts': 'a4\n' });
  });

  test.each([
    'git diff -- src/*.ts',
    'git diff src/*.ts',
    'git --no-pager diff HEAD~2 -- src/*',
    'git diff HEAD~1 HEAD -- src/**/*.ts *.md',
    'git diff -- src/[ab].ts src/?.ts',
    'git diff -- ./*.md',
    'git log -p -2 -- src/*.ts',
    'git log -p -- src/lib/*',
    'git log -p -S a2 -- src/*.ts',
    'git show HEAD~1 -- *.md',
    'git show HEAD~1 src/*.ts',
    'git grep a -- src/*.ts',
    'git grep a HEAD~2 -- src/*.ts',
    'git diff-tree -p HEAD -- src/*.ts',
    'cd src && git diff -- *.ts',
    // No file has such a name.
    'git log -p -- src/*.tsx',
  ])('%s runs, since it shows none', async (command) => {
    expect(await behavior(place, command)).toBe('allow');
    expect(await behavior(place, command, ['deny Read(.env)'])).toBe('allow');
    expect(await behavior(place, command, ['deny Read(*.ts)', 'deny Read(*.md)'])).not.toBe('allow');
  });

  test('a loop over them runs', async () => {
    expect(await behavior(place, 'for f in src/*.ts; do git diff "$f"; done')).toBe('allow');
    expect(await behavior(place, 'for f in .n*; do git diff "$f"; done')).toBe('ask');
  });

  test.each([
    'git log -p -- *',
    'git diff -- * .netrc',
    'git diff -- .n*',
    'git diff -- *rc',
    'git diff src/*.ts ../*',
    // No path, or not only a path.
    'git log -p src/* --',
    'git log -p *.md src --',
    'git -C src log -p *.md',
    "git log -p -- src/*.ts ':/'",
    'git log -p -- src/*.@(ts|js)',
    // The file may be one that the command creates.
    'touch src/x.ts && git diff -- src/*.ts',
  ])('%s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
  });

  test.each([
    ['-p', 'git log *p -- src'],
    ['--all', 'git log -p -- src/a.ts *l'],
    ['main^@', 'git log -p m*'],
    ['^main', 'git diff ?main src'],
    ['HEAD~3..main', 'git diff H*n'],
    [':(top)', 'git log -p -- [:]*'],
  ])('a match named %s may be more than a file: %s', async (name, command) => {
    const odd = repository(
      { '.env': `A=${CANARY}\n`, 'src/a.ts': 'a\n' },
      { [name]: 'x\n', '.env': undefined },
    );
    expect(await behavior(odd, command)).toBe('ask');
  });
});

test('the first commits are known in every order', async () => {
  const place = repository({ '.env': 'a\n', 'b.txt': 'b\n' }, { 'b.txt': 'c\n' }, { 'b.txt': 'd\n' });
  const options = ['--graph', '--topo-order', '--date-order', '--reverse', '--graph --date-order'];
  for (const option of options) {
    expect(await behavior(place, `git log -p ${option} -2`), option).toBe('allow');
    expect(await behavior(place, `git log -p ${option} -3`), option).toBe('ask');
  }
});

test('git reads * as a pattern even if a folder has that name', async () => {
  const place = repository({
    '.env': `A=${CANARY}\n`,
    'sub/.env': 'A=1\n',
    '*/a.txt': 'a\n',
    's*/a.txt': 'a\n',
  });
  for (const command of ["git grep A '*'", "git grep A -- '*'", "git grep A 's*'", "git grep A -- 's*/*'"])
    expect(await behavior(place, command), command).toBe('ask');
});

describe('after a change in the same command', () => {
  const rules = ['allow Bash(git add:*)', 'allow Bash(git rm:*)'];
  test.each([
    'git add appsettings.json && git diff --cached',
    'git add -u && git diff --cached',
    'git add -A; git diff --staged',
    'git add -u && git diff-index -p --cached HEAD',
    'git rm -q --cached appsettings.json && git diff --cached',
  ])('%s needs approval, since it shows the old content', async (command) => {
    const place = repository({ 'appsettings.json': password(), 'a.txt': 'a\n' });
    write(place, { 'appsettings.json': password('') });
    expect(await behavior(place, command, rules)).toBe('ask');
  });

  test('git diff --cached runs if only other files changed', async () => {
    const place = repository({ 'appsettings.json': password(), 'a.txt': 'a\n' });
    write(place, { 'a.txt': 'b\n' });
    expect(await behavior(place, 'git add -u && git diff --cached', rules)).toBe('allow');
  });
});

describe('words that git reads in its own way', () => {
  let place = '';
  let added = '';
  beforeAll(() => {
    place = repository(
      {
        'sub/.env': `A=${CANARY}\n`,
        'secret/y.txt': `A=${CANARY}\n`,
        'src/deep/x.ts': 'A\n',
        'package.json': '{}\n',
      },
      { 'src/deep/x.ts': 'A\nB\n' },
    );
    symlinkSync('sub', join(place, 'link'));
    symlinkSync('../sub', join(place, 'src/lsub'));
    symlinkSync('src/deep', join(place, 'clean'));
    commit(place, {});
    added = mkdtempSync(join(top, 'home', 'added-'));
    write(added, { '.env': `A=${CANARY}\n`, 'a.txt': 'a\n' });
    write(place, { '.env': `A=${CANARY}\n`, 'src/open/.env': `A=${CANARY}\n` });
    write(place, { 'appsettings.json': password(), 'src/deep/x.ts': 'A\nC\n' });
  });

  test.each([
    'git grep -- A --',
    'git grep --cached -- A --',
    'git grep --untracked -- A --',
    'git grep -- A HEAD --',
    'git grep -n -- A -- --',
    'git grep A -- --',
    'git grep \\( -e A \\)',
    'git grep -e A --and \\( -e B -e C \\)',
    "git grep -e A '(' -e A -e B ')'",
    'git grep --cached \\( -e A \\)',
    'git grep --untracked \\( -e A \\)',
    'git grep --not A',
  ])('separators and parts of an expression: %s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
    expect(await behavior(place, command, ['deny Read(/sub/.env)'])).not.toBe('allow');
  });

  test.each([
    'git -C link grep A',
    'git -C link grep A .',
    'git -C link/. grep A',
    'git -C ./link grep -n A',
    "git -C link grep A '*'",
    'git -C src/lsub grep A',
    'git -C src/lsub/.. grep A',
    'cd src && git -C lsub grep A',
    'cd clean && git -C ../../link grep A',
    'cd link && git grep A',
    'cd link && git grep A .',
    'cd src/lsub && git grep A',
    'cd src/lsub && git -C . grep A',
    'git -C link log -p -- .',
    'git -C clean/../.. grep A',
    'cd src && git grep --untracked A ../clean/..',
    'git grep --untracked A clean/..',
    'git grep --untracked A clean/../open',
  ])('a folder behind a link: %s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
  });

  test.each([
    'git -C clean grep A',
    'cd clean && git grep A',
    'git -C clean log -p -- x.ts',
    'git -C src/deep grep A .',
  ])('a folder behind a link: %s runs', async (command) => {
    expect(await behavior(place, command)).toBe('allow');
  });

  test.each([
    'git diff . ADDED',
    'git diff ADDED .',
    'git diff src ADDED',
    'git diff -- ADDED src',
    'git diff -w src/open ADDED',
    'git diff -S. src ADDED',
    'git diff -R src ADDED',
    'git diff --relative src ADDED',
    'git diff ADDED/a.txt package.json',
    'git -C src diff . ADDED',
    'cd src && git diff . ../../NAME',
    'git -C src/lsub diff ../.. ../../NAME',
    'git diff clean/../../NAME src',
    'git diff .? src',
    'git diff src ADDE[D]',
  ])('git diff with a folder outside the repository: %s needs approval', async (command) => {
    const text = command
      .replace('ADDE[D]', `${added.slice(0, -1)}[${added.slice(-1)}]`)
      .replace('ADDED', added)
      .replace('NAME', basename(added));
    const policy = { ...(await policyFor([], 'default', { root: place })), additionalDirectories: [added] };
    const call = { tool: 'Bash', access: { type: 'command', command: text, cwd: place } } as const;
    expect(decide(call, policy).behavior).toBe('ask');
  });

  test.each([
    'cd src && git diff HEAD:package.json -- :/appsettings.json',
    "git -C src diff HEAD:package.json -- ':(top)appsettings.json'",
    "git -C src diff HEAD:package.json -- ':(literal,top)appsettings.json'",
    'git diff HEAD:package.json appsettings.json',
    'git diff HEAD:package.json -- clean/../../appsettings.json',
    'cd src && git diff HEAD:package.json :/.env',
  ])('git diff of a committed file and one on disk: %s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
  });

  test('git diff of a committed file and one on disk runs if neither is a secret', async () => {
    expect(await behavior(place, 'git diff HEAD:package.json package.json')).toBe('allow');
    expect(await behavior(place, 'cd src && git diff HEAD:package.json -- ../package.json')).toBe('allow');
  });
});

describe('words that git reads as revisions', () => {
  let place = '';
  beforeAll(() => {
    place = repository({ 'src/deep/x.ts': 'A\n', a: 'a\n', 'a..main': 'a\n' });
    git(place, 'switch', '-qc', 'other');
    commit(place, { '.env': `A=${CANARY}\n`, 'secret/y.txt': `${CANARY}\n` });
    commit(place, { '.env': undefined, 'secret/y.txt': undefined });
    git(place, 'switch', '-qc', 'merged');
    git(place, 'switch', '-q', 'main');
    commit(place, { 'src/deep/x.ts': 'B\n' });
  });

  test.each([
    'git log -p other ...',
    'git log -p other ... --',
    'git show other ...',
    'git log -p -5 other ...',
    'git log --cc other ...',
    'git log -p other ... -- ',
    'git log -p ...other ...',
    'cd src/deep && git log -p other .. --',
    'cd src/deep && git log -p ..other .. --',
    'git -C src/deep show other .. --',
    'git log -p other ....',
    'git log -p other HEAD...',
    'git log -p other other^-+1',
    'git log -p other^-+1',
    'git log -p other nothing --',
    'git log -p other a..b',
    'git show other:a..main',
    'git show other:./a..main',
    'git show other:a..main --',
    'git show other:a..other:a..main',
  ])('%s needs approval', async (command) => {
    expect(await behavior(place, command)).toBe('ask');
    expect(await behavior(place, command, ['deny Read(/secret/**)'])).not.toBe('allow');
  });

  test.each([
    'cd src/deep && git log -p ..',
    'git log -p ...',
    'git diff other... -- src',
    'cd src/deep && git diff other ../deep',
  ])('%s runs, since it shows no secret', async (command) => {
    expect(await behavior(place, command)).toBe('allow');
  });
});

test('of commits with the same date, the one named first is shown first', async () => {
  const place = repository({ a: 'a\n' });
  const dates = { GIT_COMMITTER_DATE: '2030-01-01T00:00:00Z' };
  const at = (branch: string, files: Files): void => {
    git(place, 'switch', '-qc', branch, 'main');
    write(place, files);
    git(place, 'add', '-A', '-f', '.');
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
    const env = { ...process.env, ...dates };
    expect(spawnSync('git', [...own, 'commit', '-qm', 'b'], { cwd: place, env }).status).toBe(0);
  };
  at('other', { '.env': `A=${CANARY}\n` });
  at('aa', { a: 'b\n' });
  at('zz', { a: 'c\n' });
  git(place, 'switch', '-q', 'aa');
  for (const command of [
    'git log -1 -p other --branches',
    'git log -1 -p other --all',
    'git log -p -1 main..other zz',
    'git log -p -1 aa..other zz --branches=main',
    'git log -p -2 aa...other',
  ])
    expect(await behavior(place, command), command).toBe('ask');
  for (const command of [
    'git log -1 -p',
    'git log -1 -p aa zz',
    'git log -p -1 main..aa',
    'git log -p -1 zz --',
  ])
    expect(await behavior(place, command), command).toBe('allow');
});

test('a pattern that ends with a slash also matches a folder of that name', async () => {
  const place = repository(
    { '*/.env': `A=${CANARY}\n`, 's*b/.env': `A=${CANARY}\n`, 'a.ts': 'A\n' },
    { 'a.ts': 'B\n' },
  );
  write(place, { '*/.env': 'B\n', 's*b/.env': 'B\n' });
  for (const command of [
    "git grep B '*/'",
    "git grep A HEAD -- '*/'",
    "git diff '*/'",
    "git diff HEAD -- 's*b/'",
    "git log -p -- '*/'",
    "git show HEAD~1 -- 's*b/'",
    "git show HEAD~1 -- './s*b/'",
    "git log -p 's*b/'",
    "git log -p 's*b//'",
  ])
    expect(await behavior(place, command), command).toBe('ask');
});

describe('everyday commands in a folder with an untracked secret', () => {
  let place = '';
  beforeAll(() => {
    place = repository(
      { 'src/x.ts': 'TODO\n'.repeat(30), 'package.json': '{}\n' },
      { 'src/x.ts': 'TODO\n'.repeat(31) },
      { 'src/x.ts': 'TODO\n'.repeat(32) },
    );
    git(place, 'switch', '-qc', 'topic');
    commit(place, { 'src/x.ts': 'TODO\n'.repeat(33) });
    write(place, { 'src/x.ts': 'TODO\n' });
    git(place, 'stash', '-q');
    write(place, { '.env': `A=${CANARY}\n`, 'src/.env': `A=${CANARY}\n`, 'src/x.ts': 'TODO 2\n' });
  });

  test.each([
    'git diff',
    'git diff --stat',
    'git diff main...HEAD',
    'git diff HEAD~3 -- src',
    'git diff HEAD~2 HEAD~1 src/x.ts',
    'cd src && git diff ../package.json x.ts',
    'git show',
    'git show HEAD:package.json',
    'git log -p -3',
    'git log -p main..',
    'git log -p -- src/x.ts',
    'git log -p src/x.ts',
    'git blame -L 10,20 src/x.ts',
    "git grep -n TODO -- '*.ts'",
    'git grep -e TODO --and -e 2',
    'git -C src grep TODO',
    'git -C src grep TODO ..',
    'git stash show -p',
  ])('%s runs', async (command) => {
    expect(await behavior(place, command)).toBe('allow');
  });
});

describe('a private key under an ordinary name', () => {
  const key = (letter: string): string =>
    `-----BEGIN PRIVATE KEY-----\n${`${letter.repeat(64)}\n`.repeat(20)}-----END PRIVATE KEY-----\n`;

  test('needs approval in every version, even if only part of it is shown', async () => {
    const place = repository({ 'keys/deploy': key('a'), 'src/a.ts': 'a\n' }, { 'keys/deploy': key('b') });
    commit(place, { 'keys/deploy': undefined, 'notes.txt': 'a\n', LICENSE: key('c') });
    for (const command of [
      'git show -U0 HEAD~1',
      'git log -p -U0',
      'git log -p -U0 -- keys',
      'git diff -U0 HEAD~2 HEAD~1',
      'git show HEAD~1:keys/deploy | sed -n 5,9p',
      'git show HEAD~1:keys/deploy | cut -c1-30',
      'git blame -L5,9 HEAD~1 -- keys/deploy',
      'git grep -h . HEAD~1 -- keys/deploy | head -8 | tail -4',
    ])
      expect(await behavior(place, command), command).toBe('ask');
    for (const command of [
      'git show -U0 HEAD:notes.txt',
      'git log -p -- src',
      'git grep -h . HEAD -- notes.txt',
    ])
      expect(await behavior(place, command), command).toBe('allow');
  });

  test('needs approval even if it is only on disk', async () => {
    const place = repository({ k: 'a\n', 'a.txt': 'a\n' });
    write(place, { k: key('a'), 'a.txt': 'b\n' });
    for (const command of ['git diff -U0', 'git diff -U0 HEAD', 'git diff | sed -n 12,14p', 'git diff k'])
      expect(await behavior(place, command), command).toBe('ask');
    expect(await behavior(place, 'git diff a.txt')).toBe('allow');
  });
});

test('showing content needs approval in a repository with replaced objects', async () => {
  const place = repository({ '.env': `A=${CANARY}\n`, 'a.txt': 'a\n' }, { '.env': undefined });
  expect(await behavior(place, 'git show HEAD:a.txt')).toBe('allow');
  git(place, 'replace', git(place, 'rev-parse', 'HEAD:a.txt'), git(place, 'rev-parse', 'HEAD~1:.env'));
  for (const packed of [false, true]) {
    if (packed) git(place, 'pack-refs', '--all');
    for (const command of ['git show HEAD:a.txt', 'git cat-file -p HEAD:a.txt', 'git grep --cached A'])
      expect(await behavior(place, command), command).toBe('ask');
  }
});
