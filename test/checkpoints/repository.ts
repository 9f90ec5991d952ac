import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { resolve } from 'node:path';

export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
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

/** What going back must leave as it is: index, references, stashes. */
export function gitFacts(root: string): Readonly<Record<string, string>> {
  const index = resolve(root, git(root, 'rev-parse', '--git-path', 'index').trim());
  return {
    index: readFileSync(index).toString('base64'),
    refs: git(root, 'for-each-ref'),
    head: git(root, 'rev-parse', 'HEAD'),
    stashes: git(root, 'stash', 'list'),
    status: git(root, '--no-optional-locks', 'status', '--porcelain'),
  };
}
