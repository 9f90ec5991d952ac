/**
 * Files that a command writes to a git folder so that the user's next git command obeys them.
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extension, LINK_MODE, writtenIndex } from '../disk/writtenIndex.ts';
import { hasSandbox } from './confined.ts';
import { type Project, project, repository, withSubmodules } from './gitProject.ts';

/** Runs a git command of the user, which may fail. */
function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // Git rejected it.
  }
}

/** Stores a script that leaves a trace where `isRunByStatus` looks; returns its id. */
const storedScript = ({ home, root }: Project, folder = '.'): string => {
  writeFileSync(join(home, 'script'), `#!/bin/sh\ntouch ${home}/ran\n`);
  return execFileSync('git', ['hash-object', '-w', join(home, 'script')], { cwd: join(root, folder) })
    .toString()
    .trim();
};

const lure = (given: Project, folder = '.') => {
  const id = storedScript(given, folder);
  return [
    { path: '../outside', id },
    { path: '.git/hooks/post-checkout', mode: 0o100755, id },
    { path: 'a', id },
  ];
};

/** Writes an index where a command can copy it from. */
const prepared = (given: Project, content: Buffer): void =>
  writeFileSync(join(given.root, 'planted'), content);

describe.skipIf(!hasSandbox)('a forged index', () => {
  const escaped = ({ home }: Project): boolean =>
    existsSync(join(home, 'ran')) || existsSync(join(home, 'outside'));
  const discard = ({ git }: Project, folder = '.'): void => {
    attempt(() => git(folder, 'checkout', '.'));
    attempt(() => git(folder, 'restore', '.'));
  };

  test('is renamed and reported if a checkout would write a hook or a file outside the project', async () => {
    const given = await project();
    repository(given, '.');
    prepared(given, writtenIndex(lure(given)));
    const { text } = await given.run('cp planted .git/index');
    discard(given);
    expect(escaped(given)).toBe(false);
    expect(text).toContain(
      '.git/index (renamed to index-set-aside: git checkout would write files in .git or outside the project; run git reset)',
    );
    given.git('.', 'reset', '-q');
    expect((await given.run('git status --short')).text).not.toContain('set-aside');
  });

  test('is renamed if git and a sequential reader find different entries in it', async () => {
    const given = await project();
    repository(given, '.');
    const id = storedScript(given);
    const decoy = writtenIndex([{ path: 'b', id }])
      .subarray(12, -20)
      .toString('latin1');
    prepared(
      given,
      writtenIndex([
        { path: Buffer.from(`a\0${'\0'.repeat(9)}${decoy}`, 'latin1').toString(), id },
        { path: '../outside', id },
      ]),
    );
    await given.run('cp planted .git/index');
    discard(given);
    expect(escaped(given)).toBe(false);
  });

  test('is renamed if its shared index leads outside the project, even if only that has changed', async () => {
    const given = await project();
    repository(given, '.');
    const shared = 'ab'.repeat(20);
    prepared(given, writtenIndex([], extension('link', Buffer.from(shared, 'hex'))));
    const named = (index: Buffer): Buffer =>
      Buffer.concat([index.subarray(0, -20), Buffer.from(shared, 'hex')]);
    writeFileSync(join(given.root, 'sound'), named(writtenIndex([{ path: 'a', id: storedScript(given) }])));
    writeFileSync(join(given.root, 'evil'), named(writtenIndex(lure(given))));
    const file = `.git/sharedindex.${shared}`;
    const first = await given.run(`cp sound ${file}; cp planted .git/index`);
    expect(first.text).not.toContain('set-aside');
    await given.run(`cp evil ${file}`);
    discard(given);
    expect(escaped(given)).toBe(false);
  });

  test('is renamed in a linked worktree outside the project, even among many', async () => {
    const given = await project();
    repository(given, '.');
    given.git('.', 'worktree', 'add', '-q', '../wt');
    prepared(given, writtenIndex(lure(given)));
    await given.run('mkdir .git/worktrees/{a..b}{000..200}; cp planted .git/worktrees/wt/index');
    discard(given, '../wt');
    expect(escaped(given)).toBe(false);
  });

  test('is renamed in a submodule', async () => {
    const given = await project();
    withSubmodules(given, 'vendor/lib');
    const id = storedScript(given, 'vendor/lib');
    prepared(
      given,
      writtenIndex([
        { path: '../../../outside', id },
        { path: 'a', id },
      ]),
    );
    await given.run('cp planted .git/modules/vendor/lib/index');
    discard(given, 'vendor/lib');
    expect(escaped(given)).toBe(false);
  });

  test('is renamed if a killed session left it behind', async () => {
    const given = await project();
    repository(given, '.');
    writeFileSync(join(given.root, '.git/index'), writtenIndex(lure(given)));
    expect((await given.run('true')).text).toContain('renamed to index-set-aside');
    discard(given);
    expect(escaped(given)).toBe(false);
  });

  test('is renamed if it lists files behind a link', async () => {
    const given = await project();
    repository(given, '.');
    const id = storedScript(given);
    prepared(
      given,
      writtenIndex([
        { path: 'l', mode: LINK_MODE, id },
        { path: 'l/a', id },
      ]),
    );
    expect((await given.run('cp planted .git/index')).text).toContain('renamed to index-set-aside');
  });
});

describe.skipIf(!hasSandbox)('the git folder of a submodule that is not checked out yet', () => {
  const runsAtUpdate = (given: Project): boolean => {
    attempt(() => given.git('.', 'submodule', 'update', '-q', '--init'));
    return given.isRunByStatus('.');
  };
  /** A project cloned without its submodule `lib`. */
  const cloned = async (): Promise<Project> => {
    const given = await project();
    withSubmodules(given, 'lib');
    given.git('.', 'submodule', 'deinit', '-q', 'lib');
    rmSync(join(given.root, '.git/modules'), { recursive: true });
    return given;
  };
  const make = 'm=.git/modules/lib; git init -q --bare $m; git config -f $m/config core.bare false';
  const hook = (file: string, home: string): string =>
    `printf '#!/bin/sh\\ntouch ${home}/ran\\n' > ${file}; chmod +x ${file}`;

  test.each<readonly [string, (given: Project) => string]>([
    ['settings', ({ evil }) => `${make}; ${evil('$m/config')}`],
    ['a hook', ({ home }) => `${make}; ${hook('$m/hooks/post-checkout', home)}`],
    [
      'a link to a folder elsewhere',
      ({ evil }) => `${make}; ${evil('$m/config')}; mv $m planted; ln -s ../../planted $m`,
    ],
    [
      'settings in another folder',
      ({ evil }) =>
        `${make}; cp -r $m planted; ${evil('planted/config')}; echo ../../../planted > $m/commondir`,
    ],
    [
      'settings, among more folders than are searched',
      ({ evil }) =>
        `${make}; ${evil('$m/config')}; p=$m/modules; for i in {0..50}; do p=$p/a; done; mkdir -p $p`,
    ],
  ])('is set aside if a command has prepared %s', async (_, command) => {
    const given = await cloned();
    const { text } = await given.run(command(given));
    expect(runsAtUpdate(given)).toBe(false);
    expect(text).toMatch(
      /\.git\/modules\S* \(moved to \S+-set-aside: its settings or hooks may start programs/,
    );
    expect((await given.run('true')).text).not.toContain('set-aside');
  });

  test('is set aside if a command has prepared it in two steps', async () => {
    const given = await cloned();
    await given.run(`${make}; mv $m/HEAD HEAD; ${given.evil('$m/config')}`);
    await given.run('mv HEAD .git/modules/lib/HEAD');
    expect(runsAtUpdate(given)).toBe(false);
  });

  test('is kept if git or the user created it', async () => {
    const given = await project();
    withSubmodules(given, 'lib');
    const [own, module] = ['.git/hooks/pre-push', '.git/modules/lib/hooks/pre-push'];
    for (const file of [own, module]) writeFileSync(join(given.root, file), '#!/bin/sh\n');
    given.git('lib', 'config', 'core.fsmonitor', 'false');
    const silent = async (command: string): Promise<void> =>
      expect((await given.run(command)).text, command).not.toContain('set-aside');
    await silent('rm -rf lib; mkdir lib');
    await silent('git -c protocol.file.allow=always submodule update -q');
    rmSync(join(given.root, '.git/modules'), { recursive: true });
    rmSync(join(given.root, 'lib'), { recursive: true });
    await silent(
      'git -c protocol.file.allow=always submodule update -q; cp .git/hooks/pre-push .git/modules/lib/hooks',
    );
    expect(existsSync(join(given.root, '.git/modules/lib/HEAD'))).toBe(true);
  });
});

describe.skipIf(!hasSandbox)('a remote outside git’s settings', () => {
  test.each([
    [
      'remotes',
      'mkdir -p .git/remotes; printf "URL: $PWD/r.git\\nPush: HEAD:refs/heads/x\\n" > .git/remotes/origin',
    ],
    ['branches', 'mkdir -p .git/branches; echo $PWD/r.git#x > .git/branches/origin'],
  ])('cannot be created in .git/%s by a command', async (name, command) => {
    const given = await project();
    repository(given, '.');
    await given.run(`git init -q --bare r.git; ${command}`);
    expect(existsSync(join(given.root, '.git', name, 'origin'))).toBe(false);
    expect(() => given.git('.', 'push', 'origin', 'HEAD:refs/heads/x')).toThrow();
  });
});

describe.skipIf(!hasSandbox)('a link that a command left in a git folder', () => {
  const victim = ({ home }: Project): string => join(home, 'victim');
  /** A project, and a file of the user in the home. */
  const withVictim = async (): Promise<Project> => {
    const given = await project();
    withSubmodules(given, 'lib');
    given.git('.', 'worktree', 'add', '-q', '../wt');
    writeFileSync(victim(given), 'own\n');
    return given;
  };

  test.each<readonly [string, (given: Project) => unknown]>([
    ['.git/COMMIT_EDITMSG', ({ git }) => git('.', 'commit', '-qm', 'evil', '--allow-empty')],
    ['.git/logs/HEAD', ({ git }) => git('.', 'commit', '-qm', 'evil', '--allow-empty')],
    ['.git/FETCH_HEAD', ({ git }) => git('.', 'fetch', '-q', '../lib')],
    ['.git/refs/heads/lfs/x', ({ git }) => git('.', 'update-ref', 'refs/heads/lfs/x', 'HEAD')],
    ['.git/logs/refs/heads/x-set-aside', ({ git }) => git('.', 'branch', 'x-set-aside')],
    ['.git/objects/info/commit-graph', ({ git }) => git('.', 'commit-graph', 'write', '--reachable')],
    ['.git/worktrees/wt/COMMIT_EDITMSG', ({ git }) => git('../wt', 'commit', '-qm', 'evil', '--allow-empty')],
    ['.git/modules/lib/logs/HEAD', ({ git }) => git('lib', 'commit', '-qm', 'evil', '--allow-empty')],
  ])('is set aside and reported: %s', async (link, act) => {
    const given = await withVictim();
    const { text } = await given.run(
      `mkdir -p ${dirname(link)}; ln -sfn ${victim(given)} ${link}; test -L ${link}`,
    );
    attempt(() => act(given));
    expect(readFileSync(victim(given), 'utf8')).toBe('own\n');
    expect(text).toMatch(
      new RegExp(`${link} \\((?:renamed|moved) to \\S+-set-aside\\d?: git would follow this link`),
    );
    expect((await given.run('true')).text).not.toContain('set-aside');
  });

  test('is renamed if it leads to the settings or replaces a missing folder', async () => {
    const given = await project();
    repository(given, '.');
    await given.run('mkdir -p prepared/wt; ln -s ../prepared/wt .git/worktrees; test -L .git/worktrees');
    expect(existsSync(join(given.root, '.git/worktrees'))).toBe(false);
    await given.run('rm -f .git/COMMIT_EDITMSG; ln -s config .git/COMMIT_EDITMSG');
    given.git('.', 'commit', '-qm', 'evil', '--allow-empty');
    expect(readFileSync(join(given.root, '.git/config'), 'utf8')).not.toContain('evil');
  });

  test('cannot replace a ref: the earlier content of HEAD is restored', async () => {
    const given = await withVictim();
    const head = readFileSync(join(given.root, '.git/HEAD'), 'utf8');
    const { text } = await given.run(`ln -sf ${victim(given)} .git/HEAD`);
    expect(text).toContain('its earlier content is restored');
    expect(readFileSync(join(given.root, '.git/HEAD'), 'utf8')).toBe(head);
  });

  test('is kept if it existed before and leads to the same place, or if it is a symbolic ref', async () => {
    const given = await withVictim();
    mkdirSync(join(given.root, 'kept'));
    for (const name of ['rr-cache', 'svn']) symlinkSync('../kept', join(given.root, '.git', name));
    const { text } = await given.run(
      'git -c core.preferSymlinkRefs=true checkout -qb next; rm .git/svn; ln -s ../../victim .git/svn',
    );
    expect(text).toContain('.git/svn (renamed to svn-set-aside');
    expect(text).not.toMatch(/rr-cache|HEAD/);
    expect(readlinkSync(join(given.root, '.git/rr-cache'))).toBe('../kept');
    expect(given.git('.', 'branch', '--show-current')).toBe('next\n');
  });

  test('cannot hide among more folders than are searched', async () => {
    const given = await withVictim();
    const { text } = await given.run('p=.git/logs/refs; for i in {0..110}; do p=$p/a; done; mkdir -p $p');
    expect(text).toContain('.git/logs (renamed to logs-set-aside: it has too many folders');
  });
});

describe.skipIf(!hasSandbox)('a forged symbolic ref', () => {
  const outside = 'refs/heads/../../../../victim';
  const withVictim = async (): Promise<Project> => {
    const given = await project();
    repository(given, '.');
    given.git('.', 'worktree', 'add', '-q', '../wt');
    writeFileSync(join(given.root, 'victim'), 'own\n');
    return given;
  };
  const content = ({ root }: Project, file: string): string => readFileSync(join(root, file), 'utf8');

  test.each([
    ['.git/HEAD', '.'],
    ['.git/worktrees/wt/HEAD', '../wt'],
    ['.git/refs/heads/master', '.'],
  ])('is replaced with its earlier content: %s', async (file, folder) => {
    const given = await withVictim();
    const before = content(given, file);
    const { text } = await given.run(`printf 'ref: ${outside}\\n' > ${file}`);
    given.git(folder, 'commit', '-qm', 'evil', '--allow-empty');
    expect(content(given, 'victim')).toBe('own\n');
    expect(text).toMatch(
      /-set-aside: it names something other than a branch or tag.*its earlier content is restored/,
    );
    if (file.endsWith('HEAD')) expect(content(given, file)).toBe(before);
  });

  test('is renamed if it is new or a killed session left it behind', async () => {
    const given = await withVictim();
    const { text } = await given.run(`printf 'ref: config\n' > .git/refs/heads/x`);
    expect(text).toContain('.git/refs/heads/x (moved to ');
    expect(existsSync(join(given.root, '.git/refs/heads/x'))).toBe(false);
    writeFileSync(join(given.root, '.git/ORIG_HEAD'), `ref: ${outside}\n`);
    expect((await given.run('true')).text).toContain('.git/ORIG_HEAD (renamed to ORIG_HEAD-set-aside');
  });
});
