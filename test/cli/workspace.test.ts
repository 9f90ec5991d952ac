import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findRoot, realpath } from '../../src/cli/workspace.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-workspace-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

mkdirSync(join(top, 'repo/.git'), { recursive: true });
mkdirSync(join(top, 'repo/a/b'), { recursive: true });
mkdirSync(join(top, 'repo/inner/.git'), { recursive: true });
mkdirSync(join(top, 'repo/worktree/deep'), { recursive: true });
writeFileSync(join(top, 'repo/worktree/.git'), 'gitdir: ../.git/worktrees/worktree\n');
mkdirSync(join(top, 'plain/sub'), { recursive: true });
symlinkSync(join(top, 'repo/a'), join(top, 'link'));
symlinkSync('../missing/place', join(top, 'repo/dangling'));
symlinkSync('dangling', join(top, 'repo/chain'));
symlinkSync('round', join(top, 'repo/round'));

test.each([
  ['the root itself', 'repo', 'repo'],
  ['a folder below', 'repo/a/b', 'repo'],
  ['a repository in a repository', 'repo/inner', 'repo/inner'],
  ['a worktree, whose .git is a file', 'repo/worktree/deep', 'repo/worktree'],
  ['a link into it', 'link/b', 'repo'],
  ['no repository: where it was started', 'plain/sub', 'plain/sub'],
])('the root, from %s', (_, from, root) => {
  expect(findRoot(join(top, from))).toBe(join(top, root));
});

test.each([
  ['a path without links', 'repo/a', 'repo/a'],
  ['a link', 'link', 'repo/a'],
  ['below a link', 'link/b', 'repo/a/b'],
  ['a file that is not there yet, below a link', 'link/new/file.ts', 'repo/a/new/file.ts'],
  ['dots behind a link', 'link/new/../other', 'repo/a/other'],
  ['a link to what is not there', 'repo/dangling', 'missing/place'],
  ['a link to such a link', 'repo/chain', 'missing/place'],
  ['below a link to what is not there', 'repo/chain/new/file.ts', 'missing/place/new/file.ts'],
  ['a link to itself', 'repo/round', 'repo/round'],
])('the real path of %s', (_, path, real) => {
  expect(realpath(join(top, path))).toBe(join(top, real));
});

test('a path of which nothing is there ends at the root', () => {
  expect(realpath('/no-such-folder-here/x')).toBe('/no-such-folder-here/x');
  expect(realpath('/')).toBe('/');
});
