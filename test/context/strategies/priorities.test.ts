import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  assignMessagePriorities,
  edgeIds,
  hasQuestionMark,
} from '../../../src/context/strategies/priorities.ts';
import type { MessagePriority, StrategyItem } from '../../../src/context/strategies/types.ts';
import { anyConversation, conversation, idsOf } from './makeItems.ts';

/** The item stands in the middle of a conversation, where its position says nothing. */
const rankInTheMiddle = (given: Partial<StrategyItem>): MessagePriority | undefined =>
  assignMessagePriorities(conversation(11, (index) => (index === 5 ? given : {})))[5]?.priority;

test.each<[rule: string, given: Partial<StrategyItem>, expected: MessagePriority]>([
  ['1: an explicit priority is kept', { priority: 'LOW', role: 'system', hasResults: true }, 'LOW'],
  ['1: also a high one', { priority: 'CRITICAL', textTokens: 3 }, 'CRITICAL'],
  ['2: a system message is critical', { role: 'system', textTokens: 3 }, 'CRITICAL'],
  ['3: a tool message is high', { role: 'tool', textTokens: 3 }, 'HIGH'],
  ['3: so is a reply that holds results', { role: 'assistant', hasResults: true, textTokens: 3 }, 'HIGH'],
  ['5: 801 tokens are long', { textTokens: 801 }, 'HIGH'],
  ['5: 800 are not', { textTokens: 800 }, 'NORMAL'],
  ['6: 19 tokens are short', { textTokens: 19 }, 'LOW'],
  ['6: 20 are not', { textTokens: 20 }, 'NORMAL'],
  ['6: a short question is no chatter', { textTokens: 3, hasQuestion: true }, 'NORMAL'],
  ['6 comes before 7: a short reply with calls is low', { textTokens: 3, hasCalls: true }, 'LOW'],
  ['7: a reply with calls is high', { textTokens: 50, hasCalls: true }, 'HIGH'],
  ['7: a short question with calls too', { textTokens: 3, hasQuestion: true, hasCalls: true }, 'HIGH'],
  ['8: everything else is normal', {}, 'NORMAL'],
])('rule %s', (_rule, given, expected) => {
  expect(rankInTheMiddle(given)).toBe(expected);
});

test('rule 4: the first two and the last two are high, even when they are short', () => {
  const ranked = assignMessagePriorities(conversation(8, () => ({ textTokens: 3 })));
  expect(ranked.map(({ priority }) => priority)).toEqual([
    'HIGH',
    'HIGH',
    'LOW',
    'LOW',
    'LOW',
    'LOW',
    'HIGH',
    'HIGH',
  ]);
});

test('a rank that came from a position is gone when the position is', () => {
  const short = conversation(5, () => ({ textTokens: 3 }));
  const longer = conversation(20, () => ({ textTokens: 3 }));
  expect(assignMessagePriorities(short)[4]?.priority).toBe('HIGH');
  expect(assignMessagePriorities(longer)[4]?.priority).toBe('LOW');
});

test.each([
  ['Why?', true],
  ['为什么？', true],
  ['Use port 8080.', false],
  ['', false],
])('%j asks something: %s', (text, expected) => {
  expect(hasQuestionMark(text)).toBe(expected);
});

test('the system prompt takes no place at the beginning', () => {
  const list = conversation(6, (index) => (index === 0 ? { role: 'system' } : {}));
  expect([...edgeIds(list, { start: 2, end: 1 })]).toEqual(['m1', 'm2', 'm5']);
});

test('ends that meet cover everything', () => {
  const list = conversation(5);
  expect([...edgeIds(list, { start: 4, end: 3 })]).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  expect(edgeIds(list, { start: 100, end: 100 }).size).toBe(5);
  expect(edgeIds(list, { start: 0, end: 0 }).size).toBe(0);
});

test('ranking keeps order and items, and what is explicit', () => {
  fc.assert(
    fc.property(anyConversation, (items) => {
      const ranked = assignMessagePriorities(items);
      expect(idsOf(ranked)).toEqual(idsOf(items));
      for (const [index, { priority }] of items.entries()) {
        if (priority !== undefined) expect(ranked[index]?.priority).toBe(priority);
      }
    }),
  );
});
