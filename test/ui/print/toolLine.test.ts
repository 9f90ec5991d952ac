import { expect, test } from 'vitest';
import { callLabel, failureOf } from '../../../src/ui/print/toolLine.ts';

test.each([
  ['Bash', 'ls', 'Bash', 'ls'],
  ['TodoWrite', 'TodoWrite', 'Todos', ''],
  ['mcp__github__search_issues', 'login', 'github · search_issues', 'login'],
  ['mcp__a_b__c__d', '', 'a_b · c__d', ''],
  ['mcp__half', '', 'mcp__half', ''],
])('the name of a call of %s on screen', (tool, title, shownTool, shownTitle) => {
  expect(callLabel(tool, title)).toEqual({ tool: shownTool, title: shownTitle });
});

test('a denied call says once that it is not allowed', () => {
  const denied = { id: 'a', output: 'Not allowed: Rule Read(x) (test).', status: 'denied' } as const;
  expect(failureOf(denied)).toEqual({ text: 'Rule Read(x) (test).', keep: 'start' });
  expect(failureOf({ ...denied, status: 'error' }).text).toContain('Not allowed');
});

test('in an error, invisible characters are marked, and escape sequences are removed', () => {
  const failed = { id: 'a', output: 'no pay\u200Bpal\r\n\u001B[31mred', status: 'error' } as const;
  expect(failureOf(failed).text).toBe('no pay‹U+200B›pal\nred');
});
