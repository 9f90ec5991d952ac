/** Output is redacted unless the user or a rule approved every part of the command that shows files. */
import { expect, test } from 'vitest';
import { bash } from '../harness.ts';

test.each([
  ['npm --version && git log -p', 'Bash(npm --version)'],
  ['npm test; cat a.txt', 'Bash(npm test)'],
  ['npm test && grep -rn x src', 'Bash(npm test)'],
  ['npm test < a.txt', 'Bash(npm test)'],
  ['npm test | cat - a.txt', 'Bash(npm test)'],
])('%s with the rule %s', async (command, rule) => {
  expect(await bash(command, [`allow ${rule}`])).toMatchObject({
    behavior: 'allow',
    basis: 'rule',
    showsUnapproved: true,
  });
});

test.each([
  ['grep -rn x src', true],
  ['ls; rg x src', true],
  ['find src -exec cat {} +', true],
  ['cat a.txt', undefined],
  ['cat a.txt | grep x', undefined],
  ['find src -type f', undefined],
])('%s searches folders: %s', async (command, searches) => {
  expect((await bash(command)).searches).toBe(searches);
});

test.each([
  ['npm test', 'Bash(npm test)'],
  ['cd . && npm test', 'Bash(npm test)'],
  ['npm test 2>&1 | tail -20', 'Bash(npm test)'],
  ['npm test | grep FAIL | head -5', 'Bash(npm test)'],
  ['ls src && npm test && echo ok', 'Bash(npm test)'],
  ['npm test; git log -p', 'Bash'],
])('nothing unapproved is shown by %s with the rule %s', async (command, rule) => {
  const decision = await bash(command, [`allow ${rule}`]);
  expect(decision).toMatchObject({ behavior: 'allow', basis: 'rule' });
  expect(decision.showsUnapproved).toBeUndefined();
});
