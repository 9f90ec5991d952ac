import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import { collapse, commandSpec, matcher } from '../../../src/permissions/rules/commandRule.ts';
import { bash, policyFor, root, rule } from '../harness.ts';

const rules = ['deny Read(./secrets/**)', 'deny Bash(rm:*)'];

/** Lookups for one word: its path, and the links and folders on the way to it. */
const MAX_LOOKS = 8;

test.each([
  ['one word', 'x'.repeat(60_000)],
  ['words', `"${' b'.repeat(30_000)}`],
  ['different words', `"${Array.from({ length: 7000 }, (_, at) => `w${at}`).join(' ')}`],
  ['commands', 'a;'.repeat(30_000)],
  ['stars', `"${'*'.repeat(60_000)}`],
  ['files', `mkdir ${Array.from({ length: 9000 }, (_, at) => `a${at}`).join(' ')}`],
  ['braces', `echo ${'{a,b}'.repeat(10_000)}`],
  ['braces in braces', `echo ${'{a,'.repeat(10_000)}${'}'.repeat(10_000)}`],
  ['paths', `rmdir ${'b/'.repeat(1000)} ${'c/'.repeat(30_000)}`],
])(
  'a command of tens of thousands of characters (%s) needs approval, after a limited number of lookups',
  { tags: 'long' },
  async (_name, command) => {
    let looks = 0;
    const policy = await policyFor(rules);
    const counted: Policy = {
      ...policy,
      realpath: (path) => {
        looks += 1;
        return policy.realpath(path);
      },
      isDirectory: (path) => {
        looks += 1;
        return policy.isDirectory(path);
      },
      expandGlob: (pattern) => {
        looks += 1;
        return policy.expandGlob(pattern);
      },
    };
    const access = { type: 'command', command, cwd: root } as const;
    expect(decide({ tool: 'Bash', access }, counted).behavior).toBe('ask');
    // A few lookups for each word or name in the command, regardless of their number: each lookup reads the disk.
    expect(looks).toBeLessThanOrEqual(MAX_LOOKS * command.split(/[\s;/{},]+/).length);
  },
);

test.each([
  `echo ${'{a,b}'.repeat(40)}`,
  `cat ${'{a,b}/'.repeat(40)}`,
  `echo ${'{0..9}'.repeat(40)}`,
  `for f in ${'{a,b}'.repeat(40)}; do rm "$f"; done`,
])('braces that multiply are not expanded: %s', async (command) => {
  expect((await bash(command)).behavior).toBe('ask');
  expect((await bash(command, rules)).behavior).not.toBe('allow');
});

test('a denied command at the end of a long line is found', { tags: 'long' }, async () => {
  const words = Array.from({ length: 3000 }, (_, at) => `w${at}`).join(' ');
  for (const end of ['; rm x', '; cat secrets/a'])
    for (const begin of ['echo ', '" '])
      expect((await bash(`${begin}${words}${end}`, rules, 'bypassPermissions')).behavior).toBe('deny');
});

test('a command that is too long to check does not bypass deny rules, and runs in bypassPermissions without them', async () => {
  const command = `echo ${'x'.repeat(70_000)}; rm x`;
  expect((await bash(command, rules)).behavior).toBe('ask');
  expect((await bash(command, rules, 'bypassPermissions')).behavior).toBe('deny');
  expect((await bash(command, [], 'bypassPermissions')).behavior).toBe('allow');
});

test.each([
  ['Bash(*rm*-rf*/*)', `echo ${'rm '.repeat(20_000)}`, false],
  ['Bash(*a*a*a*a*a*b)', 'a '.repeat(31_000), false],
  ['Bash(*a*a*a*a*a*b:*)', 'a '.repeat(31_000), false],
  ['Bash(git * --force:*)', 'git push origin --force now', true],
  ['Bash(git * --force:*)', 'git push origin --forced', false],
  ['Bash(git * --force)', 'git push --force', true],
  ['Bash(git * --force)', 'git push --force now', false],
  ['Bash(git push:*)', 'git pushed', false],
  ['Bash(a*a)', 'a', false],
])('matching %s takes time linear in the length of the command (%#)', (text, command, isMatch) => {
  const spec = commandSpec(rule(`deny ${text}`));
  expect(matcher(spec?.text ?? '').test(collapse(command))).toBe(isMatch);
});
