/** Variables that hooks set for commands, in real processes. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookEvent } from '../../src/protocol/extensions/hooks.ts';
import { bench, command } from './bench.ts';

const never = new AbortController().signal;
const call = (event: HookEvent) => ({ event, input: { hook_event_name: event } });

test('a start hook sets variables, and its next run replaces them', async () => {
  const { runner, root } = await bench({
    SessionStart: command(
      'echo "export A=1 B=\'two words\'" >> "$CLAUDE_ENV_FILE"; echo "C=3" >> "$CLAUDE_ENV_FILE"',
    ),
    CwdChanged: command('[ -e stop ] || echo "export A=2 PATH=$PATH:/more" >> "$CLAUDE_ENV_FILE"'),
  });
  expect(runner.variables()).toEqual({});
  await runner.run(call('SessionStart'), never);
  expect(runner.variables()).toEqual({ A: '1', B: 'two words', C: '3' });
  await runner.run(call('CwdChanged'), never);
  expect(runner.variables()).toEqual({
    ...{ A: '2', B: 'two words', C: '3' },
    PATH: expect.stringMatching(/:\/more$/),
  });
  await bench({}, { root });
  expect(await readdir(join(root, 'variables'))).toEqual([]);
  expect((await stat(join(root, 'variables'))).mode & 0o777).toBe(0o700);
});

test('only variables are read from the file, and none that commands must not have', async () => {
  const { runner } = await bench({
    SessionStart: command(
      'echo "CLAUDE_X=1; CLAWDCODE_X=1; SHLVL=9; GOOD=yes; secret() { :; }" >> "$CLAUDE_ENV_FILE"',
    ),
    PreToolUse: command('echo "<$CLAUDE_ENV_FILE>" >&2; exit 2'),
  });
  await runner.run(call('SessionStart'), never);
  expect(runner.variables()).toEqual({ GOOD: 'yes' });
  const { permission } = await runner.run(call('PreToolUse'), never);
  expect(permission?.reason).toBe('<>');
});

test('a subagent’s hooks set no variables for the session', async () => {
  const { runner } = await bench({ CwdChanged: command('echo A=1 >> "$CLAUDE_ENV_FILE"') });
  const { input, event } = call('CwdChanged');
  await runner.run({ event, input: { ...input, agent_id: 'a1' } }, never);
  expect(runner.variables()).toEqual({});
  await runner.run({ event, input }, never);
  expect(runner.variables()).toEqual({ A: '1' });
});

test('a file that is not a script sets nothing, and stops nothing', async () => {
  const { runner } = await bench({
    SessionStart: command('echo "A=1; not a | valid ( file" >> "$CLAUDE_ENV_FILE"'),
  });
  expect((await runner.run(call('SessionStart'), never)).runs).toMatchObject([{ outcome: 'ok' }]);
  expect(runner.variables()).toEqual({});
});
