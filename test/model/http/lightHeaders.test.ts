import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LightHeaders } from '../../../src/model/http/lightHeaders.ts';

const name = fc.constantFrom('A', 'a', 'Content-Type', 'content-type', 'x-b');
const value = fc.constantFrom('1', '2', 'text/plain');
const change = fc.oneof(
  fc.tuple(fc.constantFrom('set', 'append'), name, value),
  fc.tuple(fc.constant('delete'), name, fc.constant('')),
);

test('after any operations, they equal Node’s headers', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), fc.array(change), (init, changes) => {
      const [light, real] = [new LightHeaders(init), new Headers(init)];
      for (const [what, key, given] of changes) {
        for (const headers of [light, real]) {
          if (what === 'set') headers.set(key, given);
          else if (what === 'append') headers.append(key, given);
          else headers.delete(key);
        }
      }
      expect([...light]).toEqual([...real]);
      expect([...light.keys()]).toEqual([...real.keys()]);
      expect([...light.values()]).toEqual([...real.values()]);
      expect([light.get('CONTENT-TYPE'), light.has('X-B')]).toEqual([
        real.get('CONTENT-TYPE'),
        real.has('X-B'),
      ]);
      const visited: string[] = [];
      light.forEach((each, key) => {
        visited.push(`${key}: ${each}`);
      });
      expect(visited).toEqual([...real].map(([key, each]) => `${key}: ${each}`));
    }),
  );
});

test('they can be created from a record, from pairs and from other headers', () => {
  expect([...new LightHeaders({ B: '2', a: '1' })]).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
  expect(new LightHeaders(new Headers({ A: '1' })).get('a')).toBe('1');
  expect(new LightHeaders(new LightHeaders([['A', '1']])).get('a')).toBe('1');
  expect([...new LightHeaders()]).toEqual([]);
});
