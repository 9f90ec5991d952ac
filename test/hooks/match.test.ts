import { expect, test } from 'vitest';
import { compileMatcher } from '../../src/hooks/match.ts';

const matches = (matcher: string, subject: string): boolean | undefined => compileMatcher(matcher)?.(subject);

test.each([
  ['', 'Bash', true],
  ['*', 'mcp__x__y', true],
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['Edit|Write', 'Write', true],
  ['Edit, Write', 'Write', true],
  ['Edit|Write', 'Read', false],
  ['MultiEdit', 'Edit', true],
  ['Task', 'Agent', true],
  ['mcp__memory__.*', 'mcp__memory__add', true],
  ['mcp__memory__.*', 'mcp__other__add', false],
  ['mcp__brave-search__search', 'mcp__brave-search__search', true],
  ['^(?!Read).*', 'Read', false],
  ['Notebook.*|Ba', 'Bash', true],
  ['startup|resume', 'resume', true],
])('%j and %s: %s', (matcher, subject, expected) => {
  expect(matches(matcher, subject)).toBe(expected);
});

test('an event without a subject matches every matcher', () => {
  expect(compileMatcher('Bash')?.(undefined)).toBe(true);
  expect(compileMatcher('B.*')?.(undefined)).toBe(true);
});

test('an invalid expression matches nothing', () => {
  expect(compileMatcher('(')).toBeUndefined();
});

test('an expression that backtracks forever counts as a match', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(60)}!`)).toBe(true);
});
