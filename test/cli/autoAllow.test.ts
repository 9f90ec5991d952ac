import { expect, test, vi } from 'vitest';
import { createAutoAllow } from '../../src/cli/autoAllow.ts';
import type { PermissionDecision } from '../../src/protocol/permissions.ts';
import type { SandboxState } from '../../src/protocol/sandbox.ts';

const command = { type: 'command', command: 'npm test', cwd: '/p' } as const;
const asks: PermissionDecision = { behavior: 'ask', reason: 'No rule.' };
const on: SandboxState = { type: 'on', mode: 'workspace-write' };

function given(decision: PermissionDecision, state: SandboxState = on, excluded: readonly string[] = []) {
  return {
    permissions: {
      decide: async () => decision,
      matches: async (patterns: readonly string[]) => patterns.length > 0,
    },
    sandbox: { state: vi.fn(async () => state) },
    excluded,
  };
}

test('a command that would ask runs once the user wants it so, and says why', async () => {
  const auto = createAutoAllow({ ...given(asks), isOn: false });
  expect(await auto.decide('Bash', command, 'default')).toEqual({ ...asks, canAutoAllow: true });
  auto.enable();
  expect(await auto.decide('Bash', command, 'default')).toMatchObject({
    behavior: 'allow',
    basis: 'sandbox',
  });
});

test.each<[string, PermissionDecision, SandboxState, string[]]>([
  ['a rule that asks', { ...asks, rule: { text: 'Bash(npm:*)', source: 'f' } }, on, []],
  ['a secret', { ...asks, causes: [{ type: 'limit', reason: 'r', isSecret: true }] }, on, []],
  ['what is denied', { behavior: 'deny', reason: 'Rule.' }, on, []],
  ['a machine without a sandbox', asks, { type: 'unavailable', reason: 'r', fix: 'f' }, []],
  ['a sandbox that is switched off', asks, { type: 'off', reason: 'r' }, []],
  ['a command that runs outside', asks, on, ['npm *']],
])('it changes nothing about %s', async (_, decision, state, excluded) => {
  const auto = createAutoAllow({ ...given(decision, state, excluded), isOn: true });
  expect(await auto.decide('Bash', command, 'default')).toEqual(decision);
});

test('it does not speak of files', async () => {
  const parts = given(asks);
  const auto = createAutoAllow({ ...parts, isOn: true });
  expect(await auto.decide('Edit', { type: 'write', paths: ['/p/a'] }, 'default')).toEqual(asks);
  expect(parts.sandbox.state).not.toHaveBeenCalled();
});
