/** @module-tag long */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { permissionModes } from '../../src/protocol/permissions.ts';
import { policyFor, root } from './harness.ts';

const simple = fc.constantFrom(
  'ls',
  'cat a.txt',
  'cat .env',
  'npm test',
  'npm run build',
  'rm x',
  'echo "a; b"',
  'git status',
  'FOO=1 npm test',
  'touch x',
  'curl http://x',
  'cat ../x',
  'ls > out',
);
const joint = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n');
const rule = fc.constantFrom(
  'allow Bash(npm:*)',
  'allow Bash(npm test)',
  'allow Bash(rm:*)',
  'allow Bash',
  'allow Read(.env)',
  'allow Edit',
  'ask Bash(git:*)',
  'ask Bash(ls)',
  'deny Bash(rm:*)',
  'deny Bash(npm run *)',
  'deny Read(a.txt)',
  'deny Edit(out)',
);
const wrap = fc.constantFrom<(command: string) => string>(
  (command) => command,
  (command) => `(${command})`,
  (command) => `{ ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `echo "$(${command})"`,
  (command) => `while false; do ${command}\ndone`,
  (command) => `f() { ${command}\n}`,
);
const weight = { allow: 0, ask: 1, deny: 2 } as const;
const grave = (command: string, policy: Policy): number =>
  weight[decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior];

const cases = fc.record({
  parts: fc.array(simple, { minLength: 1, maxLength: 4 }),
  joints: fc.array(joint, { minLength: 4, maxLength: 4 }),
  rules: fc.array(rule, { maxLength: 4 }),
  mode: fc.constantFrom(...permissionModes),
  wrap,
});

test('the decision about a compound command is at least as severe as that about its most severe part', {
  tags: 'long',
}, async () => {
  const policy = await policyFor();
  await fc.assert(
    fc.asyncProperty(cases, async ({ parts, joints, rules, mode, wrap }) => {
      const command = wrap(parts.map((part, index) => (index ? joints[index - 1] : '') + part).join(''));
      const own = { ...policy, mode, rules: (await policyFor(rules)).rules };
      const worst = Math.max(...parts.map((part) => grave(part, own)));
      expect(grave(command, own), command).toBeGreaterThanOrEqual(worst);
    }),
    { numRuns: 400 },
  );
});

test('another allow rule never makes a decision more severe, another ask or deny rule never less severe', {
  tags: 'long',
}, async () => {
  const policy = await policyFor();
  await fc.assert(
    fc.asyncProperty(cases, rule, async ({ parts, rules, mode }, more) => {
      const command = parts.join(' && ');
      const before = { ...policy, mode, rules: (await policyFor(rules)).rules };
      const after = { ...policy, mode, rules: (await policyFor([...rules, more])).rules };
      const [left, right] = [grave(command, before), grave(command, after)];
      if (more.startsWith('allow')) expect(right).toBeLessThanOrEqual(left);
      else expect(right).toBeGreaterThanOrEqual(left);
      // In dontAsk most denied calls are calls that would ask, and a rule can allow those.
      if (left === weight.deny && mode !== 'dontAsk') expect(right).toBe(weight.deny);
    }),
    { numRuns: 300 },
  );
});

test('a decision never throws, whatever the command', { tags: 'long' }, async () => {
  const policy = await policyFor(['deny Read(.env)', 'allow Bash(npm:*)', 'ask Bash(git:*)']);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab ;&|<>(){}$`"\'\\\n\t#~*?[]=!-/.:'), maxLength: 40 }),
      (command) => {
        expect([0, 1, 2]).toContain(grave(command, policy));
      },
    ),
    { numRuns: 800 },
  );
});
