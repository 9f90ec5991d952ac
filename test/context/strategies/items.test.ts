import { expect, test } from 'vitest';
import { atomEntries, groupAtoms } from '../../../src/context/history/atoms.ts';
import { assignMessagePriorities, strategyItems } from '../../../src/context/strategies/priorities.ts';
import { planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import type { StrategyItem } from '../../../src/context/strategies/types.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { LogMaker } from '../history/logMaker.ts';
import { options } from './makeItems.ts';

const sizeOf = () => 100;
const items = (log: readonly JSONLEntry[], given: Partial<Parameters<typeof strategyItems>[1]> = {}) =>
  strategyItems(groupAtoms(log), { sizeOf, ...given });

test('a reply with its calls and results is one item of its whole size', () => {
  const log = new LogMaker();
  log.prompt('Why?').step('Looking.', 'one', 'two');
  const [prompt, reply] = items(log.entries, { sizeOf: ({ calls }) => 10 + calls.length });
  expect(prompt).toMatchObject({ role: 'user', hasQuestion: true, hasCalls: false, priority: 'HIGH' });
  expect(reply).toMatchObject({ id: log.entries[1]?.uuid, role: 'assistant', tokens: 12, hasResults: true });
  expect(reply?.priority).toBeUndefined();
});

test('a masked reply is no tool output any more and goes before one that is whole', () => {
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

test('text in parts counts, and what is no text does not', () => {
  const log = new LogMaker();
  log.prompt([{ type: 'image' }, null, { type: 'text', text: 'what is it？' }] as never);
  expect(items(log.entries)[0]).toMatchObject({ hasQuestion: true });
  expect(items(log.entries)[0]?.textTokens).toBeGreaterThan(3);
});

test('what is removed is removed with its results', () => {
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
