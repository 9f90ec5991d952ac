/** Row 46: the cache of derived values. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CacheStore } from '../../src/context/storage/index.ts';
import { buildHouse } from './support/house.ts';
import { SUMMARY } from './support/project.ts';

test('row 46, S5 `CacheStore(100, 5 min)` TTL + LRU: get, set, delete, clear', () => {
  let now = 0;
  const cache = new CacheStore<number>(100, 5 * 60_000, () => now);
  for (let key = 0; key < 100; key++) cache.set(`k${key}`, key);
  cache.set('k5', 55);
  expect(cache.size).toBe(100);
  expect([cache.get('k0'), cache.get('k5')]).toEqual([0, 55]);
  cache.set('new', 1);
  expect(cache.size).toBe(100);
  expect([cache.get('k0'), cache.get('k5'), cache.get('k1')]).toEqual([0, 55, undefined]);
  now = 5 * 60_000 - 1;
  expect(cache.get('k0')).toBe(0);
  now = 5 * 60_000;
  expect(cache.get('k0')).toBeUndefined();
  cache.set('fresh', 2);
  expect([cache.delete('fresh'), cache.delete('fresh'), cache.get('fresh')]).toEqual([
    true,
    false,
    undefined,
  ]);
  cache.clear();
  expect(cache.size).toBe(0);
});

test('row 46: when it is full, what has expired goes before what is only old', () => {
  let now = 0;
  const cache = new CacheStore<string>(3, 1000, () => now);
  cache.set('old', 'a', 10_000);
  cache.set('short', 'b', 100);
  cache.set('newer', 'c');
  now = 200;
  cache.set('newest', 'd');
  expect(['old', 'short', 'newer', 'newest'].map((key) => cache.get(key))).toEqual([
    'a',
    undefined,
    'c',
    'd',
  ]);
});

test('row 46: an edit invalidates what was read of a file', async () => {
  const house = await buildHouse({
    strategy: 'summary',
    window: 100_000,
    files: { 'a.txt': 'the first content\n' },
  });
  const open = await house.open();
  const quoted = async (n: number): Promise<string> => {
    await open.ask(`look at a.txt ${n}`, { text: `Words. ${'And more of it. '.repeat(4000)}` });
    await open.ask(`and? ${n}`, { text: 'Short.' });
    await open.submit({ type: 'compact' }, { text: SUMMARY });
    const [next] = await open.ask(`go on ${n}`, { text: 'Yes.' });
    return JSON.stringify(next?.messages);
  };
  expect(await quoted(1)).toContain('the first content');
  // Of the same length, so that its size alone does not tell.
  await writeFile(join(house.root, 'a.txt'), 'the other content\n');
  const after = await quoted(2);
  expect(after).toContain('the other content');
  expect(after).not.toContain('the first content');
});
