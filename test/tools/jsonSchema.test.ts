/** Schemas come from callers, and values from models: neither may stop the program. */
import { expect, test } from 'vitest';
import { compileSchema } from '../../src/tools/jsonSchema.ts';
import { cpuClock } from '../cpuTime.ts';

const object = { type: 'object' };
const doubling = Object.fromEntries(
  Array.from({ length: 60 }, (_, level) => {
    const $ref = `#/$defs/d${level + 1}`;
    return [`d${level}`, { allOf: [{ $ref }, { $ref, minProperties: 0 }] }];
  }),
);

test.each<[string, object, unknown]>([
  [
    'a pattern that backtracks endlessly',
    { properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    { a: `${'a'.repeat(60)}!` },
  ],
  ['such a pattern for names', { patternProperties: { '^(a|a)*$': {} } }, { [`${'a'.repeat(60)}!`]: 1 }],
  ['references that double at each level', { $defs: { ...doubling, d60: object }, $ref: '#/$defs/d0' }, {}],
  [
    'a list of many unique objects',
    { properties: { a: { type: 'array', uniqueItems: true } } },
    { a: Array.from({ length: 50_000 }, (_, at) => ({ at })) },
  ],
])('%s is given up after a second', { tags: 'long' }, (_, schema, value) => {
  const spentMs = cpuClock();
  const check = compileSchema({ ...object, ...schema });
  expect(check(value)).toBe('it could not be validated: validation takes too long');
  expect(spentMs()).toBeLessThan(10_000);
  expect(compileSchema({ ...object, ...schema })({})).toSatisfy(
    (said: unknown) => said === undefined || String(said).startsWith('it could not'),
  );
});

test('a machine that is suspended for longer than that does not make a schema unusable', {
  tags: 'long',
}, () => {
  let waits = 1;
  const schema = {
    ...object,
    get required() {
      // Time passes without work for the processor.
      if (waits-- > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
      return ['name'];
    },
  };
  const check = compileSchema({ ...object, properties: { child: schema } });
  expect(waits).toBeLessThan(0);
  expect(check({ child: {} })).toBe("/child must have required property 'name'");
});

test.each<[string, object]>([
  ['a reference to itself', { $ref: '#' }],
  [
    'two that refer to each other',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
  ],
])('%s is not a schema, or matches nothing', (_, schema) => {
  let said: string | undefined;
  try {
    said = compileSchema({ ...object, ...schema })({ a: 1 });
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toMatch(/refers to itself|too long/);
});

test('a schema that recurses with the value is an ordinary one', () => {
  const check = compileSchema({
    ...object,
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  });
  expect(check({ name: 'a', children: [{ name: 'b', children: [] }] })).toBeUndefined();
  expect(check({ name: 'a', children: [{ name: 1 }] })).toBe('/children/0/name must be string');
});
