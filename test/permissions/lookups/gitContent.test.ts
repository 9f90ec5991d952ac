/**
 * Showing a diff or commit needs approval only if it includes a secret.
 *
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { OWN_GIT_ARGUMENTS } from '../../../src/disk/ownPrograms.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { gitShows } from '../../../src/permissions/lookups/gitPrograms.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'shown');

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
let blob = '';

beforeAll(() => {
  mkdirSync(project, { recursive: true });
  git('init', '-q');
  for (const name of ['.netrc', '.env.test', 'src/a.ts']) write(name, 'one\n');
  git('add', '-f', '.');
  git('commit', '-qm', 'one');
  git('branch', 'side/x');
  write('src/a.ts', 'two\n');
  git('commit', '-qam', 'two');
  write('src/a.ts', 'three\n');
  git('stash', '-q');
  write('src/a.ts', 'four\n');
  blob = git('rev-parse', 'HEAD:.netrc');
});

const behavior = async (command: string, rules: readonly string[] = []): Promise<string> => {
  const policy = await policyFor(rules, 'default', { root: project });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
};

test.each([
  'git diff',
  'git diff HEAD',
  'git diff --cached',
  'git diff --check',
  'git diff --exit-code',
  'git diff HEAD~1 HEAD -- src',
  "git diff HEAD~1 -- . ':!.netrc'",
  'git show',
  'git show HEAD:src/a.ts',
  'git log -1 -p',
  'git log --stat',
  'git log -p -- src',
  'git show --stat HEAD~1',
  'git stash show -p',
  'git status -vv',
  'git diff-tree -p HEAD',
  'cd src && git diff',
])('%s runs, since it shows no secret', async (command) => {
  expect(await behavior(command)).toBe('allow');
});

test.each([
  'git show HEAD~1',
  'git show --format=%s HEAD~1',
  'git show --stat -p HEAD~1',
  'git log -p',
  'git log --oneline --graph -p',
  'git log -c',
  'git -C src log -p',
  'git reflog -p',
  'git reflog show -p',
  'git diff-tree -p --root HEAD~1',
  'git diff --submodule=diff',
  // By an object id, which does not say which file it is.
  'git show BLOB',
  'git show BLOB -- src',
  'git diff BLOB HEAD:src/a.ts',
  'git diff BLOB..HEAD',
  'git cat-file -p BLOB',
  'git cat-file blob BLOB',
  // By a path in an unusual form.
  'git show side/x:.netrc',
  'git show :0:.netrc',
  'git show HEAD:./.netrc',
  "git show 'HEAD@{1 day 10:00}:.netrc'",
  "git diff HEAD~1 -- ':(top).netrc'",
  'git log -L1,1:.netrc',
  'git log -L1,1:.env.test --stat',
  'git log -L :x:.netrc',
])('%s needs approval, since it may show a secret', async (command) => {
  expect(await behavior(command.replaceAll('BLOB', blob))).toBe('ask');
});

test.each([
  'git diff HEAD~1 HEAD -- src',
  'git show',
  'git log --stat',
  'git stash show -p',
  'git grep -n four src',
  'git add -A',
  'git commit -m "git show HEAD~1"',
])('Bash(git:*) covers %s', async (command) => {
  expect(await behavior(command, ['allow Bash(git:*)'])).toBe('allow');
});

test.each([
  'git show HEAD~1',
  'git log -p',
  'git diff BLOB HEAD:src/a.ts',
  'git cat-file -p BLOB',
  'git grep -h one',
  'git archive HEAD',
  'git --no-pager log -p',
])('Bash(git:*) does not cover %s, which shows a secret', async (command) => {
  expect(await behavior(command.replaceAll('BLOB', blob), ['allow Bash(git:*)'])).toBe('ask');
  const named = ['allow Bash(git:*)', 'allow Read(~/shown/.netrc)', 'allow Read(~/shown/.env.test)'];
  expect(await behavior(command.replaceAll('BLOB', blob), named)).toBe('allow');
});

test('git can show a diff with the arguments of our own calls', () => {
  expect(git(...OWN_GIT_ARGUMENTS, 'diff', 'HEAD~1', '--', 'src')).toContain('+four');
});

test('a diff needs approval if it would show changes to a secret', async () => {
  write('.env.test', 'changed\n');
  expect(await behavior('git diff')).toBe('ask');
  expect(await behavior('git diff -U0 --no-color')).toBe('ask');
  expect(await behavior('git status -v')).toBe('ask');
  expect(await behavior('git diff --stat')).toBe('allow');
  expect(await behavior('git diff -- src')).toBe('allow');
  expect(await behavior("git diff -- . ':!.env.test'")).toBe('allow');
  expect(await behavior("git -C src diff -- . ':!../.env.test'")).toBe('allow');
  expect(await behavior("git -C src diff -- ':!.env.test'")).toBe('ask');
  expect(await behavior('git diff --cached')).toBe('allow');
  write('.env.test', 'one\n');
});

test('a secret that git no longer tracks needs approval where the history shows it', {
  tags: 'long',
}, async () => {
  git('rm', '-q', '--cached', '.netrc', '.env.test');
  expect(await behavior('git diff HEAD')).toBe('ask');
  git('-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'untracked');
  expect(await behavior('git show')).toBe('ask');
  expect(await behavior('git log -p')).toBe('ask');
  expect(await behavior('git diff HEAD~1')).toBe('ask');
  expect(await behavior('git log -p -- src')).toBe('allow');
  expect(await behavior('git diff')).toBe('allow');
  expect(await behavior('git diff --check')).toBe('allow');
});

test.each([
  'git diff --exit-code HEAD~2 HEAD~1',
  'git log -p --exit-code',
  'git log -p --name-status',
  'git diff --check -p HEAD~2 HEAD~1',
  'git status -v',
  'git log -L1,1:plain.txt',
  'git log -M10% -L :/x:plain.txt HEAD',
])(
  '%s needs approval, since it shows a secret that was once tracked or is only staged',
  { tags: 'long' },
  async (command) => {
    const gone = join(top, 'home', 'gone');
    mkdirSync(gone, { recursive: true });
    const run = (...args: readonly string[]): void => {
      const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
      expect(spawnSync('git', [...own, ...args], { cwd: gone }).status).toBe(0);
    };
    run('init', '-q');
    run('commit', '-q', '--allow-empty', '-m', 'one');
    writeFileSync(join(gone, '.env'), 'one\n');
    run('add', '-f', '.env');
    if (command !== 'git status -v') {
      run('commit', '-qm', 'two');
      run('mv', '.env', 'plain.txt');
      run('commit', '-qm', 'three');
    } else rmSync(join(gone, '.env'));
    const policy = await policyFor([], 'default', { root: gone });
    const decision = decide({ tool: 'Bash', access: { type: 'command', command, cwd: gone } }, policy);
    rmSync(gone, { recursive: true });
    expect(decision.behavior).toBe('ask');
  },
);

/** A repository with one commit per step; the last of exactly three steps merges the other two. */
function renamed(...steps: readonly (readonly [name: string, text: string | undefined])[][]): string {
  const place = mkdtempSync(join(top, 'home', 'renamed-'));
  const run = (...args: readonly string[]): void => {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
    expect(spawnSync('git', [...own, ...args], { cwd: place }).status).toBe(0);
  };
  run('init', '-q', '-b', 'main');
  run('commit', '-q', '--allow-empty', '-m', 'begin');
  for (const [index, files] of steps.entries()) {
    const isMerge = steps.length === 3 && index === 2;
    if (steps.length === 3 && index === 1) run('checkout', '-q', '-b', 'side', 'HEAD~1');
    if (isMerge) run('merge', '-q', '-s', 'ours', '--no-commit', 'main');
    for (const [name, text] of files)
      if (text === undefined) rmSync(join(place, name), { force: true });
      else writeFileSync(join(place, name), text);
    run('add', '-A', '-f', '.');
    run('commit', '-qm', 'next');
  }
  return place;
}

const lines = 'A=1\nB=2\nC=3\nD=4\nE=5\n';
const ask = async (root: string, command: string): Promise<string> => {
  const policy = await policyFor([], 'default', { root });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior;
};

test('a diff that follows a renamed or copied secret needs approval', { tags: 'long' }, async () => {
  const moved = renamed(
    [['.env', `${lines}SECRET=x\n`]],
    [
      ['.env', undefined],
      ['plain.txt', lines],
    ],
  );
  for (const command of [
    'git show -M',
    'git diff -M HEAD~1',
    'git log -1 -p --find-renames',
    'git diff-tree -p -M HEAD',
  ])
    expect(await ask(moved, command), command).toBe('ask');
  expect(await ask(moved, 'git show --stat -M')).toBe('allow');
  const copied = renamed([['.env', `${lines}SECRET=x\n`]], [['plain.txt', lines]]);
  for (const command of ['git show -C -C', 'git show -C1% --find-copies-harder'])
    expect(await ask(copied, command), command).toBe('ask');
  for (const command of ['git show', 'git show -M', 'git log -1 -p'])
    expect(await ask(copied, command), command).toBe('allow');
});

test('showing a merge needs approval if the file was a secret in one of the parents', {
  tags: 'long',
}, async () => {
  const merged = renamed(
    [['.env', `${lines}SECRET=x\n`]],
    [['plain.txt', `${lines}one\n`]],
    [['plain.txt', `${lines}two\n`]],
  );
  for (const command of [
    'git show',
    'git show -c -M',
    'git log -1 -p --cc',
    'git show --diff-merges=c',
    'git show --diff-merges dense-combined',
    'git diff HEAD HEAD^1 HEAD^2',
    'git diff-tree --cc HEAD',
  ])
    expect(await ask(merged, command), command).toBe('ask');
  for (const command of [
    'git show --first-parent',
    'git show -- plain.txt',
    'git diff HEAD HEAD^1',
    'git show --stat',
  ])
    expect(await ask(merged, command), command).toBe('allow');
});

describe('objects named by a revision or an id', () => {
  const place = join(top, 'home', 'objects');
  const ids: Record<string, string> = {};
  beforeAll(() => {
    const run = (...args: readonly string[]): string => {
      const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
      const { status, stdout, stderr } = spawnSync('git', [...own, ...args], {
        cwd: place,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
      return stdout.trim();
    };
    for (const folder of ['.ssh', 'src', 'plans']) mkdirSync(join(place, folder), { recursive: true });
    for (const name of ['src/a.ts', 'plans/one.txt']) writeFileSync(join(place, name), 'one\n');
    run('init', '-q', '-b', 'main');
    run('add', '.');
    run('commit', '-qm', 'one');
    run('commit', '-q', '--allow-empty', '-m', 'two');
    // These are only in a stash that was dropped.
    writeFileSync(join(place, '.env'), 'KEY=secret\n');
    writeFileSync(join(place, '.ssh', 'mykey'), 'secret\n');
    run('stash', 'push', '-q', '-u');
    ids.DROPPED = run('rev-parse', 'stash@{0}');
    ids.SECRETS = run('rev-parse', 'stash@{0}^3:.ssh');
    ids.PLANS = run('rev-parse', 'HEAD:plans');
    ids.EMPTY = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    run('stash', 'drop', '-q');
  });
  const filled = (command: string): string => command.replace(/[A-Z]{5,}/g, (name) => ids[name] ?? name);

  test.each([
    'git show DROPPED^3',
    'git show DROPPED^@',
    'git log -p DROPPED^!',
    'git log -p DROPPED^-',
    'git diff DROPPED^!',
    'git log -p -S x HEAD..DROPPED^3',
    'git log -p --graph -m DROPPED^@',
    'git show SECRETS:mykey',
    'git cat-file -p SECRETS:mykey',
    'git cat-file blob SECRETS:mykey',
    'git grep secret SECRETS',
    'git diff EMPTY SECRETS',
    'git diff-tree -p EMPTY SECRETS',
    'git diff SECRETS:mykey HEAD:src/a.ts',
  ])('%s needs approval', async (command) => {
    expect(await ask(place, filled(command))).toBe('ask');
  });

  test.each([
    'git show HEAD^!',
    'git show HEAD:src',
    'git show HEAD:src/a.ts',
    'git show SECRETS',
    'git cat-file -p PLANS',
    'git diff HEAD^ HEAD',
    'git diff EMPTY HEAD',
    'git grep one HEAD:src',
    'git log -p nothing..HEAD',
    'git log -p src',
    'git diff nothing',
  ])('%s runs, since it shows only known files', async (command) => {
    expect(await ask(place, filled(command))).toBe('allow');
  });

  test.each([
    'git show HEAD:plans/one.txt',
    'git show PLANS:one.txt',
    'git diff EMPTY PLANS',
    'git grep one HEAD:plans',
    'git grep one PLANS',
  ])('a rule that denies a folder applies to %s', async (command) => {
    const policy = await policyFor(['deny Read(~/objects/plans/**)'], 'default', { root: place });
    const access = { type: 'command', command: filled(command), cwd: place } as const;
    expect(decide({ tool: 'Bash', access }, policy).behavior).not.toBe('allow');
  });
});

describe('commands in a repository with a secret in its history', () => {
  let place = '';
  beforeAll(() => {
    place = renamed(
      [['.env', 'KEY=secret\n']],
      [['.env', undefined]],
      [['a.txt', 'a\n']],
      [['a.txt', 'b\n']],
      [['a.txt', 'c\n']],
    );
  });

  test.each([
    'git diff HEAD~2..HEAD',
    'git diff HEAD~1...HEAD',
    'git diff HEAD~2 HEAD~1 HEAD',
    'git diff HEAD~1 HEAD -M',
    'git diff HEAD~1 HEAD a.txt -w',
    'git diff -W HEAD~1',
    'git show -W',
    'git diff-tree --no-commit-id --name-only -r HEAD',
    'git log --oneline --all -- .env',
    'git log --stat -- .env',
    'git diff --stat -- .env',
    'GIT_PAGER=cat git log -3',
    'PAGER=cat git log -1 -p',
  ])('%s runs', async (command) => {
    expect(await ask(place, command)).toBe('allow');
  });

  test.each([
    'git diff HEAD~4..HEAD',
    'git diff HEAD~4 HEAD~2 HEAD',
    'git diff HEAD~4 HEAD -M',
    'git log -p -- .env',
    'git log -W',
    'git diff --check HEAD~4 -- .env',
    'git show --all',
    'git show --tags -s',
    'git --literal-pathspecs log -p -- a.txt',
    'GIT_PAGER=sh git log -3',
    'PAGER="cat a.txt" git log',
  ])('%s needs approval', async (command) => {
    expect(await ask(place, command)).toBe('ask');
  });

  test('a secret is found despite a line break in its name', async () => {
    const odd = renamed([['client_secret\n.json', '{}\n']]);
    expect(await ask(odd, 'git log -p')).toBe('ask');
    expect(await ask(odd, 'git show')).toBe('ask');
  });
});

describe('settings files with a password', () => {
  const password = 'db_password = "hunter2-Zx81kQ"\n';
  let place = '';
  beforeAll(() => {
    place = renamed(
      [
        ['prod.tfvars', password],
        ['old.tfvars', password],
        ['a.txt', 'a\n'],
      ],
      [['old.tfvars', undefined]],
      [['a.txt', 'b\n']],
      [['a.txt', 'c\n']],
    );
    mkdirSync(join(place, 'infra'));
    writeFileSync(join(place, 'infra/dev.tfvars'), password);
  });

  test.each([
    'git grep -n .',
    'git log -p',
    'git log -p -- old.tfvars',
    'git show HEAD~3',
    'git show HEAD~2',
    'git diff HEAD~3',
    'git cat-file -p $(git rev-parse HEAD:prod.tfvars)',
  ])('%s needs approval', async (command) => {
    expect(await ask(place, command)).toBe('ask');
  });

  test.each(['git show', 'git log -1 -p', 'git diff HEAD~1', 'git grep -n a -- a.txt'])(
    '%s runs, since it shows no password',
    async (command) => {
      expect(await ask(place, command)).toBe('allow');
    },
  );

  test.each([
    ['Bash', 'find infra -type f -exec cat {} +'],
    ['Bash', 'cp -r infra infra2'],
    ['Bash(prettier:*)', 'prettier infra'],
    ['Bash(tar:*)', 'tar cf x.tar infra'],
  ])('the rule %s does not cover %s', async (rule, command) => {
    const policy = await policyFor([`allow ${rule}`], 'default', { root: place });
    const access = { type: 'command', command, cwd: place } as const;
    expect(decide({ tool: 'Bash', access }, policy).behavior).toBe('ask');
  });

  describe('a password that was removed later', () => {
    let cleaned = '';
    beforeAll(() => {
      cleaned = renamed(
        [
          ['prod.tfvars', `${password}region = "eu"\n`],
          ['a.txt', 'a\n'],
        ],
        [['prod.tfvars', 'db_password = var.pw\nregion = "eu"\n']],
        [['a.txt', 'b\n']],
        [['a.txt', 'c\n']],
      );
      const git = (...args: readonly string[]): void =>
        void spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: cleaned });
      writeFileSync(join(cleaned, 'app.tfvars'), password);
      git('add', 'app.tfvars');
      git('config', 'color.ui', 'always');
      writeFileSync(join(cleaned, 'app.tfvars'), 'region = "eu"\n');
    });

    test.each([
      'git show HEAD~2',
      'git log -p',
      'git diff HEAD~3',
      'git show HEAD~3:prod.tfvars',
      'git blame HEAD~3 -- prod.tfvars',
      'git grep hunter HEAD~3',
      'git grep --cached hunter',
      'git show :app.tfvars',
      'git diff',
    ])('%s needs approval', async (command) => {
      expect(await ask(cleaned, command)).toBe('ask');
    });

    test.each([
      'git show',
      'git log -p -2',
      'git diff HEAD~1 -- a.txt',
      'git grep -n region',
      'git blame a.txt',
    ])('%s runs', async (command) => {
      expect(await ask(cleaned, command)).toBe('allow');
    });

    test('the commit being merged is checked too', async () => {
      const theirs = renamed([['prod.tfvars', password]], [['a.txt', 'a\n']]);
      const ours = renamed([['prod.tfvars', 'region = "eu"\n']], [['b.txt', 'b\n']]);
      const git = (...args: readonly string[]): void =>
        void spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: ours });
      git('fetch', '-q', theirs, 'main');
      git('merge', '-q', '--allow-unrelated-histories', 'FETCH_HEAD');
      writeFileSync(join(ours, 'prod.tfvars'), 'region = "eu"\n');
      expect(await ask(ours, 'git show :3:prod.tfvars')).toBe('ask');
    });

    test('a rule that allows reading the file covers all its versions', async () => {
      const policy = await policyFor([`allow Read(~/${basename(cleaned)}/prod.tfvars)`], 'default', {
        root: cleaned,
      });
      const access = { type: 'command', command: 'git show HEAD~2', cwd: cleaned } as const;
      expect(decide({ tool: 'Bash', access }, policy).behavior).toBe('allow');
    });
  });

  test('may be shown if they never had a password', async () => {
    const clean = renamed([['prod.tfvars', 'region = "eu"\n']], [['a.txt', 'a\n']]);
    for (const command of ['git grep -n .', 'git log -p', 'git show HEAD~1'])
      expect(await ask(clean, command), command).toBe('allow');
  });
});

test('showing a merge needs approval even if git gives up detecting the rename of a secret', {
  tags: 'long',
}, async () => {
  const merged = renamed(
    [
      ['.env', `${lines}SECRET=x\n`],
      ['a', 'a\n'],
      ['b', 'b\n'],
      ['c', 'c\n'],
    ],
    [
      ['.env', undefined],
      ['notes.txt', `${lines}SECRET=x\n`],
      ['a', 'a2\n'],
      ['b', 'b2\n'],
      ['c', 'c2\n'],
    ],
    [
      ['.env', undefined],
      ['notes.txt', `${lines}none\n`],
    ],
  );
  spawnSync('git', ['config', 'diff.renameLimit', '1'], { cwd: merged });
  for (const command of ['git show', 'git show -c', 'git log -1 -p --cc', 'git log -p --first-parent --cc'])
    expect(await ask(merged, command), command).toBe('ask');
});

test('no cluster of two short options shows a secret without approval', {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  const place = renamed([['.env', 'KEY=secret\n']], [['a.txt', 'a\n']]);
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0'];
  const policy = await policyFor([], 'default', { root: place });
  const shown: string[] = [];
  const allowed: string[] = [];
  for (const first of letters)
    for (const second of letters)
      for (const words of ['log', 'diff HEAD~1', 'blame a.txt']) {
        const command = `git ${words} -${first}${second}`;
        const access = { type: 'command', command, cwd: place } as const;
        if (decide({ tool: 'Bash', access }, policy).behavior !== 'allow') continue;
        allowed.push(command);
        const { stdout } = spawnSync('sh', ['-c', command], { cwd: place, encoding: 'utf8', input: '' });
        if (stdout.includes('KEY=secret')) shown.push(command);
      }
  expect(shown).toEqual([]);
  expect(allowed.length).toBeGreaterThan(50);
});

test('diffs and blame need approval if a textconv program may decrypt files', async () => {
  const home = mkdtempSync(join(top, 'home', 'converts-'));
  const root = renamed([['group.enc', 'x\n']], [['group.enc', 'y\n']]);
  const set = (value: string): void =>
    writeFileSync(join(home, '.gitconfig'), `[diff "vault"]\n\ttextconv = ${value}\n`);
  const judge = async (command: string): Promise<string> => {
    const policy = { ...(await policyFor([], 'default', { root })), home };
    return decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior;
  };
  set('ansible-vault view');
  for (const command of ['git show', 'git log -p', 'git diff HEAD~1', 'git blame group.enc', 'git status -v'])
    expect(await judge(command), command).toBe('ask');
  for (const command of ['git show --no-textconv', 'git log', 'git diff --stat', 'git status'])
    expect(await judge(command), command).toBe('allow');
  set('pandoc --to=plain');
  expect(await judge('git show')).toBe('allow');
});

describe('commits whose selection depends on the locale, the date or a merge in progress', () => {
  let place = '';
  let conflicted = '';
  const run = (where: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): number | null =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false', ...args], {
      cwd: where,
      env: { ...process.env, ...env },
    }).status;
  beforeAll(() => {
    place = renamed(
      [['.env', 'KEY=secret\n']],
      [
        ['.env', undefined],
        ['a.txt', 'a\n'],
      ],
    );
    const other = renamed(
      [['a.txt', 'a\n']],
      [
        ['a.txt', 'other\n'],
        ['.env', 'KEY=secret\n'],
      ],
      [['.env', undefined]],
      [['b.txt', 'b\n']],
    );
    conflicted = renamed([['a.txt', 'a\n']], [['a.txt', 'mine\n']]);
    run(conflicted, ['fetch', '-q', other, 'main']);
    run(conflicted, ['merge', '-q', '--allow-unrelated-histories', 'FETCH_HEAD']);
  });

  test.each([
    "git log -p -1 --author='Jos. M'",
    'git log -p -1 --until=2026-01-01',
    'git log -p -i --author=x -n 3',
    'git log -p --since=1.hour',
    "git show 'main@{yesterday}'",
    "git show ':/next'",
    "git log -1 -p 'HEAD^{/next}'",
  ])('%s needs approval', async (command) => {
    expect(await ask(place, command)).toBe('ask');
  });

  test('git log --merge includes the commits being merged', async () => {
    expect(await ask(conflicted, 'git log -p --merge --full-diff')).toBe('ask');
    expect(await ask(conflicted, 'git log -p')).toBe('allow');
  });

  test('git settings named by an environment variable apply', async () => {
    const file = join(top, 'home', 'other.gitconfig');
    writeFileSync(file, '[log]\n\tfollow = true\n');
    const moved = renamed(
      [['.env', `${lines}S=x\n`]],
      [
        ['.env', undefined],
        ['plain.txt', lines],
      ],
    );
    const shows = gitShows({ ...process.env, GIT_CONFIG_GLOBAL: file }, () => {});
    const query = { objects: [], compared: [{ how: 'history', words: [], paths: ['plain.txt'] }] } as const;
    expect(shows(moved, query, [moved])).toContain(join(moved, '.env'));
  });
});

describe('a remote URL with a token needs approval', () => {
  const token = 'https://x:secrettoken@example.com/';
  const at = (): string => renamed([['a.txt', 'a\n']]);
  const set = (place: string, ...args: readonly string[]): void => {
    expect(spawnSync('git', args, { cwd: place }).status).toBe(0);
  };
  const judge = async (place: string, command: string, home = join(top, 'home')): Promise<string> => {
    const policy = { ...(await policyFor([], 'default', { root: place })), home };
    return decide({ tool: 'Bash', access: { type: 'command', command, cwd: place } }, policy).behavior;
  };

  test("in the user's settings", async () => {
    const home = mkdtempSync(join(top, 'home', 'tokens-'));
    const place = at();
    expect(await judge(place, 'git remote -v', home)).toBe('allow');
    writeFileSync(join(home, '.gitconfig'), `[url "${token}"]\n\tinsteadOf = https://example.com/\n`);
    expect(await judge(place, 'git remote -v', home)).toBe('ask');
    expect(await judge(place, 'git remote get-url origin', home)).toBe('ask');
  });

  test('in the settings of a worktree', async () => {
    const place = at();
    set(place, 'config', 'extensions.worktreeConfig', 'true');
    set(place, 'config', '--worktree', 'remote.o.url', token);
    expect(await judge(place, 'git remote -v')).toBe('ask');
  });

  test('in a file in .git/remotes', async () => {
    const place = at();
    mkdirSync(join(place, '.git/remotes'));
    writeFileSync(join(place, '.git/remotes/old'), `URL: ${token}\n`);
    expect(await judge(place, 'git remote get-url old')).toBe('ask');
  });

  test('as the remote of a branch', async () => {
    const place = at();
    set(place, 'config', 'branch.main.remote', token);
    expect(await judge(place, "git for-each-ref --format='%(push:remotename)'")).toBe('ask');
    expect(await judge(place, "git branch --list --format='%(upstream:remotename)'")).toBe('ask');
    expect(await judge(place, "git for-each-ref --format='%(refname)'")).toBe('allow');
  });
});

describe('options cannot hide a secret from the check', () => {
  let moved = '';
  let stashed = '';
  let merged = '';
  beforeAll(() => {
    moved = renamed(
      [['.env', `${lines}SECRET=x\n`]],
      [
        ['.env', undefined],
        ['plain.txt', lines],
      ],
      [['other.txt', 'x\n']],
      [['other.txt', 'y\n']],
    );
    stashed = renamed([['.env', lines]]);
    writeFileSync(join(stashed, '.env'), `${lines}SECRET=x\n`);
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    expect(spawnSync('git', [...own, 'stash'], { cwd: stashed }).status).toBe(0);
    merged = renamed([['a.txt', 'a\n']], [['b.txt', 'b\n']], [['.env', 'SECRET=x\n']]);
  });

  test.each([
    'git diff --diff-filter=ACMR HEAD~3',
    'git diff --diff-filter R HEAD~3 HEAD',
    'git diff --cached --diff-filter=d HEAD~3',
    'git diff -S nothing HEAD~3 HEAD',
    'git diff -Gnothing HEAD~3 HEAD',
    'git diff --find-object=HEAD:plain.txt HEAD~3 HEAD',
    'git log -p --diff-filter=R',
    'git log -p -1 --oneline --author a --since=1.year',
    "git log -p -1 --author ''",
    'git log --all --diff-filter=R -u',
    'git log -p -S nothing',
    'git log -1 -p -S SECRET',
    'git log -n 1 -p --diff-filter=R',
    'git log -p -1 --skip 1 -G SECRET',
    'git log -p --max-count=1 --grep=begin --invert-grep',
    'git log -p -1 --follow plain.txt',
    'git log -M10% -L1,1:plain.txt main',
    'git log -L1,1:other.txt',
    'git log --follow -p other.txt',
    'git log -S x --oneline',
    'git log -S x --pickaxe-all --oneline -- plain.txt other.txt .env',
    'git show -4 -p',
    'git show -3 --diff-filter=R',
    'git log --no-walk -4 -p',
    'git log -p --parents -2',
    'git log -p --date-order --graph -3',
    'git diff HEAD^!',
    'git show -R -C -C',
    'git show --tags',
    'git reflog -p',
    'git diff --relative HEAD~1',
  ])('a renamed secret: %s needs approval', async (command) => {
    expect(await ask(moved, command)).toBe('ask');
  });

  test.each([
    'git log -1 -p',
    'git log -1 -p --oneline --first-parent',
    'git show HEAD',
    'git diff HEAD~1 HEAD',
    'git log --oneline -20',
    'git log --graph --decorate --all --oneline',
    'git log --stat -M -C --grep begin',
    'git diff --stat',
    'git diff --diff-filter=M HEAD~1',
    'git show --diff-filter=AM',
    'git log -p --diff-filter=M -- other.txt',
    'git log -p --graph -- other.txt',
    'git log -p --date-order --graph -2',
    'git log -S x --oneline -- other.txt',
    'git log -p --topo-order --reverse -- other.txt',
    'git diff --name-only --diff-filter=ACMR main',
    'git diff --relative --name-status HEAD~3',
    'git stash list',
    'git reflog -5',
    'git shortlog -s',
  ])('a renamed secret: %s runs, since it shows nothing of it', async (command) => {
    expect(await ask(moved, command)).toBe('allow');
  });

  test.each([
    'git stash list --diff-merges=1',
    'git stash list --diff-merges on',
    'git stash list --diff-merges=dense-combined',
    'git log -g --diff-merges=first-parent refs/stash',
    'git reflog show --diff-merges=c stash',
  ])('a stashed secret: %s needs approval', async (command) => {
    expect(await ask(stashed, command)).toBe('ask');
  });

  test.each(['on', '1', 'm', 'separate', 'first-parent', 'c', 'cc', 'combined', 'off'])(
    'a secret in a merge: --diff-merges=%s needs approval',
    async (way) => {
      expect(await ask(merged, `git log -1 --diff-merges=${way}`)).toBe('ask');
    },
  );
});

describe('a submodule without an extension, which could be a key by its name', () => {
  const place = join(top, 'home', 'outer');
  const run = (...args: readonly string[]): void => {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
    expect(spawnSync('git', [...own, ...args], { cwd: place }).status).toBe(0);
  };
  const link = (digit: string): void =>
    run('update-index', '--add', '--cacheinfo', `160000,${digit.repeat(40)},lib`);

  beforeAll(() => {
    mkdirSync(place, { recursive: true });
    run('init', '-q');
    writeFileSync(join(place, 'a.txt'), 'one\n');
    run('add', '.');
    link('1');
    run('commit', '-qm', 'one');
    link('2');
    run('commit', '-qm', 'two');
  });

  const commands = [
    'git show HEAD',
    'git log -p',
    'git diff HEAD~1 HEAD',
    'git grep x HEAD',
    'git diff --cached',
  ];
  test.each(commands)('%s runs', async (command) => {
    expect(await ask(place, command)).toBe('allow');
  });

  test.each(commands.slice(0, 4))('%s needs approval if a key was there before or after', async (command) => {
    writeFileSync(join(place, 'key.txt'), '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n');
    const key = spawnSync('git', ['hash-object', '-w', 'key.txt'], { cwd: place }).stdout.toString().trim();
    run('update-index', '--cacheinfo', `100644,${key},lib`);
    run('commit', '-qm', 'three');
    expect(await ask(place, command)).toBe('ask');
    run('rm', '-q', '--cached', 'lib');
    link('3');
    run('commit', '-qm', 'four');
    expect(await ask(place, command === 'git grep x HEAD' ? 'git grep x HEAD~1' : command)).toBe('ask');
    run('reset', '-q', '--hard', 'HEAD~2');
  });
});
