/** @module-tag long */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { confined, type Given, hasSandbox } from './confined.ts';
import { type Project, project, repository, withSubmodules } from './gitProject.ts';

const gitlink = (path: string): string =>
  `git update-index --add --cacheinfo 160000,$(git -C ${path} rev-parse HEAD),${path}`;
const plain = (path: string): string =>
  `git init -q ${path} && git -C ${path} -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m m`;

/** Moves an entry of the git folder to a place in the project and links it. */
function linked({ root }: Project, name: string, place: string): void {
  mkdirSync(dirname(join(root, place)), { recursive: true });
  renameSync(join(root, '.git', name), join(root, place));
  symlinkSync(join('..', place), join(root, '.git', name));
}

const hookIn = (folder: string, home: string): string =>
  `printf '#!/bin/sh\\ntouch ${home}/ran\\n' > ${folder}/post-index-change; chmod +x ${folder}/*; echo > f; git add f; touch -d yesterday f`;

interface Attack {
  readonly given?: Given;
  readonly setUp: (given: Project) => void;
  /** Each is a separate call. */
  readonly calls: (given: Project) => readonly string[];
  /** Folders of the project in which the user runs git status. */
  readonly status?: readonly string[];
}

const attacks: Readonly<Record<string, Attack>> = {
  'a submodule without HEAD': {
    setUp: (given) => withSubmodules(given, 'lib'),
    calls: ({ evil }) => [
      'mv .git/modules/lib/HEAD .git/modules/lib/HEADX',
      evil('.git/modules/lib/config'),
      'mv .git/modules/lib/HEADX .git/modules/lib/HEAD',
    ],
  },
  'a submodule inside a fake submodule': {
    setUp: (given) => withSubmodules(given, 'libs/json'),
    calls: ({ evil }) => ['touch .git/modules/libs/HEAD', evil('.git/modules/libs/json/config')],
  },
  'a submodule of a submodule': {
    setUp(given) {
      withSubmodules(given, 'a');
      given.git('a', 'submodule', 'add', '-q', join(given.home, 'lib'), 'b');
      given.git('a', 'commit', '-qam', 'b');
    },
    calls: ({ evil }) => [
      'rm .git/modules/a/modules/b/HEAD; rm .git/modules/a/HEAD; mv .git/modules/a/modules x',
      evil('.git/modules/a/modules/b/config'),
      'for m in a a/modules/b; do echo ref: refs/heads/master > .git/modules/$m/HEAD; done',
    ],
    status: ['.', 'a', 'a/b'],
  },
  'one of too many submodules': {
    setUp: (given) => withSubmodules(given, 'z'),
    calls: ({ evil }) => ['mkdir .git/modules/a{0000..1200}', evil('.git/modules/z/config')],
  },
  'a submodule of a linked worktree': {
    setUp(given) {
      withSubmodules(given, 'lib');
      given.git('.', 'worktree', 'add', '-q', '../wt1');
      given.git('../wt1', 'submodule', 'update', '-q', '--init');
    },
    calls: ({ evil }) => [evil('.git/worktrees/wt1/modules/lib/config')],
    status: ['../wt1'],
  },
  'a submodule whose .git file becomes a folder': {
    setUp: (given) => withSubmodules(given, 'vendor/lib'),
    calls: ({ evil }) => [
      `cp -r .git/modules/vendor/lib e; git config -f e/config --unset core.worktree; ${evil('e/config')}; rm vendor/lib/.git; mv e vendor/lib/.git`,
    ],
  },
  'worktree settings that do not exist yet': {
    setUp(given) {
      repository(given, '.');
      given.git('.', 'config', 'extensions.worktreeConfig', 'true');
      given.git('.', 'worktree', 'add', '-q', '../wt1');
    },
    calls: ({ evil }) => [evil('.git/worktrees/wt1/config.worktree')],
    status: ['../wt1'],
  },
  'the worktree settings of a submodule': {
    setUp(given) {
      withSubmodules(given, 'lib');
      given.git('lib', 'config', 'extensions.worktreeConfig', 'true');
      given.git('lib', 'worktree', 'add', '-q', '../../wt1');
    },
    calls: ({ evil }) => [evil('.git/modules/lib/worktrees/wt1/config.worktree')],
    status: ['../wt1'],
  },
  'the worktree settings of a repository in the project': {
    setUp(given) {
      repository(given, 'services/api');
      given.git('services/api', 'config', 'extensions.worktreeConfig', 'true');
      given.git('services/api', 'worktree', 'add', '-q', '../../../wt1');
    },
    calls: ({ evil }) => [evil('services/api/.git/worktrees/wt1/config.worktree')],
    status: ['../wt1'],
  },
  'one of too many worktrees': {
    setUp(given) {
      repository(given, '.');
      given.git('.', 'worktree', 'add', '-q', '../zwt');
    },
    calls: ({ evil }) => [
      'mkdir .git/worktrees/{a,b,zz}{000..300}',
      `cp -r .git evil; ${evil('evil/config')}; echo ../../../evil > .git/worktrees/zwt/commondir`,
    ],
    status: ['../zwt'],
  },
  'a submodule inside a submodule': {
    setUp: (given) => withSubmodules(given, 'vendor/vl'),
    calls: ({ evil }) => [`cd vendor/vl && ${plain('x')} && ${evil('x/.git/config')} && git add x`],
  },
  'a submodule of a submodule that a command creates': {
    setUp: (given) => repository(given, '.'),
    calls: ({ evil }) => [
      `${plain('vendor/a')}; ${plain('vendor/a/b')}; ${evil('vendor/a/b/.git/config')}; git -C vendor/a add b; ${gitlink('vendor/a')}`,
    ],
  },
  'one of many submodules that a command creates': {
    setUp: (given) => repository(given, '.'),
    calls: ({ evil }) => [
      `${plain('vendor/a')}; for i in {10..70}; do cp -r vendor/a vendor/a$i; done; ${evil('vendor/a70/.git/config')}; for i in {10..70}; do echo "160000 $(git -C vendor/a rev-parse HEAD) 0\tvendor/a$i"; done | git update-index --index-info`,
    ],
  },
  'a submodule in a shared index': {
    setUp(given) {
      repository(given, '.');
      writeFileSync(join(given.root, 'a'), '');
      given.git('.', 'add', 'a');
    },
    calls: ({ evil }) => [
      `${plain('vendor/x')}; ${evil('vendor/x/.git/config')}; ${gitlink('vendor/x')}; git update-index --split-index`,
    ],
  },
  'a submodule that replaces a file of a shared index': {
    setUp(given) {
      repository(given, '.');
      writeFileSync(join(given.root, 'vendor'), '');
      given.git('.', 'add', 'vendor');
    },
    calls: ({ evil }) => [
      `git update-index --split-index; rm vendor; ${plain('vendor')}; ${evil('vendor/.git/config')}; ${gitlink('vendor')}`,
    ],
  },
  'a submodule whose path is not UTF-8': {
    setUp: (given) => repository(given, '.'),
    calls: ({ evil }) => [
      `p=vendor/$(printf 'x\\377'); ${plain('"$p"')}; ${evil('"$p"/.git/config')}; git add "$p"`,
    ],
  },
  'an included file that does not exist yet': {
    setUp(given) {
      repository(given, '.');
      given.git('.', 'config', 'include.path', '../build/git.inc');
    },
    calls: ({ evil }) => [`mkdir -p build; ${evil('build/git.inc')}`],
  },
  'a file that does not exist yet and that the user includes conditionally': {
    setUp(given) {
      repository(given, '.');
      symlinkSync('conf/own', join(given.root, 'link'));
      writeFileSync(
        join(given.home, '.gitconfig'),
        '[includeIf "gitdir:**"]\n\tpath = ~/project/link\n[includeIf "onbranch:x"]\n\tpath = ~/project/y\n',
      );
    },
    calls: ({ evil }) => [`mkdir -p conf; ${evil('conf/own')}; ${evil('y')}; git checkout -qb x`],
  },
  'a hook folder that does not exist yet': {
    setUp(given) {
      repository(given, '.');
      given.git('.', 'config', 'core.hooksPath', '.githooks/all');
    },
    calls: ({ home }) => [
      `mkdir -p .githooks/all; printf '#!/bin/sh\\ntouch ${home}/ran\\n' > .githooks/all/post-index-change; chmod +x .githooks/all/*; echo > f; git add f; touch -d yesterday f`,
    ],
  },
  'settings that do not exist yet': {
    setUp(given) {
      repository(given, '.');
      execFileSync('rm', [join(given.root, '.git/config')]);
    },
    calls: ({ evil }) => [evil('.git/config')],
  },
  'one of many repositories in the project': {
    setUp(given) {
      repository(given, '.');
      repository(given, 'services/own/api');
    },
    calls: ({ evil }) => [
      'true',
      'for i in {10..70}; do mkdir -p a$i/.git; done; mkdir b{0000..1000}',
      evil('services/own/api/.git/config'),
    ],
    status: ['services/own/api'],
  },
  'a project repository that a command creates': {
    setUp: () => undefined,
    calls: ({ evil }) => [`git init -q .; ${evil('.git/config')}`],
  },
  'a project repository that two commands create': {
    setUp: () => undefined,
    calls: ({ evil }) => ['mkdir .git', `git init -q .; ${evil('.git/config')}`],
  },
  'a git folder elsewhere in the project': {
    setUp(given) {
      mkdirSync(join(given.root, 'folders'));
      given.git('.', 'init', '-q', '--separate-git-dir=folders/own');
    },
    calls: ({ evil }) => [
      'rm folders/own/HEAD',
      evil('folders/own/config'),
      'echo ref: refs/heads/master > folders/own/HEAD',
    ],
  },
  'settings that are a link': {
    setUp(given) {
      repository(given, '.');
      linked(given, 'config', 'conf/git');
    },
    calls: ({ evil }) => [`rm .git/config; cp conf/git .git/config; ${evil('.git/config')}`],
  },
  'settings that are a link to a folder that is moved': {
    setUp(given) {
      repository(given, '.');
      linked(given, 'config', 'conf/git');
    },
    calls: ({ evil }) => [`mv conf old; cp -r old conf; ${evil('conf/git')}`],
  },
  'settings that are a dangling link': {
    setUp(given) {
      repository(given, '.');
      linked(given, 'config', 'conf/git');
      execFileSync('rm', ['-r', join(given.root, 'conf')]);
    },
    calls: ({ evil }) => [`mkdir -p conf; ${evil('conf/git')}`],
  },
  'a hook folder that is a link': {
    setUp(given) {
      repository(given, '.');
      linked(given, 'hooks', 'conf/hooks');
    },
    calls: ({ home }) => [`rm .git/hooks; mkdir .git/hooks; ${hookIn('.git/hooks', home)}`],
  },
  'a hook folder that is a dangling link': {
    setUp(given) {
      repository(given, '.');
      linked(given, 'hooks', 'conf/hooks');
      execFileSync('rm', ['-r', join(given.root, 'conf')]);
    },
    calls: ({ home }) => [`mkdir -p conf/hooks; ${hookIn('conf/hooks', home)}`],
  },
  'a hook that is a link': {
    setUp(given) {
      repository(given, '.');
      mkdirSync(join(given.root, 'scripts'));
      writeFileSync(join(given.root, 'scripts/hook'), '#!/bin/sh\n', { mode: 0o755 });
      symlinkSync('../../scripts/hook', join(given.root, '.git/hooks/post-index-change'));
    },
    calls: ({ home }) => [
      `printf '#!/bin/sh\\ntouch ${home}/ran\\n' > scripts/hook; echo > f; git add f; touch -d yesterday f`,
    ],
  },
  'a hook that is a dangling link': {
    setUp(given) {
      repository(given, '.');
      symlinkSync('../../scripts/hook', join(given.root, '.git/hooks/post-index-change'));
    },
    calls: ({ home }) => [
      `mkdir scripts; printf '#!/bin/sh\\ntouch ${home}/ran\\n' > scripts/hook; chmod +x scripts/hook; echo > f; git add f; touch -d yesterday f`,
    ],
  },
  'a repository in a folder that settings open': {
    given: { allowWrite: ['~/other'] },
    setUp: (given) => repository(given, '../other'),
    calls: ({ evil }) => [
      `cd ../other; cp -r .git evil; ${evil('evil/config')}; echo ../evil > .git/commondir`,
    ],
    status: ['../other'],
  },
};

describe.skipIf(!hasSandbox)('git folders in the sandbox', { tags: 'long' }, () => {
  test.each(Object.entries(attacks))(
    "the user's git status runs nothing after an attack on %s",
    async (_, attack) => {
      const given = await project(attack.given);
      attack.setUp(given);
      for (const call of attack.calls(given)) await given.run(call);
      expect(given.isRunByStatus(...(attack.status ?? ['.']))).toBe(false);
    },
  );

  test("the user's git status runs nothing after one session hid the git folder from the next", async () => {
    const first = await project();
    repository(first, '.');
    await first.run('mv .git/HEAD .git/HEADX');
    first.sandbox.dispose();
    const second = await confined({ workspace: () => [first.root], mayChangeGit: true });
    const copy = 'mkdir evil; cp -r .git/config .git/objects .git/refs evil';
    await second.run(
      `cd ${first.root}; ${copy}; ${first.evil('evil/config')}; echo ../evil > .git/commondir; mv .git/HEADX .git/HEAD`,
    );
    expect(first.isRunByStatus('.')).toBe(false);
    expect(existsSync(join(first.root, '.git/HEAD'))).toBe(true);
  });

  test("the user's git status runs nothing after one session hid a repository in the project from the next", async () => {
    const first = await project();
    repository(first, '.');
    repository(first, 'services/own/api');
    const given = {
      workspace: () => [first.root],
      options: { repositoryNotes: join(first.home, '.clawdcode/sandbox/repositories.json') },
    };
    const earlier = await confined(given);
    await earlier.run(`cd ${first.root}; for i in {10..70}; do mkdir -p a$i/.git; done; mkdir b{0000..1000}`);
    earlier.sandbox.dispose();
    const later = await confined(given);
    await later.run(`cd ${first.root}; ${first.evil('services/own/api/.git/config')}`);
    expect(first.isRunByStatus('services/own/api')).toBe(false);
  });

  test.each([
    ['a rebase with a program among its steps', 'rebase-merge/git-rebase-todo', 'noop\\nexec touch ran'],
    ['a rebase with its own merge program', 'rebase-merge/strategy', 'x/../evil'],
    ['a cherry-pick with its own merge program', 'sequencer/opts', '[options]\\n\\tstrategy = x/../evil'],
    ['a rebase in a linked worktree', 'worktrees/wt/rebase-merge/git-rebase-todo', 'x touch ran'],
  ])('%s that a command leaves behind is reported', async (_, file, text) => {
    const given = await project();
    repository(given, '.');
    given.git('.', 'worktree', 'add', '-q', '../wt');
    const harmless = 'mkdir -p .git/rebase-merge; echo "pick 1 exec" > .git/rebase-merge/git-rebase-todo';
    expect((await given.run(`${harmless}; echo ort > .git/rebase-merge/strategy`)).text).not.toContain(
      'created or changed',
    );
    const { text: told } = await given.run(
      `mkdir -p .git/${dirname(file)}; printf '${text}\\n' > .git/${file}`,
    );
    expect(told).toContain(`It created or changed .git/${file}`);
  });

  test('a link that a command replaces or removes is restored, and the user may change it later', async () => {
    const given = await project();
    repository(given, '.');
    linked(given, 'hooks', 'conf/hooks');
    const hooks = join(given.root, '.git/hooks');
    const { text } = await given.run('rm .git/hooks; mkdir .git/hooks; touch .git/hooks/x');
    expect(text).toContain('.git/hooks (renamed to hooks-set-aside: it replaced a link that git follows)');
    expect(readlinkSync(hooks)).toBe('../conf/hooks');
    expect((await given.run('rm .git/hooks')).text).toContain('.git/hooks (a link, restored)');
    expect(readlinkSync(hooks)).toBe('../conf/hooks');
    execFileSync('ln', ['-sfn', '../other', hooks]);
    expect((await given.run('true')).text).not.toContain('.git/hooks');
    expect(readlinkSync(hooks)).toBe('../other');
  });

  test('git status runs nothing in a linked worktree whose index lists a repository that a command created', async () => {
    const workspace: string[] = [];
    const given = await project({ workspace: () => workspace });
    repository(given, '../main');
    given.git('../main', 'worktree', 'add', '-q', '../wt');
    const at = join(given.home, 'wt');
    workspace.push(at);
    await given.run(
      `cd ${at}; ${plain('vendor/x')}; ${given.evil('vendor/x/.git/config')}; ${gitlink('vendor/x')}`,
    );
    expect(given.isRunByStatus('../wt')).toBe(false);
    expect(existsSync(join(at, '.git'))).toBe(true);
  });

  test('git status runs nothing while a background command runs, even if the command has taken the names for renamed repositories', async () => {
    const given = await project();
    repository(given, '.');
    const make = `mkdir -p vendor/x/.git-set-aside{,1,2,3,4,5,6,7,8,9}; ${plain('vendor/x')}; ${given.evil('vendor/x/.git/config')}; ${gitlink('vendor/x')}`;
    await given.run(`${make}; touch made; sleep 60`, { background: true });
    await vi.waitFor(() => expect(existsSync(join(given.root, 'made'))).toBe(true), { timeout: 30_000 });
    await vi.waitFor(() => expect(existsSync(join(given.root, 'vendor/x/.git'))).toBe(false), {
      timeout: 30_000,
    });
    expect(given.isRunByStatus('.')).toBe(false);
  });

  test('placeholders for missing files are removed when the last session ends', async () => {
    const first = await project();
    repository(first, '.');
    for (const [name, value] of [
      ['include.path', '../build/deep/git.inc'],
      ['core.hooksPath', '.githooks/all'],
    ] as const)
      first.git('.', 'config', name, value);
    const gitNotes = join(first.home, '.clawdcode/sandbox/git');
    const second = await confined({ workspace: () => [first.root], options: { gitNotes } });
    await first.run('true');
    expect(readFileSync(join(first.root, 'build/deep/git.inc'), 'utf8')).toMatch(/^# /);
    await second.run('true');
    first.sandbox.dispose();
    expect(existsSync(join(first.root, '.githooks/all'))).toBe(true);
    second.sandbox.dispose();
    expect(readdirSync(first.root)).toEqual(['.git']);
  });

  test('ordinary git commands work next to submodules and worktrees', async () => {
    const given = await project({ mayChangeGit: false });
    withSubmodules(given, 'lib', 'libs/json');
    given.git('.', 'worktree', 'add', '-q', 'linked');
    given.git('.', 'config', 'extensions.worktreeConfig', 'true');
    given.git('.', 'config', '--global', 'user.name', 'A');
    given.git('.', 'config', '--global', 'user.email', 'a@b.c');
    for (const call of [
      'echo a > a',
      'git add a && git commit -qm a && git checkout -qb next',
      'echo b >> a',
      'git stash -q && git stash pop -q && git commit -qam b',
      'git checkout -q master && git commit -q --allow-empty -m c && git rebase -q master next && git gc -q && git fsck',
      'git -c protocol.file.allow=always clone -q --recurse-submodules . cloned && git -C cloned commit -q --allow-empty -m x',
      'echo a > lib/a',
      'cd lib && git checkout -qb own && git add a && git commit -qm a && cd .. && git add lib && git commit -qm lib',
      'git -C libs/json commit -q --allow-empty -m x && git submodule status && git submodule',
      'echo x > linked/x',
      'cd linked && git add x && git commit -qm x && git log --oneline',
      'git worktree add -q new && cd new && git commit -q --allow-empty -m new',
      'git init -q made && git -C made config user.name B && git -C made commit -q --allow-empty -m x',
      'git worktree add -q --detach brief && git worktree remove brief && git worktree prune',
      'git -C made commit -q --allow-empty -m y && git -C new commit -q --allow-empty -m z && git worktree list && git status --short',
    ]) {
      const { text, status } = await given.run(call);
      expect(status, `${call}\n${text}`).toBe('ok');
      expect(text, call).not.toContain('set-aside');
    }
  });
});
