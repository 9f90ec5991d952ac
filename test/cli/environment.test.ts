import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEnvironment } from '../../src/cli/environment.ts';

let root: string;
const git = (...args: string[]): void => {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
};
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-environment-')));
  git('init', '-q', '-b', 'main');
  await writeFile(join(root, 'a.bin'), 'a');
  await writeFile(join(root, '.gitattributes'), '*.bin filter=x\n');
  git('add', '.');
  git('commit', '-q', '-m', 'the first');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const now = new Date(2026, 10, 21);

test('a repository is described by branch, changes and last commits', async () => {
  await writeFile(join(root, 'new.txt'), 'n');
  const { git: state, date } = await readEnvironment(root, now);
  expect(date).toBe('2026-11-21');
  expect(state).toMatch(/^branch main; changed: \?\? new\.txt\nLast commits:\n[0-9a-f]+ the first$/);
});

test('no program that the repository names is started to describe it', async () => {
  const proof = join(root, 'proof');
  git('config', 'filter.x.clean', `touch ${proof}; cat`);
  // Git would look into a file whose times have changed.
  await utimes(join(root, 'a.bin'), 1, 1);
  expect((await readEnvironment(root, now)).git).toContain('not asked');
  expect(existsSync(proof)).toBe(false);
  git('status', '--porcelain');
  expect(existsSync(proof)).toBe(true);
});
