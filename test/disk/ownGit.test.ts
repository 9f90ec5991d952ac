/** Our own git: real processes, some of them a script that is found as `git`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type OwnGit, runGit, runGitNow, startGit, stopGit } from '../../src/disk/ownGit.ts';
import { isAlive } from '../e2e/support/processes.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

const limits = { timeoutMs: 60_000, maxBytes: 1_000_000 };
const installed: OwnGit = { env: process.env, workspace: [] };

/** This script in place of git, and a folder where it may leave something. */
function scripted(script: string): { readonly git: OwnGit; readonly cwd: string } {
  const [programs, cwd] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(programs, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { git: { env: { PATH: `${programs}:${process.env.PATH}` }, workspace: [cwd] }, cwd };
}

test('passes input to git and returns its output and exit code', async () => {
  const cwd = temporaryFolder();
  const args = ['hash-object', '--stdin'];
  expect(await runGit(installed, { cwd, args, input: 'a\n', ...limits })).toMatchObject({
    code: 0,
    stdout: Buffer.from('78981922613b2afb6025042ff6bd878ac1994e85\n'),
  });
  const { code, problem } = await runGit(installed, { cwd, args: ['rev-parse', 'HEAD'], ...limits });
  expect(code).toBe(128);
  expect(problem).toContain('not a git repository');
});

test('reports that git is not installed', async () => {
  const [cwd, empty] = [temporaryFolder(), temporaryFolder()];
  const git = { env: { PATH: empty }, workspace: [cwd] };
  for (const run of [runGit, runGitNow])
    expect(await run(git, { cwd, args: ['status'], ...limits })).toMatchObject({
      ...{ code: null, problem: 'git is not installed.' },
    });
});

test('the synchronous run has the same input, output, limits and problems', () => {
  const cwd = temporaryFolder();
  const hash = { cwd, args: ['hash-object', '--stdin'], input: 'a\n', ...limits };
  expect(runGitNow(installed, hash).stdout.toString()).toBe('78981922613b2afb6025042ff6bd878ac1994e85\n');
  // It does not read the input.
  expect(runGitNow(installed, { ...hash, args: ['rev-parse', 'HEAD'] })).toMatchObject({
    ...{ code: 128, problem: expect.stringContaining('not a git repository') },
  });
  expect(runGitNow(installed, { ...hash, maxBytes: 10 })).toMatchObject({
    ...{ code: null, problem: 'Git printed too much.' },
  });
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  expect(
    runGitNow(installed, { ...hash, args: ['hash-object', join(cwd, 'pipe')], timeoutMs: 500 }),
  ).toMatchObject({ code: null, problem: 'Git did not finish within 0.5 seconds and was stopped.' });
});

test('does not start git if a file would block it, and names that file', async () => {
  const { git, cwd } = scripted('touch started');
  mkdirSync(join(cwd, '.git/objects'), { recursive: true });
  execFileSync('mkfifo', [join(cwd, '.git/config')]);
  const elsewhere = temporaryFolder();
  for (const run of [runGit, runGitNow])
    for (const where of [{ cwd }, { cwd: elsewhere, from: cwd }]) {
      const { code, problem } = await run(git, { ...where, args: ['status'], ...limits });
      expect(code).toBeNull();
      expect(problem).toContain(`Git would read ${join(cwd, '.git/config')}, which is a pipe`);
    }
  expect(startGit(git, { cwd, args: [] })).toContain('which is a pipe');
  for (const folder of [cwd, elsewhere]) expect(existsSync(join(folder, 'started'))).toBe(false);
});

/** Hangs with a child that ignores every signal that can be ignored, and keeps the output open. */
const HANGS = `(trap '' TERM INT HUP; echo $$ > pid; exec sleep 1000) & while [ ! -s pid ]; do :; done
echo "$!" > pid; mv pid child; wait`;

test.each([
  ['its signal aborts', 60_000, 'Git was stopped.'],
  ['it takes too long', 4000, 'Git did not finish within 4 seconds'],
])('when %s, git ends with everything that it has started', async (_, timeoutMs, problem) => {
  const { git, cwd } = scripted(HANGS);
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = runGit(git, { cwd, args: [], timeoutMs, maxBytes: 100 }, signal);
  await vi.waitUntil(() => existsSync(join(cwd, 'child')), 60_000);
  const child = Number(readFileSync(join(cwd, 'child'), 'utf8'));
  expect(isAlive(child)).toBe(true);
  if (timeoutMs === 60_000) stopping.abort();
  const end = await running;
  expect(end.code).toBeNull();
  expect(end.problem).toContain(problem);
  await vi.waitUntil(() => !isAlive(child), 60_000);
});

test('stops git that prints without end, and does not start one whose signal is already aborted', async () => {
  const { git, cwd } = scripted('touch started; exec yes');
  const call = { cwd, args: [], timeoutMs: 60_000, maxBytes: 1000 };
  expect(await runGit(git, call, AbortSignal.abort())).toMatchObject({
    ...{ code: null, problem: 'Git was stopped.' },
  });
  expect(existsSync(join(cwd, 'started'))).toBe(false);
  expect(await runGit(git, call)).toMatchObject({ code: null, problem: 'Git printed too much.' });
});

test.skipIf(process.platform !== 'linux')('git ends with the process that started it', async () => {
  const root = temporaryFolder();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const git = startGit(installed, { cwd: root, args: ['hash-object', join(root, 'pipe')] });
  if (typeof git === 'string') throw new Error(git);
  await stopGit(git);
  expect(git.signalCode).toBe('SIGTERM');
  // The same, started by a process that is killed.
  const [program, ...args] = git.spawnargs;
  const script = `const { spawn } = require('node:child_process');
const child = spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: 'ignore' });
child.on('spawn', () => console.log(child.pid));`;
  const parent = spawn(process.execPath, ['-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(chunk.toString());
  // A parent that is killed before git starts is not noticed.
  while (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'git\n') await delay(20);
  parent.kill('SIGKILL');
  while (isAlive(pid)) await delay(20);
});
