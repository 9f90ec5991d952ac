import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { type AnsweredCall, proposeRules } from '../../../src/permissions/rules/learnRules.ts';
import { policyFor, root } from '../harness.ts';

const answered = (answer: AnsweredCall['answer'], command: string, times = 1): readonly AnsweredCall[] =>
  Array.from({ length: times }, () => ({
    tool: 'Bash',
    access: { type: 'command', command, cwd: root },
    answer,
  }));
const yes = (command: string, times?: number) => answered('allowed', command, times);
const no = (command: string) => answered('denied', command);

test('proposed rules are listed with the calls that they would have covered, the most useful first', async () => {
  const calls = [
    ...yes('npm run build', 2),
    ...yes('git commit -m a', 3),
    ...yes('git commit -m b'),
    ...yes('make'),
  ];
  expect(proposeRules(calls, await policyFor(), 2)).toEqual({
    rules: [
      {
        rule: 'Bash(git commit:*)',
        times: 4,
        covers: [
          { call: 'git commit -m a', times: 3 },
          { call: 'git commit -m b', times: 1 },
        ],
      },
      { rule: 'Bash(npm run build)', times: 2, covers: [{ call: 'npm run build', times: 2 }] },
    ],
    refused: [],
  });
});

test('no rule is proposed for calls that no longer need approval or that no rule can allow', async () => {
  const calls = [
    ...yes('npm test', 3),
    ...yes('cat .env', 3),
    ...yes('ls', 3),
    ...yes('touch ../x', 3),
    ...yes('$X', 3),
  ];
  expect(proposeRules(calls, await policyFor(['allow Bash(npm test)']), 1)).toEqual({
    rules: [],
    refused: [],
  });
});

test('no rules are proposed that would cover a denied call, alone or together', async () => {
  const calls = [
    ...yes('git commit -m a', 5),
    ...no('git commit --amend'),
    ...yes('npm run a', 2),
    ...yes('npm run b', 2),
    ...no('npm run a && npm run b'),
  ];
  const { rules, refused } = proposeRules(calls, await policyFor(), 1);
  expect(rules.map(({ rule }) => rule)).toEqual(['Bash(npm run a)']);
  expect(refused).toEqual([
    { rule: 'Bash(git commit:*)', call: 'git commit --amend' },
    { rule: 'Bash(npm run b)', call: 'npm run a && npm run b' },
  ]);
});

test('a command of several parts runs with the rules that are proposed for it', async () => {
  const policy = await policyFor();
  const { rules } = proposeRules(yes('npm run build && npm run lint', 2), policy, 2);
  expect(rules.map(({ rule }) => rule)).toEqual(['Bash(npm run build)', 'Bash(npm run lint)']);
  const saved = await policyFor(rules.map(({ rule }) => `allow ${rule}`));
  const access = { type: 'command', command: 'npm run build && npm run lint', cwd: root } as const;
  expect(decide({ tool: 'Bash', access }, saved).behavior).toBe('allow');
});

test('rules are proposed for hosts and MCP tools as well', async () => {
  const calls: readonly AnsweredCall[] = [
    {
      tool: 'WebFetch',
      access: { type: 'web', url: 'https://a.example/x', domain: 'a.example' },
      answer: 'allowed',
    },
    { tool: 'mcp__a__b', access: { type: 'unknown' }, answer: 'allowed' },
  ];
  const { rules } = proposeRules(calls, await policyFor(), 1);
  expect(rules).toEqual([
    { rule: 'WebFetch(domain:a.example)', times: 1, covers: [{ call: 'https://a.example/x', times: 1 }] },
    { rule: 'mcp__a__b', times: 1, covers: [{ call: 'mcp__a__b', times: 1 }] },
  ]);
});
