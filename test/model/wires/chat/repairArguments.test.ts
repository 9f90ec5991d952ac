import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repairArguments } from '../../../../src/model/wires/chat/repairArguments.ts';

test.each([
  ['', '{}'],
  ['  \n', '{}'],
  ['{}', '{}'],
  ['{ "a" : 1.0 }', '{ "a" : 1.0 }'],
  ['{"id":12345678901234567890}', '{"id":12345678901234567890}'],
])('%j needs no repair', async (raw, expected) => {
  expect(await repairArguments(raw, 'Read')).toEqual({ arguments: expected });
});

test.each([
  ['encoded twice', '"{\\"path\\":\\"a\\"}"', { path: 'a' }],
  ['encoded three times', JSON.stringify(JSON.stringify('{"a":1}')), { a: 1 }],
  ['sent twice', '{"a":1}{"a":1}', { a: 1 }],
  ['single quotes', "{'path': 'a', 'all': True, 'none': None}", { path: 'a', all: true, none: null }],
  ['an apostrophe in single quotes', "{'a': 'it\\'s'}", { a: "it's" }],
  ['a trailing comma', '{"a":[1,2,],}', { a: [1, 2] }],
  ['keys without quotes', '{path: "a"}', { path: 'a' }],
  ['a code fence', '```json\n{"a":1}\n```', { a: 1 }],
  ['a raw line break in a string', '{"content":"one\ntwo"}', { content: 'one\ntwo' }],
  ['a backslash in a pattern', '{"pattern":"\\d+\\.ts"}', { pattern: '\\d+\\.ts' }],
  [
    'a backslash in a path',
    '{"path":"C:\\Projects\\x","q":"say \\"hi\\""}',
    { path: 'C:\\Projects\\x', q: 'say "hi"' },
  ],
  ['a missing closing bracket', '{"a":{"b":["c"]', { a: { b: ['c'] } }],
  ['a missing comma', '{"a":1 "b":2}', { a: 1, b: 2 }],
])('%s has an obvious meaning', async (_name, raw, meant) => {
  const repaired = await repairArguments(raw, 'Read');
  expect(repaired.invalid).toBeUndefined();
  expect(repaired.rawArguments).toBe(raw);
  expect(JSON.parse(repaired.arguments)).toEqual(meant);
});

test.each([
  ['prose', 'Please read a.ts'],
  ['a list', '[1,2]'],
  ['a number', '42'],
  ['null', 'null'],
  ['an unclosed string', '{"path":"a","content":"half a fi'],
  ['an unclosed string with the bracket in it', '{"path":"a","content":"half}'],
  ['a number that may continue', '{"limit":12'],
  ['a key without value', '{"path":"a","content"'],
  ['a colon without value', '{"path":'],
  ['an empty value', '{"path":}'],
  ['a final comma', '{"path":"a",'],
  ['an ellipsis', '{"lines":["a",...]}'],
  ['two different objects', '{"a":1}{"b":2}'],
])('%s is rejected with a message that the model can act on', async (_name, raw) => {
  const refused = await repairArguments(raw, 'Write');
  expect(refused).toMatchObject({ arguments: '{}', rawArguments: raw });
  expect(refused.invalid).toContain('Write call did not run');
  expect(refused.invalid).toContain(raw);
});

test('the excerpt of a long text stays short', async () => {
  const { invalid } = await repairArguments(`{"content":"${'x'.repeat(50_000)}`, 'Write');
  expect(invalid?.length).toBeLessThan(1000);
  expect(invalid).toContain('50012 characters');
});

const objects = fc.dictionary(fc.string(), fc.jsonValue());

test('every object is passed on byte for byte, whatever its spacing', async () => {
  await fc.assert(
    fc.asyncProperty(objects, fc.nat(3), async (value, spaces) => {
      const raw = JSON.stringify(value, null, spaces);
      expect(await repairArguments(raw, 'T')).toEqual({ arguments: raw });
    }),
  );
});

test('an object cut anywhere is never turned into one with other values', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 1 }),
      fc.nat(),
      async (value, at) => {
        const whole = JSON.stringify(value);
        const cut = whole.slice(0, 1 + (at % (whole.length - 1)));
        const { arguments: json, invalid } = await repairArguments(cut, 'T');
        const got = JSON.parse(json) as Record<string, unknown>;
        if (invalid === undefined) for (const key of Object.keys(got)) expect(got[key]).toBe(value[key]);
      },
    ),
    { numRuns: 500 },
  );
});

test('it never throws, and its result is always an object', async () => {
  const shards = fc.array(
    fc.constantFrom('{', '}', '[', ']', '"', "'", ':', ',', 'a', '1', '\\', '\n', '...', '`', ' '),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        shards.map((parts) => parts.join('')),
      ),
      async (raw) => {
        const parsed: unknown = JSON.parse((await repairArguments(raw, 'T')).arguments);
        expect(typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

test('excessively nested arguments are rejected; brackets in a string are text', async () => {
  for (const raw of [`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, `{"a":${'{"a":'.repeat(101)}`]) {
    const refused = await repairArguments(raw, 'Read');
    expect(refused).toMatchObject({ arguments: '{}', invalid: expect.stringContaining('100 levels deep') });
    expect(refused.invalid?.length).toBeLessThan(400);
  }
  const text = JSON.stringify({ content: `\\"${'['.repeat(500)}` });
  expect(await repairArguments(text, 'Write')).toEqual({ arguments: text });
});
