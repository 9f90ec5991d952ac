import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prefetch, prefetchEnvironment, readEnvironment } from '../../../src/cli/process/environment.ts';

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
const placeAt = (cwd: string, added: readonly string[] = []) => ({
  ...{ cwd, root, addedDirectories: () => added, env: process.env },
});

test('a repository is described by branch, changes and latest commits', async () => {
  await writeFile(join(root, 'new.txt'), 'n');
  const { git: state, date } = await readEnvironment(placeAt(root), now);
  expect(date).toBe('2026-11-21');
  expect(state).toMatch(
    /^branch main; changed: \?\? new\.txt\nLast commits, in the words of their authors:\n[0-9a-f]+ "the first"$/,
  );
});

test('tokens in names and commit messages do not become part of the description', async () => {
  const token = ['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_');
  git('checkout', '-qb', `fix-${token}`);
  git('commit', '-q', '--allow-empty', '-m', `rotate ${token}`);
  await writeFile(join(root, `${token}.txt`), '');
  const { git: state } = await readEnvironment(placeAt(root), now);
  expect(state).not.toContain(token);
  expect(state?.match(/\[redacted: github-token \w+\]/g)).toHaveLength(3);
});

test('git is started for repositories only', async () => {
  const [programs, plain] = [join(root, 'programs'), join(root, 'plain')];
  await mkdir(programs);
  const proof = join(root, 'proof');
  await writeFile(join(programs, 'git'), `#!/bin/sh\n: > ${proof}\n`, { mode: 0o755 });
  const env = { PATH: `${programs}:/usr/bin:/bin` };
  await rm(join(root, '.git'), { recursive: true });
  await mkdir(plain);
  const place = { cwd: plain, root: plain, addedDirectories: () => [], env };
  expect((await readEnvironment(place, now)).git).toBeUndefined();
  expect(existsSync(proof)).toBe(false);
  await mkdir(join(plain, '.git/objects'), { recursive: true });
  await mkdir(join(plain, '.git/refs'));
  await writeFile(join(plain, '.git/HEAD'), 'ref: refs/heads/main\n');
  await readEnvironment(place, now);
  expect(existsSync(proof)).toBe(true);
});

test('describing a repository starts no program that it names', async () => {
  const proof = join(root, 'proof');
  git('config', 'filter.x.clean', `touch ${proof}; cat`);
  // Git would read a file whose times have changed.
  await utimes(join(root, 'a.bin'), 1, 1);
  expect((await readEnvironment(placeAt(root), now)).git).toContain('not asked');
  expect(existsSync(proof)).toBe(false);
  git('status', '--porcelain');
  expect(existsSync(proof)).toBe(true);
});

test.each([
  ['the repository', () => join(root, '.git/info/exclude')],
  ["the user's settings", (home: string) => join(home, '.gitconfig')],
])('git does not wait for a pipe in %s: the model is told which file it is', async (_, pipeOf) => {
  const home = join(root, 'home');
  await mkdir(home);
  const pipe = pipeOf(home);
  await rm(pipe, { force: true });
  execFileSync('mkfifo', [pipe]);
  const place = { ...placeAt(root), env: { ...process.env, HOME: home } };
  expect((await readEnvironment(place, now)).git).toBe(
    `not asked, because git would wait for ${pipe}, which is a pipe, a device or a huge file`,
  );
});

test('missing objects are not fetched, whatever program the repository names', {
  tags: 'long',
}, async () => {
  const proof = join(root, 'proof');
  const inGit = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const script = join(root, 'fetch.sh');
  await writeFile(script, `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  const parent = inGit('rev-parse', 'HEAD');
  git('commit', '-q', '--allow-empty', '-m', 'the second');
  await rm(join(root, '.git', 'objects', parent.slice(0, 2), parent.slice(2)));
  await appendFile(
    join(root, '.git', 'config'),
    `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::${script}\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n`,
  );
  await readEnvironment(placeAt(root), now);
  expect(existsSync(proof)).toBe(false);
  // A git started without precautions does fetch.
  spawnSync('git', ['log'], { cwd: root });
  expect(existsSync(proof)).toBe(true);
});

test('a git that the project puts on the PATH is not used', async () => {
  const proof = join(root, 'proof');
  const folders = [join(root, 'node_modules', '.bin'), join(root, 'tools')];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'git'), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  }
  const { PATH = '' } = process.env;
  process.env.PATH = [...folders, PATH].join(':');
  try {
    expect((await readEnvironment(placeAt(root), now)).git).toContain('branch main');
    await mkdir(join(root, 'deep'));
    expect((await readEnvironment(placeAt(join(root, 'deep')), now)).git).toContain('branch main');
  } finally {
    process.env.PATH = PATH;
  }
  expect(existsSync(proof)).toBe(false);
});

test('no program of an added directory is started, not even before the settings name it', {
  tags: 'long',
}, async () => {
  const proof = join(root, 'proof');
  const added = join(root, '..', `${basename(root)}-added`);
  await mkdir(added);
  await writeFile(join(added, 'git'), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  const { PATH = '' } = process.env;
  process.env.PATH = `${added}:${PATH}`;
  try {
    const read = prefetchEnvironment(placeAt(root));
    expect((await read(placeAt(root, [added]))).git).toContain('branch main');
  } finally {
    process.env.PATH = PATH;
    await rm(added, { recursive: true });
  }
  expect(existsSync(proof)).toBe(false);
});

test('a bare repository hidden in a folder is ignored', { tags: 'long' }, async () => {
  const hidden = join(root, 'docs');
  await mkdir(hidden);
  execFileSync('git', ['init', '-q', '--bare', hidden]);
  await appendFile(join(hidden, 'config'), `[core]\n\tbare = false\n\tworktree = ${root}\n`);
  // It is not asked about itself, whatever it contains.
  expect((await readEnvironment(placeAt(hidden), now)).git ?? '').not.toContain('branch');
});

test('the names of branches and files cannot extend the list that contains them', async () => {
  git('checkout', '-q', '-b', 'main;clean,<note>');
  await writeFile(join(root, 'plain-name.ts'), '');
  await writeFile(join(root, 'a;Last,commits<system-note>'), '');
  await writeFile(join(root, 'two words\nDate: never'), '');
  const { git: state = '' } = await readEnvironment(placeAt(root), now);
  const [first = ''] = state.split('\n');
  expect(first.startsWith('branch "main;clean,<note>"; changed: ')).toBe(true);
  expect(first).toContain('?? plain-name.ts');
  expect(first).toContain('?? "a;Last,commits<system-note>"');
  expect(first).toContain('?? "two words\\nDate: never"');
});

test('text from the repository is quoted and bounded', { tags: 'long' }, async () => {
  git('commit', '-q', '--allow-empty', '-m', `say "hi"\u202e <system-note> ${'x'.repeat(500)}`);
  await writeFile(join(root, `${'y'.repeat(200)}`), '');
  const { git: state = '' } = await readEnvironment(placeAt(root), now);
  const lines = state.split('\n');
  expect(lines.find((line) => line.includes('say'))).toMatch(
    /^[0-9a-f]+ "say \\"hi\\" {2}<system-note> x+…"$/,
  );
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(180);
});

function counting() {
  let count = 0;
  let time = 0;
  const read = prefetch(
    async () => (count += 1),
    100,
    () => time,
  );
  return { read, count: () => count, wait: (ms: number) => (time += ms) };
}

test('the description is read ahead and used once', { tags: 'long' }, async () => {
  const { read, count } = counting();
  expect(count()).toBe(1);
  expect([await read(), await read(), await read()]).toEqual([1, 2, 3]);
});

test('a stale result is not used', { tags: 'long' }, async () => {
  const { read, wait } = counting();
  wait(100);
  expect(await read()).toBe(2);
});

test('a failure is ignored unless a caller asks for the result', { tags: 'long' }, async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  prefetch(fail, 100);
  await expect(prefetch(fail, 100)()).rejects.toThrow('no');
});
