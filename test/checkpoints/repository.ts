import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export function git(root: string, ...args: readonly string[]): string {
  return runGit(root, args, {});
}

function runGit(root: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  return execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A repository with everything that is there in one commit. */
export function initRepository(root: string, format = 'sha1'): void {
  git(root, 'init', '-q', '-b', 'main', `--object-format=${format}`);
  git(root, 'add', '.');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'all');
}

/** As if the index had been written a while after the files; git's own answer to what it says does not change. */
export function settleIndex(root: string): void {
  const index = resolve(root, git(root, 'rev-parse', '--git-path', 'index').trim());
  const { atimeMs, mtimeMs } = statSync(index);
  utimesSync(index, atimeMs / 1000, mtimeMs / 1000 + 1);
}

/** What going back must leave as it is: index, references, stashes; and the state of every file, by its content. */
export function gitFacts(root: string): Readonly<Record<string, string>> {
  const index = resolve(root, git(root, 'rev-parse', '--git-path', 'index').trim());
  return {
    index: readFileSync(index).toString('base64'),
    refs: git(root, 'for-each-ref'),
    head: git(root, 'rev-parse', 'HEAD'),
    stashes: git(root, 'stash', 'list'),
    status: freshStatus(root),
  };
}

/** By an index of its own without times: within a second git's own takes a changed file of the same size for clean. */
function freshStatus(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'clawdcode-index-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  runGit(root, ['read-tree', 'HEAD'], env);
  const status = runGit(root, ['status', '--porcelain', '-z'], env);
  rmSync(folder, { recursive: true });
  return status;
}
