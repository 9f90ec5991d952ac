import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { namesTool, parseRule } from '../../../src/permissions/rules/rules.ts';
import { policyFor } from '../harness.ts';

describe('a rule is read as', () => {
  test.each([
    ['Bash', { tool: 'Bash' }],
    ['Bash(*)', { tool: 'Bash' }],
    [' Bash(npm run build) ', { tool: 'Bash', spec: 'npm run build' }],
    ['Bash(echo (a) b)', { tool: 'Bash', spec: 'echo (a) b' }],
    ['Bash(ls:*)', { tool: 'Bash', spec: 'ls:*' }],
    ['Read(//etc/**)', { tool: 'Read', spec: '//etc/**' }],
    ['WebFetch(domain:example.com)', { tool: 'WebFetch', spec: 'domain:example.com' }],
    ['mcp__*', { tool: 'mcp__*' }],
    ['mcp__my-server', { tool: 'mcp__my-server' }],
    ['mcp__my-server__*', { tool: 'mcp__my-server__*' }],
    ['mcp__a__do-it', { tool: 'mcp__a__do-it' }],
  ])('%s', (text, expected) => expect(parseRule(text)).toEqual(expected));
});

describe('an invalid rule says what to write instead', () => {
  test.each([
    ['', /not a rule/],
    ['Bash(ls', /not a rule/],
    ['ls -la', /not a rule/],
    ['bash(ls)', /Bash/],
    ['Frobnicate', /Known tools: Read, .*, Skill, Agent\./],
    ['Bash()', /the parentheses are empty/],
    ['Bash(:*)', /missing/],
    ['TodoWrite(x)', /no specifier/],
    ['WebFetch(example.com)', /domain:example\.com/],
    ['mcp__srv(x)', /no specifier/],
    ['mcp__', /mcp__server/],
  ])('%s', (text, message) => {
    const parsed = parseRule(text);
    expect('error' in parsed && parsed.error).toMatch(message);
  });
});

test.each([
  ['mcp__srv', 'mcp__srv__tool', true],
  ['mcp__srv__*', 'mcp__srv__tool', true],
  ['mcp__srv__tool', 'mcp__srv__tool', true],
  ['mcp__my-srv', 'mcp__my-srv__do-it', true],
  ['mcp__*', 'mcp__srv__tool', true],
  ['mcp__*', 'Read', false],
  ['mcp__srv', 'mcp__srv2__tool', false],
  ['mcp__srv__tool', 'mcp__srv__tool2', false],
  ['Read', 'ReadAll', false],
])('the rule %s names the tool %s: %s', (rule, tool, expected) =>
  expect(namesTool(rule, tool)).toBe(expected),
);

test.each([
  ['deny Skill(release)', 'release', 'deny'],
  // The repository chose the case of the name.
  ['deny Skill(release)', 'Release', 'deny'],
  ['deny Skill(git:*)', 'Git:commit', 'deny'],
  ['deny Skill(git:*)', 'git', 'deny'],
  ['deny Skill(git:*)', 'github', 'allow'],
  ['ask Skill', 'release', 'ask'],
  ['deny Skill(release)', 'release-notes', 'allow'],
])('with %s, the skill %s: %s', async (rule, name, expected) => {
  const call = { tool: 'Skill', access: { type: 'named', name } } as const;
  expect(decide(call, await policyFor([rule])).behavior).toBe(expected);
});

test.each([
  ['deny Agent(explore)', 'explore', 'deny'],
  ['deny Agent(explore)', 'Explore', 'deny'],
  ['deny Agent(explore)', 'general-purpose', 'allow'],
  ['ask Agent', 'explore', 'ask'],
  // The name of the tool in rules written for other programs.
  ['deny Task(explore)', 'explore', 'deny'],
  ['ask Task', 'reviewer', 'ask'],
])('with %s, starting the subagent %s: %s', async (rule, name, expected) => {
  const call = { tool: 'Agent', access: { type: 'named', name } } as const;
  expect(decide(call, await policyFor([rule])).behavior).toBe(expected);
});
