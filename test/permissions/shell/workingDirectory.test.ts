/** Where the commands of a line run: a `cd` that may fail leaves the shell where it was. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { track } from '../../../src/permissions/shell/workingDirectory.ts';
import { policyFor, top } from '../harness.ts';

const home = join(top, 'home');
const project = join(home, 'moving');

beforeAll(() => {
  for (const name of ['sub/inner', 'secrets']) mkdirSync(join(project, name), { recursive: true });
  for (const name of ['file', 'secrets/key']) writeFileSync(join(project, name), '');
  execFileSync('git', ['init', '-q', project]);
});

test.each<[string, readonly string[]]>([
  ['cd sub; pwd', ['sub']],
  ['cd sub/../sub/inner; pwd', ['sub/inner']],
  ['cd sub/./inner/..; pwd', ['sub']],
  ['cd none; pwd', ['.', 'none']],
  ['cd file/..; pwd', ['.']],
  ['cd file/../sub; pwd', ['.', 'sub']],
  ['cd sub/none/../inner; pwd', ['.', 'sub/inner']],
  ['cd ~; pwd', ['..']],
  ['cd "~"; pwd', ['.', '~']],
  ["cd '~'/x; pwd", ['.', '~/x']],
  ['cd \\~; pwd', ['.', '~']],
  ['cd; pwd', ['..']],
  // Outside a repository git prints nothing, and the shell stays.
  ['cd sub && cd "$(git rev-parse --show-toplevel)" && pwd', ['sub', '.']],
  ['cd sub/inner; cd $(git rev-parse --show-toplevel); pwd', ['sub/inner', '.']],
])('the folders in which the last command of %j may run', async (command, folders) => {
  const policy = await policyFor([], 'default', { root: project, home });
  const parsed = policy.parseCommand(command);
  if (!parsed.ok) throw new Error('not understood');
  expect(track(parsed.parts, project, policy).at(-1)?.directories).toEqual(
    folders.map((folder) => join(project, folder)),
  );
});

test.each(['cat < <(cat key)', 'cat < "$(cat key)"', 'cat < <(cat key) | wc -l', 'cat > "$(cat key)"'])(
  'a command in a redirection after a cd counts as running in the new folder: %s',
  async (command) => {
    const rules = ['allow Bash', 'deny Read(./secrets/**)'];
    const policy = await policyFor(rules, 'default', { root: project, home });
    const access = { type: 'command', command: `cd secrets && ${command}`, cwd: project } as const;
    expect(decide({ tool: 'Bash', access }, policy).behavior).not.toBe('allow');
  },
);

test.each([
  'cd "$(git rev-parse --show-toplevel)/sub"; pwd',
  'cd "$(git rev-parse --show-toplevel)" x; pwd',
  'cd -- "$(git rev-parse --show-toplevel)"; pwd',
  'cd "$(git rev-parse --show-cdup)"; pwd',
  'cd "$(git -C sub rev-parse --show-toplevel)"; pwd',
  'cd "$(git rev-parse --show-toplevel; id)"; pwd',
  'cd \'$(git rev-parse --show-toplevel)\'x"$(git rev-parse --show-toplevel)"; pwd',
  'pushd "$(git rev-parse --show-toplevel)"; pwd',
  'for i in 1 2; do cd "$(git rev-parse --show-toplevel)"; done; pwd',
  'GIT_WORK_TREE=/ cd "$(git rev-parse --show-toplevel)"; pwd',
])('the folder is unknown after %s', async (command) => {
  const policy = await policyFor([], 'default', { root: project, home });
  const parsed = policy.parseCommand(command);
  if (!parsed.ok) throw new Error('not understood');
  expect(track(parsed.parts, project, policy).at(-1)?.directories).toBeNull();
});

test.each([
  ['cd "$(git rev-parse --show-toplevel)" && ls', [], 'allow'],
  ['cd sub && cd "$(git rev-parse --show-toplevel)" && cat file', [], 'allow'],
  ['cd "$(git rev-parse --show-toplevel)" && cat secrets/key', ['deny Read(~/moving/secrets/**)'], 'ask'],
  [
    'cd sub && cd "$(git rev-parse --show-toplevel)" && cat secrets/key',
    ['deny Read(~/moving/secrets/**)'],
    'ask',
  ],
  // An approved part runs with the variables of the user.
  ['cd "$(git rev-parse --show-toplevel)" && make && ls', ['allow Bash(make)'], 'ask'],
  ['cd "$(git rev-parse --show-toplevel)" && touch x', [], 'ask'],
])('%s with %j: %s', async (command, rules, behavior) => {
  const policy = await policyFor(rules, 'default', { root: project, home });
  const decided = decide(
    { tool: 'Bash', access: { type: 'command', command, cwd: project } },
    policy,
  ).behavior;
  expect(decided === 'deny' ? 'ask' : decided).toBe(behavior);
});

test('the top of a repository whose settings move it elsewhere is unknown', async () => {
  const place = join(home, 'moved-top');
  mkdirSync(join(place, 'sub'), { recursive: true });
  execFileSync('git', ['init', '-q', place]);
  execFileSync('git', ['-C', place, 'config', 'core.worktree', join(place, 'sub')]);
  const policy = await policyFor([], 'default', { root: place, home });
  const command = 'cd "$(git rev-parse --show-toplevel)" && ls';
  expect(decide({ tool: 'Bash', access: { type: 'command', command, cwd: place } }, policy).behavior).toBe(
    'ask',
  );
});
