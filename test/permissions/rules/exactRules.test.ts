/** A rule without a wildcard covers one command: text that the shell would read differently is another command. */
import { describe, expect, test } from 'vitest';
import { bash } from '../harness.ts';

describe('an exact rule covers', () => {
  test.each([
    ['npm  run   build', 'npm run build'],
    ['npm run build', ' npm  run\tbuild '],
    ['npm run build', 'npm "run" build'],
    ['npm run build', 'npm run \\\n  build'],
    ['npm run build', 'npm run build # as always'],
    ['foo "a  b"', 'foo   "a  b"'],
    ["foo 'a\nb'", "foo 'a\nb'"],
    ['foo "$(date)"', 'foo "$(date)"'],
  ])('%j: %j', async (rule, command) =>
    expect(await bash(command, [`allow Bash(${rule})`])).toMatchObject({ behavior: 'allow' }),
  );
});

describe('an exact rule does not cover', () => {
  test.each([
    ['foo "a b"', 'foo "a  b"'],
    ['foo "a b"', 'foo "a\nb"'],
    ["foo 'a b'", "foo 'a\tb'"],
    ['foo a\\ b', 'foo a\\  b'],
    ['bash -c "echo # rm -rf x"', 'bash -c "echo #\nrm -rf x"'],
    ["bash -c ': # rm x'", "bash -c ': #\nrm x'"],
    ["python3 -c 'pass # x()'", "python3 -c 'pass #\nx()'"],
    ['foo "$(: # x)"', 'foo "$(: #\nx)"'],
    ["node -e '1 // x()'", "node -e '1 //\nx()'"],
    ['git commit -m "a b"', 'git commit -m "a\n\nb"'],
  ])('%j: %j', async (rule, command) =>
    expect(await bash(command, [`allow Bash(${rule})`])).toMatchObject({ behavior: 'ask' }),
  );
});

test('a rule with a wildcard distinguishes spaces inside quotes', async () => {
  const rules = ['allow Bash(foo "a b":*)'];
  expect((await bash('foo  "a b" c', rules)).behavior).toBe('allow');
  expect((await bash('foo "a  b" c', rules)).behavior).toBe('ask');
  expect((await bash('foo "a\nb" c', rules)).behavior).toBe('ask');
});
