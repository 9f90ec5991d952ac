/** The reflog repeats earlier git commands, and with them any token in a URL. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'logged');
const head = join(project, '.git/logs/HEAD');

function git(...args: readonly string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const { status, stderr } = spawnSync('git', [...own, ...args], { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

beforeAll(() => {
  mkdirSync(project, { recursive: true });
  git('init', '-q');
  writeFileSync(join(project, 'a.ts'), 'one\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
});

async function behavior(command: string): Promise<string> {
  const policy = await policyFor([], 'default', { root: project });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
}

const shows = [
  'git reflog',
  'git reflog show -3',
  'git reflog --format=%gs',
  'git log -g --oneline',
  'git log --walk-reflogs',
  'git log -1 --format="%h %gs"',
  'git stash list',
  'cd .; git reflog',
];
const others = ['git log --oneline', 'git status -sb', 'git log --grep=x --format=%h', 'git branch -v'];

test.each([...shows, ...others])('%s runs if no message contains a token', async (command) => {
  expect(await behavior(command)).toBe('allow');
});

describe('with a token in the URL of an earlier pull', () => {
  beforeAll(() => {
    const [line = ''] = readFileSync(head, 'utf8').split('\t');
    appendFileSync(
      head,
      `${line}\tpull -q http://x:s3cr3tT0k3nOfAServer@127.0.0.1/.git main: Fast-forward\n`,
    );
  });

  test.each(shows)('%s needs approval', async (command) => {
    expect(await behavior(command)).toBe('ask');
  });

  test.each(others)('%s runs', async (command) => {
    expect(await behavior(command)).toBe('allow');
  });

  test('git reflog needs approval if the token is in the reflog of a branch, or a reflog is too large to search', async () => {
    writeFileSync(head, '');
    const branch = join(project, '.git/logs/refs/heads/x');
    writeFileSync(branch, 'pull http://x:s3cr3tT0k3nOfAServer@127.0.0.1/.git\n');
    expect(await behavior('git reflog')).toBe('ask');
    writeFileSync(branch, 'x\n'.repeat(600_000));
    expect(await behavior('git reflog')).toBe('ask');
    writeFileSync(branch, 'x\n');
    expect(await behavior('git reflog')).toBe('allow');
  });
});
