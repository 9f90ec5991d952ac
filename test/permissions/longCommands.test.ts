import { expect, test } from 'vitest';
import { bash } from './harness.ts';

const rules = ['deny Read(./secrets/**)', 'deny Bash(rm:*)'];

test.each([
  ['one word', 'x'.repeat(60_000)],
  ['words', `"${' b'.repeat(30_000)}`],
  ['different words', `"${Array.from({ length: 7000 }, (_, at) => `w${at}`).join(' ')}`],
  ['commands', 'a;'.repeat(30_000)],
  ['stars', `"${'*'.repeat(60_000)}`],
  ['paths', `rmdir ${'b/'.repeat(1000)} ${'c/'.repeat(30_000)}`],
])('a command of tens of thousands of characters (%s) is decided soon, and asks', async (_name, command) => {
  const started = performance.now();
  expect((await bash(command, rules)).behavior).toBe('ask');
  expect(performance.now() - started).toBeLessThan(15_000);
});

test('what is forbidden is found at the end of a long command', async () => {
  const words = Array.from({ length: 3000 }, (_, at) => `w${at}`).join(' ');
  for (const end of ['; rm x', '; cat secrets/a'])
    for (const begin of ['echo ', '" '])
      expect((await bash(`${begin}${words}${end}`, rules, 'bypassPermissions')).behavior).toBe('deny');
});

test('a command too long to be checked does not slip past the rules, and passes where there are none', async () => {
  const command = `echo ${'x'.repeat(70_000)}; rm x`;
  expect((await bash(command, rules)).behavior).toBe('ask');
  expect((await bash(command, rules, 'bypassPermissions')).behavior).toBe('deny');
  expect((await bash(command, [], 'bypassPermissions')).behavior).toBe('allow');
});
