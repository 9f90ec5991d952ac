import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { AppPathsError, findRoot, readAppPaths } from '../../../src/cli/process/appPaths.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('the data folder is never in the project', () => {
  test.each(['', '.', '~', 'home/u'])('with HOME=%s', (home) => {
    vi.stubEnv('HOME', home);
    vi.stubEnv('CLAWDCODE_HOME', '');
    const own = userInfo().homedir;
    expect(readAppPaths()).toMatchObject({ home: own, systemHome: own, dataRoot: join(own, '.clawdcode') });
  });

  test.each(['.', '.clawdcode', '~/data'])('with CLAWDCODE_HOME=%s', (folder) => {
    vi.stubEnv('CLAWDCODE_HOME', folder);
    expect(readAppPaths).toThrow(AppPathsError);
  });
});

test.runIf(process.platform === 'linux').each(['', '/proc/self/data'])(
  'the data folder is never in /proc, where creating it would never end: CLAWDCODE_HOME=%s',
  (folder) => {
    vi.stubEnv('HOME', '/proc');
    vi.stubEnv('CLAWDCODE_HOME', folder);
    expect(readAppPaths).toThrow(/No files can be created in \/proc\//);
  },
);

const top = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-workspace-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

mkdirSync(join(top, 'repo/.git'), { recursive: true });
mkdirSync(join(top, 'repo/a/b'), { recursive: true });
mkdirSync(join(top, 'repo/inner/.git'), { recursive: true });
mkdirSync(join(top, 'repo/worktree/deep'), { recursive: true });
writeFileSync(join(top, 'repo/worktree/.git'), 'gitdir: ../.git/worktrees/worktree\n');
mkdirSync(join(top, 'plain/sub'), { recursive: true });
symlinkSync(join(top, 'repo/a'), join(top, 'link'));

test.each([
  ['the root itself', 'repo', 'repo'],
  ['a folder inside it', 'repo/a/b', 'repo'],
  ['a repository in a repository', 'repo/inner', 'repo/inner'],
  ['a worktree, whose .git is a file', 'repo/worktree/deep', 'repo/worktree'],
  ['a link into it', 'link/b', 'repo'],
  ['a folder outside any repository: the working directory', 'plain/sub', 'plain/sub'],
])('the root, from %s', (_, from, root) => {
  expect(findRoot(join(top, from))).toBe(join(top, root));
});

test('another user’s repository in a world-writable folder is ignored', () => {
  const open = join(top, 'open');
  mkdirSync(join(open, '.git'), { recursive: true });
  mkdirSync(join(open, 'mine/.git'), { recursive: true });
  mkdirSync(join(open, 'other'));
  const me = process.getuid?.();
  if (me === undefined) return;
  // Files owned by root were not planted by another user.
  const other = me === 0 ? 54_321 : me;
  const uid = me === 0 ? me : me + 1;
  if (me === 0) chownSync(join(open, '.git'), other, other);
  expect(findRoot(join(open, 'other'), uid)).toBe(open);
  chmodSync(open, 0o1777);
  expect(findRoot(join(open, 'other'), uid)).toBe(join(open, 'other'));
  expect(findRoot(join(open, 'other'), other)).toBe(open);
});
