/** Where the commands of a line run: a `cd` that may fail leaves the shell where it was. */
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
