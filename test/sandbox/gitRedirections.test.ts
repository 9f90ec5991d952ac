/**
 * Files that a command writes to a git folder to lead git to other places.
 * @module-tag long
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hasSandbox } from './confined.ts';
import { type Project, project, repository, withSubmodules } from './gitProject.ts';

const attempt = (act: () => unknown): void => {
  try {
    act();
  } catch {
    // Git rejected it.
  }
};
const content = ({ root }: Project, file: string): string => readFileSync(join(root, file), 'utf8');

describe.skipIf(!hasSandbox)('the git folder of a linked worktree', () => {
  /** A project with a worktree next to it, and folders of other projects. */
  const withWorktree = async (): Promise<Project> => {
    const given = await project();
    repository(given, '.');
    given.git('.', 'worktree', 'add', '-q', '../wt');
    mkdirSync(join(given.home, 'notes'));
    return given;
  };
  const link = ({ home }: Project, name: string): string => join(home, name, '.git');

  test.each<readonly [string, string, string]>([
    ['a folder that is not a worktree', 'wt', '../notes/.git'],
    ['the home directory', 'wt', '../.git'],
    ['a folder that does not exist yet', 'wt', '../later/.git'],
    ['a path that does not end in .git', 'wt', '../notes'],
    ['a folder followed by line breaks', 'wt', `../notes/.git${'\\n'.repeat(70_000)}`],
    ["another linked worktree's folder", 'new', '../wt/.git'],
  ])('cannot point to %s', async (_, name, target) => {
    const given = await withWorktree();
    const before = readFileSync(link(given, 'wt'), 'utf8');
    const at = `.git/worktrees/${name}`;
    const { text } = await given.run(
      `mkdir -p ${at}; [ -e ${at}/HEAD ] || { cp .git/HEAD ${at}; echo ../.. > ${at}/commondir; }; printf "$(realpath -m .)/${target}" > ${at}/gitdir`,
    );
    expect(text).toMatch(/gitdir \(renamed to gitdir-set-aside: git worktree repair would write/);
    mkdirSync(join(given.home, 'later'));
    attempt(() => given.git('.', 'worktree', 'repair'));
    for (const folder of ['notes', '.', 'later']) expect(existsSync(link(given, folder)), folder).toBe(false);
    expect(readFileSync(link(given, 'wt'), 'utf8')).toBe(before);
    expect((await given.run('true')).text).not.toContain('set-aside');
  });

  test('keeps a target that was known before', async () => {
    const given = await withWorktree();
    const file = '.git/worktrees/wt/gitdir';
    const before = content(given, file);
    await given.run(`echo ${given.home}/notes/.git > ${file}`);
    expect(content(given, file)).toBe(before);
  });

  test('cannot point to another common git folder', async () => {
    const given = await withWorktree();
    repository(given, 'planted');
    const { text } = await given.run(
      `${given.evil('planted/.git/config')}; w=.git/worktrees; cp -r $w/wt $w/new; echo ../../../planted/.git > $w/new/commondir`,
    );
    expect(text).toMatch(/new\/commondir \(renamed to .*git would take settings and hooks/);
    expect(content(given, '.git/worktrees/new/commondir')).toBe('../..\n');
  });

  test('is kept if git creates, moves or repairs the worktree, or a command moves it without git', async () => {
    const given = await withWorktree();
    for (const command of [
      'git worktree add -q inside -b inside; git worktree move inside moved; mv moved again',
      'git worktree repair again',
      'git worktree add -q "$TMPDIR/x" -b x; git worktree prune',
    ]) {
      const { status, text } = await given.run(command);
      expect(status, text).toBe('ok');
      expect(text, command).not.toContain('set-aside');
    }
  });
});

describe.skipIf(!hasSandbox)('a list of conflicts in MERGE_RR', () => {
  const id = 'ab'.repeat(20);
  const noted = (path: string, folder = '.git'): string =>
    `mkdir -p .git/rr-cache/${id}; : > .git/rr-cache/${id}/preimage; printf '${id}\\t${path}\\0' > ${folder}/MERGE_RR`;
  const copied = ({ root }: Project): boolean => existsSync(join(root, '.git/rr-cache', id, 'postimage'));

  test.each<readonly [string, (given: Project) => string]>([
    ['above the project', () => noted('../.netrc')],
    ['by an absolute path', ({ home }) => noted(join(home, '.netrc'))],
    ['behind a link', () => `ln -s ../.netrc plain; ${noted('plain')}`],
    ['behind a link to a folder', () => `ln -s .. up; ${noted('up/.netrc')}`],
    ['in the git folder', () => noted('.git/config')],
  ])('cannot name a file %s', async (_, command) => {
    const given = await project();
    repository(given, '.');
    const { text } = await given.run(command(given));
    attempt(() => given.git('.', 'commit', '-qm', 'x', '--allow-empty'));
    expect(copied(given)).toBe(false);
    expect(text).toMatch(/MERGE_RR \(renamed to MERGE_RR-set-aside: git commit would copy files/);
  });

  test('cannot name a file above the project in a linked worktree or a submodule', async () => {
    const given = await project();
    withSubmodules(given, 'lib');
    given.git('.', 'worktree', 'add', '-q', '../wt');
    for (const folder of ['.git/worktrees/wt', '.git/modules/lib']) {
      const { text } = await given.run(noted('../.netrc', folder));
      expect(text, folder).toContain('MERGE_RR-set-aside');
    }
  });

  test('is kept if git writes it, and renamed once a link replaces a file that it names', async () => {
    const given = await project();
    repository(given, '.');
    given.git('.', 'config', 'rerere.enabled', 'true');
    const commit = (text: string): void => {
      writeFileSync(join(given.root, 'a'), text);
      given.git('.', 'add', 'a');
      given.git('.', 'commit', '-qm', text.trim());
    };
    commit('base\n');
    given.git('.', 'checkout', '-qb', 'other');
    commit('other\n');
    given.git('.', 'checkout', '-q', '-');
    commit('own\n');
    expect(
      (await given.run('git -c user.email=a@b.c -c user.name=A merge other; cat -v .git/MERGE_RR')).text,
    ).toMatch(/\ta\^@/);
    expect(existsSync(join(given.root, '.git/MERGE_RR'))).toBe(true);
    expect((await given.run('rm a; ln -s ../.netrc a')).text).toContain('MERGE_RR-set-aside');
  });
});

describe.skipIf(!hasSandbox)('a file in a git folder that git obeys', () => {
  test('is reported if a command creates it, and read-only if it existed', async () => {
    const given = await project();
    withSubmodules(given, 'lib');
    for (const file of ['.git/info/attributes', '.git/objects/info/alternates']) {
      mkdirSync(join(given.root, '.git/info'), { recursive: true });
      const { text } = await given.run(`echo '# x' > ${file}`);
      expect(text, file).toContain(file);
      expect((await given.run(`echo y > ${file}`)).text).toMatch(/read-only file system/i);
    }
    const inside = '.git/modules/lib/info/attributes';
    expect((await given.run(`mkdir -p .git/modules/lib/info; echo '# x' > ${inside}`)).text).toContain(
      inside,
    );
  });

  test('is set aside if it is a pipe, since git would wait for it', async () => {
    const given = await project();
    repository(given, '.');
    const { text } = await given.run('mkfifo .git/refs/heads/x .git/objects/pack/pack-x.idx');
    expect(text).toMatch(/refs\/heads\/x \(moved to .*git would wait for this pipe forever/);
    expect(execFileSync('find', ['.git', '-type', 'p'], { cwd: given.root, encoding: 'utf8' })).not.toContain(
      'refs/',
    );
  });
});

describe.skipIf(!hasSandbox)('a file that a command left behind in a killed session', () => {
  /** Leaves behind what a session leaves if it is killed while a command that may change git folders runs. */
  const killed = async ({ run, home }: Project): Promise<void> => {
    const notes = join(home, '.clawdcode/sandbox/commands');
    const stop = new AbortController();
    const running = run('sleep 60', { signal: stop.signal });
    await vi.waitFor(() => expect(readdirSync(notes)).toHaveLength(1), { timeout: 30_000 });
    const [note = ''] = readdirSync(notes);
    const text = readFileSync(join(notes, note));
    stop.abort();
    await running;
    // Later changes must not count as left behind by this command.
    await vi.waitFor(() => expect(readdirSync(notes)).toEqual([]), { timeout: 30_000 });
    writeFileSync(join(notes, `${spawnSync('true').pid}-1`), text);
  };

  test('is set aside before the next command starts, while earlier files are kept', async () => {
    const given = await project();
    repository(given, '.');
    symlinkSync('../kept', join(given.root, '.git/rr-cache'));
    mkdirSync(join(given.root, 'kept'));
    await killed(given);
    for (const name of ['COMMIT_EDITMSG', 'FETCH_HEAD'])
      rmSync(join(given.root, '.git', name), { force: true });
    symlinkSync('../../.bashrc', join(given.root, '.git/COMMIT_EDITMSG'));
    symlinkSync('../../.zshrc', join(given.root, '.git/FETCH_HEAD'));
    const { text } = await given.run('test ! -L .git/COMMIT_EDITMSG && echo GONE');
    expect(text).toMatch(/GONE[\s\S]*COMMIT_EDITMSG-set-aside/);
    expect(text).toContain('FETCH_HEAD-set-aside');
    expect(text).not.toContain('rr-cache');
    symlinkSync('../../.zshrc', join(given.root, '.git/FETCH_HEAD'));
    expect((await given.run('true')).text).not.toContain('set-aside');
  });

  test('is not confused with files that the user created', async () => {
    const given = await project();
    repository(given, '.');
    await given.run('true');
    expect(readdirSync(join(given.home, '.clawdcode/sandbox/commands'))).toEqual([]);
    symlinkSync('../kept', join(given.root, '.git/rr-cache'));
    expect((await given.run('true')).text).not.toContain('set-aside');
  });
});

describe.skipIf(!hasSandbox)('a hard link in a git folder', () => {
  test('cannot be made to a file outside the project', async () => {
    const given = await project();
    repository(given, '.');
    writeFileSync(join(given.root, 'CLAUDE.md'), 'own\n');
    const { text } = await given.run(
      'for at in ~/plain.txt CLAUDE.md .git/config; do ln -f $at .git/COMMIT_EDITMSG && echo MADE; done',
    );
    expect(text).not.toContain('MADE');
  });
});
