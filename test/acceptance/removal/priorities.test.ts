/** The eight rules of priority. */

import { expect, test } from 'vitest';
import { groupAtoms } from '../../../src/context/history/atoms.ts';
import { assignMessagePriorities, strategyItems } from '../../../src/context/strategies/priorities.ts';
import type { StrategyItem } from '../../../src/context/strategies/types.ts';
import { messages } from '../support/items.ts';
import { createTestApp } from '../support/testApp.ts';

/** The priority of one message in the middle of others. */
const rank = (given: Partial<StrategyItem>): string | undefined =>
  assignMessagePriorities(messages(11, (index) => (index === 5 ? given : {})))[5]?.priority;

test.each<[string, Partial<StrategyItem>, string]>([
  ['1: what has one keeps it', { priority: 'LOW', role: 'system' }, 'LOW'],
  ['2: a system message', { role: 'system', textTokens: 3 }, 'CRITICAL'],
  ['3: a tool message', { role: 'tool', textTokens: 3 }, 'HIGH'],
  ['3: a reply with results', { hasResults: true, hasCalls: true, textTokens: 3 }, 'HIGH'],
  ['5: more than 800 tokens', { textTokens: 801 }, 'HIGH'],
  ['5: just 800', { textTokens: 800 }, 'NORMAL'],
  ['6: fewer than 20 without a question', { textTokens: 19 }, 'LOW'],
  ['6: fewer than 20 with a question', { textTokens: 19, hasQuestion: true }, 'NORMAL'],
  ['6: short comes before calls', { textTokens: 19, hasCalls: true }, 'LOW'],
  ['6: just 20', { textTokens: 20 }, 'NORMAL'],
  ['7: a call', { textTokens: 100, hasCalls: true }, 'HIGH'],
  ['8: anything else', {}, 'NORMAL'],
])('a message gets the priority of its rule: %s', (_, given, expected) => {
  expect(rank(given)).toBe(expected);
});

test('the first and last messages are HIGH, and stop being HIGH when they are no longer last', () => {
  const short = { textTokens: 5 };
  const ranks = assignMessagePriorities(messages(9, () => short)).map(({ priority }) => priority);
  expect([ranks[0], ranks[4], ranks[8]]).toEqual(['HIGH', 'LOW', 'HIGH']);
  expect(assignMessagePriorities(messages(20, () => short))[8]?.priority).toBe('LOW');
});

test('in a real session ？ makes a question', async () => {
  const open = await (await createTestApp()).open();
  for (const text of ['Why?', '是这样吗？', 'Done.', '好的。']) await open.ask('go on', { text });
  const items = strategyItems(groupAtoms(open.entries()), { sizeOf: () => 10 }).filter(
    ({ role }) => role === 'assistant',
  );
  expect(items.map(({ hasQuestion }) => hasQuestion)).toEqual([true, true, false, false]);
});
