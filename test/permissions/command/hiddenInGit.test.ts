/**
 * Git commands that are not understood, and that would show secrets in the history if they ran sandboxed unasked.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { policyFor, rule, top } from '../harness.ts';

/** Its history has a deleted secret. */
const project = join(top, 'home', 'past');
const clean = join(top, 'home', 'clean');

function git(cwd: string, ...args: readonly string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const { status, stderr } = spawnSync('git', [...own, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

beforeAll(() => {
  for (const place of [project, clean]) {
    mkdirSync(place, { recursive: true });
    git(place, 'init', '-q');
    writeFileSync(join(place, 'a.ts'), 'one\n');
    if (place === project) writeFileSync(join(place, '.env'), 'KEY=one\n');
    git(place, 'add', '-A');
    git(place, 'commit', '-qm', 'one');
    rmSync(join(place, '.env'), { force: true });
    writeFileSync(join(place, 'a.ts'), 'two\n');
    git(place, 'commit', '-qam', 'two');
    git(place, 'config', 'alias.lg', 'log -p');
    git(place, 'config', 'alias.st', 'status -s --show-stash');
  }
});

/** Whether the command is marked as showing a secret; undefined if it runs without approval. */
async function isMarked(
  cwd: string,
  command: string,
  rules: readonly string[] = [],
): Promise<boolean | undefined> {
  const own = rules.map((text) => ({ ...rule(text), base: cwd }));
  const policy = await policyFor([], 'default', { root: cwd, rules: own });
  const access = { type: 'command', command, cwd } as const;
  const { behavior, causes = [] } = decide({ tool: 'Bash', access }, policy);
  if (behavior === 'allow') return undefined;
  return causes.some((cause) => 'isSecret' in cause && cause.isSecret === true);
}

const shows = [
  'git archive HEAD',
  'git format-patch --stdout -1',
  'git fast-export HEAD',
  'git whatchanged --unknown -p',
  'git -p log -p',
  'git -c a.b=c log -p',
  '/usr/bin/git log -p',
  '/usr/lib/git-core/git-log -p',
  'git lg',
  'git cat-file --batch --batch-all-objects',
  'git difftool -y -x cat HEAD~1',
  'git show $(git rev-list --all)',
  'git $x',
  'git log $(echo -p)',
  'git rev-list --all | xargs -n1 git show',
  'find . -name HEAD -exec git show {} +',
  'for x in $(git rev-list --all); do git show $x; done',
  "bash <<< 'git log -p'",
  "bash -s <<'E'\ngit log -p\nE",
  `python3 -c "import subprocess; subprocess.run(['git', 'log', '-p'])"`,
  'git submodule foreach git show',
  'git commit -v --dry-run -m x',
  'git --git-dir=.git log -p',
  'jj show',
];

test.each(shows)('%s may show a secret', async (command) => {
  expect(await isMarked(project, command)).toBe(true);
});

test.each(shows.filter((command) => !command.includes('--git-dir')))(
  '%s shows no secret if the history has none',
  async (command) => {
    expect(await isMarked(clean, command)).not.toBe(true);
  },
);

test.each([
  'git push',
  'git fetch',
  'git checkout -b x',
  'git -c a.b=c status',
  'git -c a.b=c commit -m "git show x"',
  '/usr/bin/git commit -m x',
  'git st',
  'git bisect good',
  'git ls-files | xargs git add',
  'npm test',
  'npm install git',
  'node "$x"',
  'make release',
  'echo "git log -p"',
])('%s shows no secret', async (command) => {
  expect(await isMarked(project, command)).not.toBe(true);
});

test('the rule Bash covers only git commands that show no secret', async () => {
  expect(await isMarked(project, 'git -c a.b=c log -p', ['allow Bash'])).toBe(true);
  expect(await isMarked(clean, 'git -c a.b=c log -p', ['allow Bash'])).toBeUndefined();
  expect(await isMarked(project, 'git push', ['allow Bash'])).toBeUndefined();
});
