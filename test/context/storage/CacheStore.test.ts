import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CacheStore } from '../../../src/context/storage/CacheStore.ts';

function makeCache(maxSize?: number, ttlMs?: number): { cache: CacheStore<number>; pass(ms: number): void } {
  let now = 1_000_000;
  return {
    cache: new CacheStore<number>(maxSize, ttlMs, () => now),
    pass: (ms) => {
      now += ms;
    },
  };
}

test('by default a hundred values live for five minutes', () => {
  const { cache, pass } = makeCache();
  for (let index = 0; index < 101; index += 1) cache.set(`${index}`, index);
  expect([cache.size, cache.has('0'), cache.has('1')]).toEqual([100, false, true]);
  pass(299_999);
  expect(cache.get('1')).toBe(1);
  pass(1);
  expect(cache.get('1')).toBeUndefined();
  expect(cache.has('2')).toBe(false);
});

test('overwriting at the limit evicts nothing, and renews the lifetime', () => {
  const { cache, pass } = makeCache(2, 100);
  cache.set('a', 1);
  cache.set('b', 2);
  pass(60);
  cache.set('a', 3);
  expect([cache.get('b'), cache.get('a')]).toEqual([2, 3]);
  pass(60);
  expect([cache.get('b'), cache.get('a')]).toEqual([undefined, 3]);
});

test('expired values are evicted before live ones', () => {
  const { cache, pass } = makeCache(2);
  cache.set('old', 1);
  cache.set('short', 2, 10);
  pass(10);
  cache.set('new', 3);
  expect([cache.has('old'), cache.has('short'), cache.has('new')]).toEqual([true, false, true]);
});

test('has() does not mark a value as used, get() does', () => {
  const { cache } = makeCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.has('a');
  cache.set('c', 3);
  expect(cache.has('a')).toBe(false);
  cache.get('b');
  cache.set('d', 4);
  expect([cache.has('b'), cache.has('c')]).toEqual([true, false]);
});

test('a lifetime or size of 0 keeps nothing; undefined is a value', () => {
  const { cache } = makeCache(2);
  cache.set('a', 1);
  cache.set('a', 2, 0);
  expect(cache.has('a')).toBe(false);
  const none = makeCache(0).cache;
  none.set('a', 1);
  expect(none.size).toBe(0);
  const holes = new CacheStore<undefined>();
  holes.set('a', undefined);
  expect(holes.has('a')).toBe(true);
  expect([holes.delete('a'), holes.delete('a')]).toEqual([true, false]);
});

test('it behaves like a list ordered by use', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.tuple(fc.constantFrom('get' as const, 'set' as const, 'delete' as const), key),
          fc.tuple(fc.constant('pass' as const), fc.constantFrom('3', '7')),
        ),
        { maxLength: 60 },
      ),
      (steps) => {
        const { cache, pass } = makeCache(3, 10);
        let time = 0;
        let model: { key: string; value: number; until: number }[] = [];
        for (const [index, [kind, name]] of steps.entries()) {
          const alive = model.find((each) => each.key === name && each.until > time);
          if (kind === 'pass') {
            pass(Number(name));
            time += Number(name);
          } else if (kind === 'get') {
            expect(cache.get(name)).toBe(alive?.value);
            if (alive) model = [...model.filter((each) => each !== alive), alive];
          } else {
            model = model.filter((each) => each.key !== name && each.until > time);
            if (kind === 'delete') cache.delete(name);
            else {
              cache.set(name, index);
              model = [...model, { key: name, value: index, until: time + 10 }].slice(-3);
            }
          }
        }
        for (const name of ['a', 'b', 'c', 'd', 'e'])
          expect(cache.has(name)).toBe(model.some((each) => each.key === name && each.until > time));
      },
    ),
  );
});

test('a byte limit evicts like the value limit, and never keeps a value that is too large', () => {
  const bounds = { bytesOf: (value: string) => value.length, maxValueBytes: 5, maxBytes: 10 };
  const cache = new CacheStore<string>(100, 1000, () => 0, bounds);
  cache.set('large', '123456');
  expect(cache.size).toBe(0);
  for (const key of ['a', 'b', 'c']) cache.set(key, '1234');
  expect(cache.keys()).toEqual(['b', 'c']);
  cache.get('b');
  cache.set('b', '12345');
  cache.set('d', '12345');
  expect(cache.keys()).toEqual(['b', 'd']);
  cache.set('b', '123456');
  expect(cache.keys()).toEqual(['d']);
  cache.clear();
  for (const key of ['e', 'f']) cache.set(key, '12345');
  expect(cache.keys()).toEqual(['e', 'f']);
});

test('bytes are counted correctly after any operations', () => {
  const act = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    size: fc.integer({ min: 0, max: 12 }),
    what: fc.constantFrom('set', 'delete', 'get', 'wait'),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let now = 0;
      const bounds = { bytesOf: (value: string) => value.length, maxValueBytes: 10, maxBytes: 20 };
      const cache = new CacheStore<string>(4, 100, () => now, bounds);
      for (const { key, size, what } of acts) {
        if (what === 'set') cache.set(key, 'x'.repeat(size));
        else if (what === 'delete') cache.delete(key);
        else if (what === 'get') cache.get(key);
        else now += 60;
        const held = cache.keys().reduce((sum, one) => sum + (cache.get(one)?.length ?? 0), 0);
        expect(held).toBeLessThanOrEqual(20);
        expect(cache.size).toBeLessThanOrEqual(4);
      }
      // Removed values are not counted: both still fit.
      cache.clear();
      cache.set('y', 'x'.repeat(10));
      cache.set('z', 'x'.repeat(10));
      expect(cache.size).toBe(2);
    }),
  );
});
