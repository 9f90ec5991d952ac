import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupAtoms } from '../../../src/context/history/atoms.ts';
import { fairShare, SlidingWindow, windowItems } from '../../../src/context/history/SlidingWindow.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { LogMaker } from './logMaker.ts';

type WindowItem = Parameters<SlidingWindow['applyWindow']>[0][number];

const { window: defaults } = contextSettingsSchema.parse({});
const sliding = new SlidingWindow(defaults);

const plain = (seq: number, given: Partial<WindowItem> = {}): WindowItem => ({
  id: `m${seq}`,
  seq,
  lastSeq: seq,
  isPrompt: seq % 2 === 0,
  hasCalls: false,
  isPinned: false,
  tokens: 100,
  results: [],
  ...given,
});
const talk = (count: number, given: (seq: number) => Partial<WindowItem> = () => ({})): WindowItem[] =>
  Array.from({ length: count }, (_, seq) => plain(seq, given(seq)));
/** A reply of 20 tokens with results of these sizes. */
const step = (seq: number, ...sizes: readonly number[]): WindowItem =>
  plain(seq, {
    isPrompt: false,
    hasCalls: true,
    lastSeq: seq + 2 * sizes.length,
    tokens: sizes.reduce((sum, size) => sum + size, 20),
    results: sizes.map((tokens, index) => ({ uuid: `r${seq}.${index}`, tokens })),
  });

test('five rounds, 800 tokens a result, 4,000 tokens in all', () => {
  expect(defaults).toEqual({ rounds: 5, maxMessageTokens: 800, messagesBudget: 4000 });
});

describe('a window of 30 messages', () => {
  test('the newest five rounds are sent, in their order', () => {
    const result = sliding.applyWindow(talk(30));
    expect(result).toEqual({
      included: ['m20', 'm21', 'm22', 'm23', 'm24', 'm25', 'm26', 'm27', 'm28', 'm29'],
      clips: [],
      totalTokens: 1000,
      truncatedCount: 0,
      excludedCount: 20,
      lastIncludedSeq: 29,
    });
  });

  test('fewer are sent with a smaller budget, newest first', () => {
    const result = sliding.applyWindow(talk(30), 0, 350);
    expect(result.included).toEqual(['m27', 'm28', 'm29']);
    expect(result).toMatchObject({ totalTokens: 300, excludedCount: 27 });
  });

  test('entries covered by a summary are neither sent nor counted as left out', () => {
    const result = sliding.applyWindow(talk(30), 26);
    expect(result.included).toEqual(['m26', 'm27', 'm28', 'm29']);
    expect(result.excludedCount).toBe(0);
  });
});

test('each setting has an effect', () => {
  const items = [...talk(20), step(20, 2000)];
  const base = sliding.applyWindow(items);
  expect(base.clips).toEqual([{ uuid: 'r20.0', tokens: 800 }]);
  const apply = (given: Partial<typeof defaults>) =>
    new SlidingWindow({ ...defaults, ...given }).applyWindow(items);
  expect(apply({ rounds: 2 }).included).toEqual(['m16', 'm17', 'm18', 'm19', 'm20']);
  expect(apply({ maxMessageTokens: 300 }).clips).toEqual([{ uuid: 'r20.0', tokens: 300 }]);
  expect(apply({ messagesBudget: 1200 }).included).toEqual(['m17', 'm18', 'm19', 'm20']);
});

test('a long user message stays in full, whatever the budget', () => {
  const items = talk(4, (seq) => (seq === 2 ? { tokens: 9000 } : {}));
  const result = sliding.applyWindow(items);
  expect(result.included).toEqual(['m2', 'm3']);
  expect(result.clips).toEqual([]);
  expect(result.totalTokens).toBe(9100);
});

test('the newest prompt stays in a round of a hundred steps, and so does the newest step', () => {
  const items = [plain(0), ...Array.from({ length: 100 }, (_, index) => step(1 + index * 3, 500))];
  const result = sliding.applyWindow(items);
  expect(result.included[0]).toBe('m0');
  expect(result.included.at(-1)).toBe('m298');
  expect(result.included).toHaveLength(1 + Math.floor((4000 - 100) / 520));
  expect(result.totalTokens).toBeLessThanOrEqual(4000);
});

test('the newest step stays even if a long message follows', () => {
  const words = Array.from({ length: 50 }, (_, index) => plain(10 + index, { isPrompt: false }));
  const result = sliding.applyWindow([plain(0), step(1, 60), ...words], 0, 1000);
  expect(result.included.slice(0, 3)).toEqual(['m0', 'm1', 'm52']);
  expect(result.totalTokens).toBe(100 + 80 + 800);
});

test('results of the newest step are cut to the remaining budget, except small ones', () => {
  const items = [plain(0), step(1, 60, 5000, 5000)];
  const result = sliding.applyWindow(items, 0, 1000);
  expect(result.clips).toEqual([
    { uuid: 'r1.1', tokens: 410 },
    { uuid: 'r1.2', tokens: 410 },
  ]);
  expect(result.totalTokens).toBe(1000);
  expect(result.truncatedCount).toBe(2);
});

test('a tiny result counts as 50 tokens, a large one by its size', () => {
  expect(sliding.applyWindow([plain(0), step(1, 3, 3)]).totalTokens).toBe(100 + 20 + 50 + 50);
  expect(sliding.applyWindow([plain(0), step(1, 700)]).totalTokens).toBe(100 + 20 + 700);
});

test('pinned items are kept, however old', () => {
  const result = sliding.applyWindow(talk(30, (seq) => ({ isPinned: seq === 3 })));
  expect(result.included[0]).toBe('m3');
  expect(result.included).toHaveLength(11);
});

test('an empty conversation has an empty window', () => {
  expect(sliding.applyWindow([])).toMatchObject({ included: [], totalTokens: 0, lastIncludedSeq: undefined });
});

test('the window stays within the budget unless required items exceed it; in order; contiguous except for required items', () => {
  const anyItem = fc.record({
    isPrompt: fc.boolean(),
    isPinned: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
    own: fc.nat(500),
    sizes: fc.array(fc.nat(3000), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 50 }), fc.integer({ min: 0, max: 6000 }), (drafts, budget) => {
      const items = drafts.map(({ isPrompt, isPinned, own, sizes }, seq) =>
        isPrompt
          ? plain(seq, { tokens: own, isPinned })
          : {
              ...step(seq, ...sizes),
              isPinned,
              hasCalls: sizes.length > 0,
            },
      );
      const result = sliding.applyWindow(items, 0, budget);
      const included = new Set(result.included);
      const kept = items.filter(({ id }) => included.has(id));
      expect(result.included).toEqual(kept.map(({ id }) => id));
      const must = [
        items.findLast(({ isPrompt }) => isPrompt)?.id,
        items.at(-1)?.id,
        ...items.filter(({ isPinned }) => isPinned).map(({ id }) => id),
      ];
      for (const id of must) if (id !== undefined) expect(included.has(id)).toBe(true);
      if (result.totalTokens > budget) {
        // It contains nothing optional, and required items are cut as far as possible.
        expect(kept.filter((one) => !must.includes(one.id) && !one.hasCalls)).toEqual([]);
        for (const { tokens } of result.clips) expect(tokens).toBe(50);
      }
      expect(result.excludedCount).toBe(items.length - kept.length);
      expect(result.truncatedCount).toBe(result.clips.length);
    }),
    { numRuns: 300 },
  );
});

test('fair shares keep small sizes and use all the space', () => {
  expect(fairShare([10, 20, 30], 100)).toBe(Number.POSITIVE_INFINITY);
  expect(fairShare([10, 500, 500], 110)).toBe(50);
  expect(fairShare([500, 500], -5)).toBe(0);
});

test('atoms become items with their results, and what is always kept is pinned', () => {
  const log = new LogMaker();
  log.note('instructions', 'x').prompt('a').step('look', '1', '2').prompt('b').open('run');
  const items = windowItems(groupAtoms(log.entries), { sizeOf: () => 500, sizeOfResult: () => 200 });
  expect(items.map(({ isPinned }) => isPinned)).toEqual([true, false, false, true, true]);
  expect(items[2]).toEqual({
    id: 'e2',
    seq: 2,
    lastSeq: 6,
    isPrompt: false,
    hasCalls: true,
    isPinned: false,
    tokens: 500,
    results: [
      { uuid: 'e5', tokens: 200 },
      { uuid: 'e6', tokens: 200 },
    ],
  });
});
