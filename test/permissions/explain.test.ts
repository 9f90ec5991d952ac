import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { explain } from '../../src/permissions/explain.ts';
import {
  type PermissionExplanation,
  type PermissionMode,
  permissionModes,
} from '../../src/protocol/permissions.ts';
import { policyFor, root } from './harness.ts';

mkdirSync(join(root, 'packages/a'), { recursive: true });

async function why(
  command: string,
  rules: readonly string[] = [],
  mode: PermissionMode = 'default',
): Promise<PermissionExplanation> {
  const access = { type: 'command', command, cwd: root } as const;
  return explain({ tool: 'Bash', access }, await policyFor(rules, mode));
}

test('every part has its own verdict, with the rule or the table row that decided', async () => {
  const { behavior, parts } = await why('ls src && npm test && make > out', ['allow Bash(npm test)']);
  expect(behavior).toBe('ask');
  expect(parts).toMatchObject([
    { text: 'ls src', folders: [root], verdict: { behavior: 'allow', row: 'read-only commands: ls' } },
    { text: 'npm test', verdict: { behavior: 'allow', rule: { text: 'Bash(npm test)', source: 'test' } } },
    { text: 'make', verdict: { behavior: 'ask', stopped: [] } },
    { text: '> out', verdict: { behavior: 'ask' } },
  ]);
});

test('a rule that does not cover the call is listed with the option it does not cover and the table row', async () => {
  const { parts, saves } = await why('git log --output=x', ['allow Bash(git:*)']);
  expect(parts[0]?.verdict?.stopped).toEqual([
    {
      text: 'Bash(git:*)',
      source: 'test',
      reason: expect.stringContaining('--output=x'),
      row: expect.stringContaining('git --output'),
    },
  ]);
  expect(saves).toEqual(['Bash(git log --output=x)']);
});

test('words are listed with their values, or none if only the shell knows them', async () => {
  const { parts } = await why(`timeout 5 cat 'a b' "$X"`);
  expect(parts[0]?.words).toEqual([
    { source: 'timeout', value: 'timeout' },
    { source: '5', value: '5' },
    { source: 'cat', value: 'cat' },
    { source: "'a b'", value: 'a b' },
    { source: '"$X"', value: null },
  ]);
});

test('the parts have no verdicts if a rule or the mode decides about the whole command', async () => {
  const denied = await why('ls; git push', ['deny Bash(git push:*)']);
  expect(denied).toMatchObject({ behavior: 'deny', rule: { text: 'Bash(git push:*)' } });
  expect(denied.parts.map(({ text, verdict }) => [text, verdict])).toEqual([
    ['ls', undefined],
    ['git push', undefined],
  ]);
  expect((await why('make', [], 'bypassPermissions')).parts[0]?.verdict).toBeUndefined();
});

test('a command that is not understood has no parts', async () => {
  expect(await why('ls "')).toMatchObject({ behavior: 'ask', isUnderstood: false, parts: [] });
});

test('a call with several files has a verdict for each', async () => {
  const policy = await policyFor(['allow Edit(/src/**)']);
  const paths = [join(root, 'src/app.ts'), join(root, '.env')];
  expect(explain({ tool: 'Edit', access: { type: 'write', paths } }, policy)).toMatchObject({
    behavior: 'ask',
    call: paths.join(' '),
    parts: [
      { text: paths[0], verdict: { behavior: 'allow', rule: { text: 'Edit(/src/**)' } } },
      { text: paths[1], verdict: { behavior: 'ask' } },
    ],
  });
});

test('the explanation never differs from the decision', { tags: 'long' }, async () => {
  const commands = fc.constantFrom(
    'ls',
    'npm test',
    'git push',
    'cat .env',
    'ls > x',
    'ls "',
    '$X',
    'cd .. && ls',
    'touch x',
    '',
  );
  const rules = fc.subarray([
    'allow Bash(npm test)',
    'deny Bash(git push:*)',
    'ask Bash(ls:*)',
    'allow Bash',
    'deny Read(.env)',
  ]);
  await fc.assert(
    fc.asyncProperty(
      commands,
      commands,
      rules,
      fc.constantFrom(...permissionModes),
      async (a, b, texts, mode) => {
        const access = { type: 'command', command: `${a}; ${b}`, cwd: root } as const;
        const policy = await policyFor(texts, mode);
        const { behavior, reason, rule } = decide({ tool: 'Bash', access }, policy);
        const explained = explain({ tool: 'Bash', access }, policy);
        expect([explained.behavior, explained.reason, explained.rule]).toEqual([behavior, reason, rule]);
        const weight = { allow: 0, ask: 1, deny: 2 } as const;
        const verdicts = explained.parts.flatMap(({ verdict }) =>
          verdict ? [weight[verdict.behavior]] : [],
        );
        // In dontAsk, a part that needs approval denies the whole command.
        const gravest = Math.max(...verdicts);
        const expected = mode === 'dontAsk' && gravest === 1 ? 2 : gravest;
        if (verdicts.length > 0) expect(expected).toBe(weight[behavior]);
      },
    ),
    { numRuns: 150 },
  );
});

test('the reason names the part that decides', async () => {
  const access = { type: 'command', command: 'ls; npm test', cwd: root } as const;
  expect(explain({ tool: 'Bash', access }, await policyFor(['allow Bash(npm test)']))).toMatchObject({
    behavior: 'allow',
    reason: 'Rule Bash(npm test) (test).',
    rule: { text: 'Bash(npm test)' },
  });
});
