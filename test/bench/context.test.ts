import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PriceSheet, PromptCache, type Sized, sheets } from '../../bench/context/cache.ts';
import { policies } from '../../bench/context/policies.ts';
import { plant } from '../../bench/context/retention/needles.ts';
import { simulate } from '../../bench/context/simulate.ts';
import { makeTrace, standard } from '../../bench/context/trace/standard.ts';
import { createTexts } from '../../bench/context/trace/texts.ts';

const sheet: PriceSheet = {
  name: 'test',
  read: 0.1,
  write: 1.25,
  input: 1,
  output: 5,
  ttlMinutes: 5,
  leastTokens: 100,
};
const blocks = (...ids: readonly number[]): Sized[] => ids.map((id) => ({ id, tokens: 100 }));
const trace = makeTrace({ ...standard, steps: 200 }, 1, 64_000);

describe('the cache model', () => {
  test('serves the longest common prefix, in whole blocks only', () => {
    const cache = new PromptCache(sheet);
    expect(cache.serve(blocks(1, 2, 3), 0)).toMatchObject({ read: 0, write: 300, warm: false });
    expect(cache.serve(blocks(1, 2, 3, 4), 1)).toMatchObject({ read: 300, write: 100, shared: 300 });
    expect(cache.serve(blocks(1, 9, 3, 4), 2)).toMatchObject({ read: 100, write: 300, shared: 100 });
  });

  test('finds a prefix again even after a request that did not share it', () => {
    const cache = new PromptCache(sheet);
    cache.serve(blocks(1, 2, 3), 0);
    cache.serve(blocks(8, 9), 1);
    expect(cache.serve(blocks(1, 2, 3, 4), 2)).toMatchObject({ read: 300, shared: 0 });
    for (const id of [20, 30, 40, 50]) cache.serve(blocks(id), 3);
    expect(cache.serve(blocks(1, 2, 3, 4), 4)).toMatchObject({ read: 0 });
  });

  test('expires entries, and keeps nothing that is too short', () => {
    const cache = new PromptCache(sheet);
    cache.serve(blocks(1, 2), 0);
    expect(cache.serve(blocks(1, 2), 5)).toMatchObject({ read: 0, write: 200, warm: false });
    const strict = new PromptCache({ ...sheet, leastTokens: 150 });
    strict.serve(blocks(1, 2), 0);
    expect(strict.serve(blocks(1, 3), 1)).toMatchObject({ read: 0, write: 200 });
  });

  test('charges each token of a request exactly once', () => {
    const request = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const cache = new PromptCache(sheet);
        for (const [minute, ids] of requests.entries()) {
          const { read, write } = cache.serve(blocks(...ids), minute);
          expect(read + write).toBe(100 * ids.length);
        }
      }),
    );
  });
});

test.each(policies.map((policy) => [policy.name, policy] as const))(
  '%s: the same trace has the same figures, and no request exceeds the window',
  (_name, policy) => {
    const [first = sheet] = sheets;
    const figures = simulate(trace, policy, first);
    expect(figures).toEqual(simulate(trace, policy, first));
    expect(figures.overflows).toBe(0);
    expect(figures.cost).toBeGreaterThan(2);
  },
);

test('every planted fact can be read where it was planted, and no value occurs twice', () => {
  const planted = plant(trace, 150);
  const texts = createTexts(planted.trace, planted.lines);
  for (const { event, value, label } of planted.needles) {
    expect(texts.whole(event)).toContain(value);
    expect(texts.whole(event)).toContain(label);
  }
  const values = planted.needles.map(({ value }) => value);
  expect(new Set(values).size).toBe(values.length);
  expect(planted.needles.length).toBeGreaterThan(100);
});
