import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { policyFor, root } from '../harness.ts';

const bin = join(root, 'node_modules/.bin');
mkdirSync(bin, { recursive: true });
writeFileSync(join(bin, 'ls'), '#!/bin/sh\n', { mode: 0o755 });
const { projectProgram } = diskLookups({ ...process.env, PATH: `${bin}:${process.env.PATH}` });

const decideWith = async (command: string, rules: readonly string[], mode: PermissionMode = 'default') => {
  const policy = { ...(await policyFor(rules, mode)), projectProgram };
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy);
};

test('a command that neither the user nor a rule approved runs in a guarded environment, even if it edits files', async () => {
  expect(await decideWith('ls; wc -l a.txt', [])).toMatchObject({ basis: 'read-only', isGuarded: true });
  for (const command of ['touch x', 'mkdir q && ls', 'wc -l a.txt > x', 'cp a.txt x'])
    expect(await decideWith(command, [], 'acceptEdits')).toMatchObject({ basis: 'mode', isGuarded: true });
});

test('a command that a rule or bypassPermissions allows runs in the user’s own environment', async () => {
  expect(await decideWith('npm test', ['allow Bash(npm test)'])).toMatchObject({ behavior: 'allow' });
  for (const decision of [
    await decideWith('npm test', ['allow Bash(npm test)']),
    await decideWith('wc -l a.txt && npm test', ['allow Bash(npm test)']),
    await decideWith('ls', [], 'bypassPermissions'),
  ])
    expect(decision.isGuarded).toBeUndefined();
});

test('a project program with the name of a system program needs approval, even next to a part that a rule allows', async () => {
  const rules = ['allow Bash(npm test)'];
  expect(await decideWith('wc -l a.txt && npm test', rules)).toMatchObject({
    behavior: 'allow',
    basis: 'rule',
  });
  expect(await decideWith('ls && npm test', rules)).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('node_modules/.bin/ls'),
    causes: [expect.objectContaining({ type: 'limit' })],
  });
});
