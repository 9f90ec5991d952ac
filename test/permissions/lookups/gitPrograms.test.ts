/**
 * Repositories are unsafe if their settings make git start programs, or show files and commits from elsewhere.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import {
  gitFetches,
  gitRunsPrograms,
  gitSettingsRunPrograms,
} from '../../../src/permissions/lookups/gitPrograms.ts';
import type { PermissionDecision } from '../../../src/protocol/permissions.ts';
import { policyFor, top } from '../harness.ts';

let made = 0;
const empty = join(top, 'git-empty');
execFileSync('git', ['init', '-q', empty]);

function repository(...settings: readonly string[]): string {
  const directory = join(top, `git-${made++}`);
  cpSync(empty, directory, { recursive: true });
  for (const setting of settings) {
    const [key = '', ...value] = setting.split('=');
    execFileSync('git', ['-C', directory, 'config', key, value.join('=')]);
  }
  return directory;
}

/** Decides about a command at the top of a project, or in another folder. */
async function decideIn(project: string, command: string, cwd = project): Promise<PermissionDecision> {
  const access = { type: 'command', command, cwd } as const;
  return decide({ tool: 'Bash', access }, await policyFor([], 'default', { root: project }));
}

test.each([
  ['core.fsmonitor=./watch'],
  ['filter.x.clean=./clean'],
  ['filter.x.process=./process'],
  ['diff.external=./diff'],
  ['diff.x.textconv=./show'],
  ['diff.x.command=./show'],
  ['gpg.program=./gpg'],
  ['include.path=../settings'],
  ['includeIf.gitdir:/.path=../settings'],
  ['remote.origin.uploadpack=./pack'],
  ['remote.origin.url=ext::./fetch'],
  ['remote.origin.vcs=helper'],
  ['protocol.ext.allow=always'],
  ['url.ext::sh -c x.insteadOf=https://x'],
  ['blame.ignoreRevsFile=/etc/passwd'],
  ['core.excludesFile=~/.netrc'],
  ['mailmap.file=../x'],
])('a repository that sets %s is unsafe', (setting) => {
  expect(gitRunsPrograms(repository(setting))).toBe(true);
});

test('an ordinary repository is safe, and so is a folder without one', () => {
  const plain = repository(
    'user.name=a',
    'core.fsmonitor=true',
    'remote.origin.url=https://example.com/process.git',
    'blame.ignoreRevsFile=.git-blame-ignore-revs',
  );
  mkdirSync(join(plain, 'src'));
  expect(gitRunsPrograms(join(plain, 'src'))).toBe(false);
  expect(gitRunsPrograms(top)).toBe(false);
});

test('a setting on the line of its section applies, and settings that cannot be read are unsafe', () => {
  const oneLine = repository();
  writeFileSync(join(oneLine, '.git/config'), '[core] fsmonitor=./x');
  expect(gitRunsPrograms(oneLine)).toBe(true);
  const piped = repository();
  execFileSync('mkfifo', [join(piped, '.git/config.worktree')]);
  expect(gitRunsPrograms(piped)).toBe(true);
});

test('a hook that read-only commands run is unsafe in any hooks folder', () => {
  const own = repository();
  mkdirSync(join(own, '.git/hooks'), { recursive: true });
  writeFileSync(join(own, '.git/hooks/post-index-change'), '#!/bin/sh\n');
  const moved = repository('core.hooksPath=.husky');
  expect(gitRunsPrograms(moved)).toBe(false);
  mkdirSync(join(moved, '.husky'));
  writeFileSync(join(moved, '.husky/post-index-change'), '#!/bin/sh\n');
  expect([own, moved].map(gitRunsPrograms)).toEqual([true, true]);
});

test('a worktree is unsafe if its main repository is', () => {
  const main = repository('user.name=a', 'user.email=a@b', 'core.fsmonitor=./x');
  execFileSync('git', [
    '-C',
    main,
    '-c',
    'core.fsmonitor=false',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'one',
  ]);
  const tree = join(top, `tree-${made}`);
  execFileSync('git', ['-C', main, '-c', 'core.fsmonitor=false', 'worktree', 'add', '-q', tree]);
  expect(gitRunsPrograms(tree)).toBe(true);
});

test('git status needs approval in a hidden bare repository, and where settings name programs', async () => {
  const project = repository();
  const hidden = join(project, 'vendor/data');
  execFileSync('git', ['init', '-q', '--bare', hidden]);
  expect(await decideIn(project, 'git status', hidden)).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('a repository other than'),
  });
  expect((await decideIn(project, 'git status')).behavior).toBe('allow');
  execFileSync('git', ['-C', project, 'config', 'core.fsmonitor', './run']);
  expect(await decideIn(project, 'git status')).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('names programs'),
  });
});

test.each([
  ['git status', '.git/config'],
  ['git diff', '.git/config'],
  ['git diff', '../own/.gitconfig'],
])(
  '%s needs approval if %s is a pipe, which would block git, and the reason names the pipe',
  async (command, name) => {
    const project = repository();
    const own = join(project, '../own');
    mkdirSync(own, { recursive: true });
    const pipe = join(project, name);
    rmSync(pipe, { force: true });
    execFileSync('mkfifo', [pipe]);
    const policy = await policyFor([], 'default', {
      root: project,
      ...diskLookups({ ...process.env, HOME: own }),
    });
    const access = { type: 'command', command, cwd: project } as const;
    expect(decide({ tool: 'Bash', access }, policy)).toMatchObject({
      behavior: 'ask',
      reason: `${command} would read ${pipe}, which is a pipe, a device or a huge file.`,
    });
    rmSync(own, { recursive: true });
  },
);

const commit = (directory: string, ...args: readonly string[]): void => {
  const name = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...name, '-C', directory, ...args], { stdio: 'ignore' });
};

test.each([
  ['2', []],
  ['4', ['-c', 'index.version=4']],
])(
  'a repository is unsafe if the settings of a submodule name a program, in an index of version %s',
  (_, version) => {
    const inner = repository();
    commit(inner, 'commit', '--allow-empty', '-m', 'x');
    const outer = repository();
    for (let index = 0; index < 20; index++) writeFileSync(join(outer, `file-${'x'.repeat(index)}`), 'x');
    mkdirSync(join(outer, 'libs'));
    commit(outer, ...version, 'add', '.');
    commit(outer, ...version, 'submodule', 'add', inner, 'libs/inner');
    commit(outer, ...version, 'update-index', '--force-write-index', '-q', '--refresh');
    expect(gitRunsPrograms(outer)).toBe(false);
    commit(join(outer, 'libs/inner'), 'config', 'core.fsmonitor', './watch');
    expect(gitRunsPrograms(outer)).toBe(true);
  },
);

test('a repository is unsafe if a submodule with its own .git folder names a program, as in an unpacked archive', () => {
  const outer = repository();
  const inner = join(outer, 'inner');
  mkdirSync(inner);
  execFileSync('git', ['init', '-q', inner]);
  commit(inner, 'commit', '--allow-empty', '-m', 'x');
  commit(outer, 'add', 'inner');
  expect(gitRunsPrograms(outer)).toBe(false);
  commit(inner, 'config', 'core.fsmonitor', './watch');
  expect(gitRunsPrograms(outer)).toBe(true);
});

test('git grep needs approval if it would search a secret', async () => {
  const project = repository();
  mkdirSync(join(project, 'src'));
  for (const name of ['src/a.ts', '.env']) writeFileSync(join(project, name), 'x');
  commit(project, 'add', 'src');
  const ask = async (command: string) => (await decideIn(project, command)).behavior;
  expect(await ask('git grep x')).toBe('allow');
  expect(await ask('git grep --untracked x')).toBe('ask');
  expect(await ask('git -C src grep --untracked x')).toBe('allow');
  commit(project, 'add', '-f', '.env');
  expect(await Promise.all(['git grep x', 'git -C . grep x'].map(ask))).toEqual(['ask', 'ask']);
  expect(await Promise.all(['git grep x -- src', 'git grep x src/a.ts'].map(ask))).toEqual([
    'allow',
    'allow',
  ]);
});

test('a repository that declares a worktree elsewhere is unsafe', () => {
  const moved = repository('core.worktree=/somewhere');
  expect(gitRunsPrograms(moved)).toBe(true);
});

test('each of several declared worktrees is checked', () => {
  const twice = repository();
  const named = ['[core]', `worktree = ${twice}`, 'worktree = /somewhere', ''].join('\n');
  writeFileSync(join(twice, '.git/config'), named);
  expect(gitRunsPrograms(twice)).toBe(true);
});

describe('a repository that is easily mistaken for another, or for none', () => {
  /** A repository that runs a program, with its git folder under the given name. */
  const moved = (name: string): string => {
    const project = repository('diff.external=./run');
    renameSync(join(project, '.git'), join(project, name));
    return project;
  };
  const link = (project: string, text: string): string => {
    writeFileSync(join(project, '.git'), text);
    return project;
  };
  test.each<readonly [string, () => string]>([
    ['a git folder whose name ends with a space', () => link(moved('g '), 'gitdir: g ')],
    ['a git folder whose name begins with a space', () => link(moved(' g'), 'gitdir:  g')],
    ['a git folder whose name contains a line break', () => link(moved('a\nb'), 'gitdir: a\nb')],
    ['a very long .git file', () => link(moved('g'), `gitdir: g${'\n'.repeat(1_010_000)}`)],
    [
      'a path with .. after a link',
      () => {
        const project = moved('g');
        mkdirSync(join(project, 'a/b'), { recursive: true });
        mkdirSync(join(project, 'a/g'));
        symlinkSync('../a/b', join(project, 'g/down'));
        renameSync(join(project, 'g'), join(project, 'a/h'));
        return link(project, 'gitdir: a/h/down/../h');
      },
    ],
    [
      'a HEAD that is a dangling link',
      () => {
        const project = repository('diff.external=./run');
        commit(project, 'commit', '--allow-empty', '-qm', 'x');
        commit(project, 'pack-refs', '--all');
        rmSync(join(project, '.git/HEAD'));
        symlinkSync('refs/heads/main', join(project, '.git/HEAD'));
        return project;
      },
    ],
    [
      'a common folder whose name ends with a space',
      () => {
        const project = repository('diff.external=./run');
        mkdirSync(join(project, '.git/c '));
        for (const name of ['config', 'objects', 'refs'])
          renameSync(join(project, '.git', name), join(project, '.git/c ', name));
        writeFileSync(join(project, '.git/commondir'), 'c ');
        return project;
      },
    ],
    [
      'a folder with an incomplete .git, which git skips on its way up',
      () => {
        const project = join(repository('diff.external=./run'), 'inner');
        mkdirSync(join(project, '.git'), { recursive: true });
        writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
        return project;
      },
    ],
    [
      'a link to a folder of another repository',
      () => {
        const project = repository();
        const inner = join(project, 'vendor/x');
        execFileSync('git', ['init', '-q', inner]);
        execFileSync('git', ['-C', inner, 'config', 'diff.external', './run']);
        mkdirSync(join(inner, 'src'));
        symlinkSync('vendor/x/src', join(project, 'lib'));
        return join(project, 'lib');
      },
    ],
  ])('%s is unsafe', (_, make) => {
    expect(gitRunsPrograms(make())).toBe(true);
  });

  test('a repository elsewhere is unsafe unless this folder is one of its worktrees', () => {
    const other = repository();
    const project = join(top, `git-${made++}`);
    mkdirSync(project);
    link(project, `gitdir: ${other}/.git`);
    expect(gitRunsPrograms(project)).toBe(true);
    rmSync(join(project, '.git'));
    symlinkSync(join(other, '.git'), join(project, '.git'));
    expect(gitRunsPrograms(project)).toBe(true);
    commit(other, 'commit', '--allow-empty', '-qm', 'x');
    const linked = join(top, `git-${made++}`);
    commit(other, 'worktree', 'add', '-q', linked);
    expect(gitRunsPrograms(linked)).toBe(false);
  });
});

test('remerge diffs need approval if the repository names a merge driver', {
  tags: 'long',
}, async () => {
  const project = repository('merge.x.driver=./run');
  const ask = async (command: string) => (await decideIn(project, command)).behavior;
  expect(await ask('git log -p --diff-merges=first-parent')).toBe('allow');
  expect(await ask('git log -p --diff-merges=remerge')).toBe('ask');
  expect(await ask('git show --diff-merges=r')).toBe('ask');
  execFileSync('git', ['-C', project, 'config', 'log.diffMerges', 'remerge']);
  expect(await ask('git log -p -m')).toBe('ask');
});

test('git grep needs approval for secrets named by a pattern or an object', async () => {
  const project = repository();
  mkdirSync(join(project, 'sub'));
  for (const name of ['sub/.env', 'a.ts']) writeFileSync(join(project, name), 'x');
  commit(project, 'add', 'a.ts');
  const ask = async (command: string) => (await decideIn(project, command)).behavior;
  expect(await ask("git grep --untracked x 'sub*nv'")).toBe('ask');
  expect(await ask("git grep --untracked x ':/sub/.e*v'")).toBe('ask');
  expect(await ask("git grep '' HEAD:.netrc")).toBe('ask');
  expect(await ask("git grep x 'a*'")).toBe('allow');
  expect(await ask('git grep x HEAD:a.ts')).toBe('allow');
});

test.each([
  // Error messages and `check-ignore -v` show lines of these files.
  'blame.ignoreRevsFile=../secret.txt',
  'core.excludesFile=~/notes',
  'core.attributesFile=/etc/hosts',
  'mailmap.file=../secret.txt',
  'diff.orderFile=.env',
])('a repository that sets %s is unsafe, since git would read that file', (setting) => {
  writeFileSync(join(top, 'secret.txt'), 'x\n');
  expect(gitRunsPrograms(repository(setting))).toBe(true);
});

test.each(['packed-refs', 'MERGE_MSG', 'info/exclude', 'info/grafts', 'rebase-merge/done', 'shallow'])(
  'a link in place of .git/%s to a file elsewhere is unsafe',
  (name) => {
    const linked = repository();
    const path = join(linked, '.git', name);
    mkdirSync(join(path, '..'), { recursive: true });
    execFileSync('rm', ['-f', path]);
    symlinkSync('/etc/hosts', path);
    expect(gitRunsPrograms(linked)).toBe(true);
  },
);

test.each([
  '\tworktree = ../../else"where"\n',
  '\tworktree = ..\n\tworktree = ../../elsewhere\n',
  '\tworktree = ../../else\\\nwhere\n',
  '\texcludesFile = "../"secret.txt\n',
  '\texcludesFile = ../secret.txt # mine\n',
])('unusual settings are read as git reads them: %j', (lines) => {
  const odd = repository();
  appendFileSync(join(odd, '.git/config'), `[core]\n${lines}`);
  expect(gitRunsPrograms(odd)).toBe(true);
});

test.each([
  'objects',
  'objects/pack',
  'objects/00',
  'refs',
  'refs/other',
  'refs/heads/one',
  'logs',
  'logs/refs',
  'reftable',
])('a link in place of .git/%s to another repository is unsafe', (name) => {
  const other = repository();
  commit(other, 'commit', '--allow-empty', '-m', 'x');
  commit(other, 'branch', 'one');
  for (const more of ['objects/00', 'refs/other', 'reftable'])
    mkdirSync(join(other, '.git', more), { recursive: true });
  const linked = repository();
  commit(linked, 'commit', '--allow-empty', '-m', 'x');
  expect(gitRunsPrograms(linked)).toBe(false);
  execFileSync('rm', ['-rf', join(linked, '.git', name)]);
  symlinkSync(join(other, '.git', name), join(linked, '.git', name));
  expect(gitRunsPrograms(linked)).toBe(true);
});

test.each(['\r', '\u2028', '\u2029', '\u00a0'])(
  'a value continues after %j, which does not end a line in git settings',
  (sign) => {
    const odd = repository();
    appendFileSync(join(odd, '.git/config'), `[core]\n\tfsmonitor = true${sign}& touch x\n`);
    expect(gitRunsPrograms(odd)).toBe(true);
    const elsewhere = repository();
    mkdirSync(join(elsewhere, `a${sign}`));
    appendFileSync(join(elsewhere, '.git/config'), `[core]\n\texcludesFile = a${sign}/../../secret.txt\n`);
    expect(gitRunsPrograms(elsewhere)).toBe(true);
  },
);

test('names that are not UTF-8 are unsafe, both of submodules and in settings', () => {
  const name = Buffer.from([0x64, 0xe9]);
  const at = (folder: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), name]);
  const outer = repository();
  mkdirSync(at(outer));
  const script =
    'cd d*; git init -q; git -c user.name=a -c user.email=a@b commit -qm x --allow-empty; cd ..; git add d*';
  execFileSync('sh', ['-c', script], { cwd: outer, stdio: 'ignore' });
  expect(gitRunsPrograms(outer)).toBe(true);
  const odd = repository();
  symlinkSync('/etc', at(odd));
  const settings = [Buffer.from('[core]\n\texcludesFile = '), name, Buffer.from('/hosts\n')];
  appendFileSync(join(odd, '.git/config'), Buffer.concat(settings));
  expect(gitRunsPrograms(odd)).toBe(true);
});

test('settings may name files in the worktree, and .git/hooks may be a link', () => {
  const usual = repository('blame.ignoreRevsFile=.git-blame-ignore-revs', 'core.hooksPath=.husky');
  writeFileSync(join(usual, '.git-blame-ignore-revs'), '');
  mkdirSync(join(usual, '.githooks'));
  execFileSync('rm', ['-rf', join(usual, '.git/hooks')]);
  symlinkSync('../.githooks', join(usual, '.git/hooks'));
  expect(gitRunsPrograms(usual)).toBe(false);
});

test('an index that is damaged or split is unsafe', () => {
  const broken = repository();
  writeFileSync(join(broken, '.git/index'), 'DIRC\0\0\0\x09\0\0\0\x01');
  expect(gitRunsPrograms(broken)).toBe(true);
  const shared = repository();
  writeFileSync(join(shared, 'a'), 'a');
  commit(shared, 'add', '.');
  expect(gitRunsPrograms(shared)).toBe(false);
  commit(shared, 'update-index', '--split-index');
  expect(gitRunsPrograms(shared)).toBe(true);
});

describe('a repository that shows commits or files of another', () => {
  const withCommit = (): string => {
    const project = repository();
    commit(project, 'commit', '--allow-empty', '-qm', 'x');
    return project;
  };
  const replace = (path: string, target: string): void => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(target, path);
  };
  const other = withCommit();

  test.each([
    ['objects', 'objects'],
    ['refs', 'refs'],
    ['logs', 'logs'],
    ['objects/pack', 'objects/pack'],
    ['objects/ab', 'objects/pack'],
    ['refs/heads/x/y', 'HEAD'],
    ['worktrees/x/gitdir', 'config'],
    ['branches/x', 'config'],
    ['remotes/x', 'config'],
  ])('is unsafe if .git/%s is a link', (name, target) => {
    const project = withCommit();
    replace(join(project, '.git', name), join(other, '.git', target));
    expect(gitRunsPrograms(project)).toBe(true);
  });

  test('is unsafe if a linked worktree folder contains another link', () => {
    const project = withCommit();
    mkdirSync(join(project, 'x'));
    symlinkSync(join(other, '.git/config'), join(project, 'x/gitdir'));
    replace(join(project, '.git/worktrees/x'), '../../x');
    expect(gitRunsPrograms(project)).toBe(true);
  });

  test.each(['', 'gitdir', 'config'])(
    'is unsafe if its common folder is elsewhere, even if this file claims it: %j',
    (name) => {
      const project = withCommit();
      writeFileSync(join(project, '.git/commondir'), `${other}/.git\n`);
      if (name === 'gitdir') writeFileSync(join(project, '.git/gitdir'), '../.git\n');
      if (name === 'config')
        appendFileSync(join(project, '.git/config'), `[core]\n\tworktree = ${project}\n`);
      expect([project, join(project, '.git')].map(gitRunsPrograms)).toEqual([true, true]);
    },
  );

  test('is unsafe if it borrows objects', () => {
    const project = withCommit();
    expect(gitRunsPrograms(project)).toBe(false);
    writeFileSync(join(project, '.git/objects/info/alternates'), `${other}/.git/objects\n`);
    expect(gitRunsPrograms(project)).toBe(true);
  });

  test('is safe in the usual layouts: its own common folder, linked hooks, a worktree', () => {
    const project = withCommit();
    writeFileSync(join(project, '.git/commondir'), '.\n');
    mkdirSync(join(project, '.git/hooks'), { recursive: true });
    symlinkSync('../../../elsewhere/pre-commit', join(project, '.git/hooks/pre-commit'));
    expect(gitRunsPrograms(project)).toBe(false);
    const linked = join(top, `git-${made++}`);
    commit(project, 'worktree', 'add', '-q', linked);
    expect([project, linked].map(gitRunsPrograms)).toEqual([false, false]);
  });
});

test('formats and sort keys that verify signatures need approval', async () => {
  const project = repository();
  const policy = await policyFor([], 'default', { root: project });
  const decided = (command: string) =>
    decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
  for (const command of [
    "git log --format='%G?'",
    "git shortlog --group='%G?' HEAD",
    "git shortlog --group='format:%GK' HEAD",
    'git for-each-ref --sort=signature',
    'git branch --sort -signature:key',
    'git tag --list --sort=signature',
  ])
    expect(decided(command), command).toBe('ask');
  expect(decided('git branch --sort=-committerdate')).toBe('allow');
});

test('gitSettingsRunPrograms ignores borrowed objects and links, but not hooks or damaged settings', () => {
  const plain = repository('user.name=a', 'core.fsmonitor=true');
  writeFileSync(join(plain, '.git/objects/info/alternates'), '/srv/other/objects\n');
  symlinkSync('/etc', join(plain, '.git/logs'));
  expect([gitRunsPrograms(plain), gitSettingsRunPrograms(plain)]).toEqual([true, false]);
  const monitored = repository('core.fsmonitor=./watch');
  const hooked = repository('core.hooksPath=own');
  mkdirSync(join(hooked, 'own'));
  writeFileSync(join(hooked, 'own/post-index-change'), '');
  const damaged = repository();
  appendFileSync(join(damaged, '.git/config'), '\r[core] x');
  for (const at of [monitored, hooked, damaged]) expect(gitSettingsRunPrograms(at)).toBe(true);
});

test('git show in a partial clone runs guarded, without fetching, but needs approval beside a part that a rule allows', async () => {
  const project = repository('remote.origin.promisor=true', 'remote.origin.url=https://example.com/x.git');
  expect(gitFetches(project)).toBe(true);
  expect(gitFetches(repository('remote.origin.url=https://example.com/promisor.git'))).toBe(false);
  const access = (command: string) =>
    ({ tool: 'Bash', access: { type: 'command', command, cwd: project } }) as const;
  const policy = await policyFor(['allow Bash(git add:*)'], 'default', { root: project });
  expect(decide(access('git show HEAD'), policy)).toMatchObject({ behavior: 'allow', isGuarded: true });
  expect(decide(access('git show HEAD; git add b.txt'), policy)).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('may fetch'),
  });
});
