import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atomEntries, groupAtoms } from '../../../src/context/history/atoms.ts';
import {
  assignMessagePriorities,
  edgeIds,
  strategyItems,
} from '../../../src/context/strategies/priorities.ts';
import { planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import type { MessagePriority, StrategyItem } from '../../../src/context/strategies/types.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { LogMaker } from '../history/logMaker.ts';
import { anyConversation, conversation, idsOf, options } from './makeItems.ts';

/** The item is in the middle of a conversation, where its position does not matter. */
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

test('a priority due to a position is lost with the position', () => {
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
  const { entries } = new LogMaker().prompt(text);
  const [item] = strategyItems(groupAtoms(entries), { sizeOf: () => 100 });
  expect(item?.hasQuestion).toBe(expected);
});

test('the system prompt does not count as one of the first messages', () => {
  const list = conversation(6, (index) => (index === 0 ? { role: 'system' } : {}));
  expect([...edgeIds(list, { start: 2, end: 1 })]).toEqual(['m1', 'm2', 'm5']);
});

test('if the two ends overlap, all messages belong to them', () => {
  const list = conversation(5);
  expect([...edgeIds(list, { start: 4, end: 3 })]).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  expect(edgeIds(list, { start: 100, end: 100 }).size).toBe(5);
  expect(edgeIds(list, { start: 0, end: 0 }).size).toBe(0);
});

test('ranking keeps order, items and explicit priorities', () => {
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

const sizeOf = () => 100;
const items = (log: readonly JSONLEntry[], given: Partial<Parameters<typeof strategyItems>[1]> = {}) =>
  strategyItems(groupAtoms(log), { sizeOf, ...given });

test('a reply with its calls and results is one item with their total size', () => {
  const log = new LogMaker();
  log.prompt('Why?').step('Looking.', 'one', 'two');
  const [prompt, reply] = items(log.entries, { sizeOf: ({ calls }) => 10 + calls.length });
  expect(prompt).toMatchObject({ role: 'user', hasQuestion: true, hasCalls: false, priority: 'HIGH' });
  expect(reply).toMatchObject({ id: log.entries[1]?.uuid, role: 'assistant', tokens: 12, hasResults: true });
  expect(reply?.priority).toBeUndefined();
});

test('a masked reply no longer counts as tool output and is removed before a full one', () => {
  const log = new LogMaker();
  log.prompt('a').reply('b').step('short', 'masked').step('short', 'whole').reply('c').prompt('d');
  const isMasked = ({ toolResult }: JSONLEntry) => toolResult?.output === 'masked';
  const ranked = assignMessagePriorities(items(log.entries, { isMasked }));
  expect(ranked.map(({ priority }) => priority)).toEqual(['HIGH', 'HIGH', 'LOW', 'HIGH', 'HIGH', 'HIGH']);
});

test('instructions, the newest prompt, the latest mode and calls that still run are pinned', () => {
  const log = new LogMaker();
  log.note('instructions', 'x').prompt('old').note('mode', '1').note('mode', '2').prompt('new').open('go');
  const pinned = items(log.entries).map(({ isPinned }) => isPinned);
  expect(pinned).toEqual([true, false, false, true, true, true]);
  const oldest = items(log.entries, { isPinned: ({ head }) => head.message.content === 'old' });
  expect(oldest[1]?.isPinned).toBe(true);
});

test('text parts count, other parts do not', () => {
  const log = new LogMaker();
  log.prompt([{ type: 'image' }, null, { type: 'text', text: 'what is it？' }] as never);
  expect(items(log.entries)[0]).toMatchObject({ hasQuestion: true });
  expect(items(log.entries)[0]?.textTokens).toBeGreaterThan(3);
});

test('an item is removed with its results', () => {
  const log = new LogMaker();
  for (let turn = 0; turn < 20; turn++) log.prompt(`turn ${turn}`).step('look', 'a', 'b').reply('done');
  const atoms = groupAtoms(log.entries);
  for (const strategy of ['middle-removal', 'oldest-removal', 'hybrid'] as const) {
    const result = planRemoval(items(log.entries), 3000, { ...options(), strategy });
    const kept = new Set(result?.kept);
    expect(result?.tokens).toBe(3000);
    const shown = atoms.filter(({ head }) => kept.has(head.uuid)).flatMap(atomEntries);
    const calls = shown.flatMap(({ tool }) => tool?.id ?? []);
    const results = shown.flatMap(({ toolResult }) => toolResult?.id ?? []);
    expect(results).toEqual(calls);
    expect(kept.has(atoms.findLast(({ kind }) => kind === 'user')?.head.uuid ?? '')).toBe(true);
  }
});

test('an item is plain data', () => {
  const log = new LogMaker();
  log.prompt('a');
  const list: readonly StrategyItem[] = items(log.entries);
  expect(structuredClone(list)).toEqual(list);
});
