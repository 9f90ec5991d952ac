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

/** Creates a repository with one commit of everything in the folder. */
export function initRepository(root: string, format = 'sha1'): void {
  git(root, 'init', '-q', '-b', 'main', `--object-format=${format}`);
  git(root, 'add', '.');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'all');
}

/** Makes the index a second newer than the files, so that git trusts their timestamps; its output does not change. */
export function settleIndex(root: string): void {
  const index = resolve(root, git(root, 'rev-parse', '--git-path', 'index').trim());
  const { atimeMs, mtimeMs } = statSync(index);
  utimesSync(index, atimeMs / 1000, mtimeMs / 1000 + 1);
}

/** What a rewind must not change: index, refs, stashes, and the status of every file by content. */
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

/**
 * Uses a separate index without timestamps: within one second, git's own considers a changed file of the same size
 * clean.
 */
function freshStatus(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'clawdcode-index-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  runGit(root, ['read-tree', 'HEAD'], env);
  const status = runGit(root, ['status', '--porcelain', '-z'], env);
  rmSync(folder, { recursive: true });
  return status;
}
