import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toModelError } from '../../../../src/model/errors.ts';
import { createCallSlots, createCompletenessWatch } from '../../../../src/model/wires/chat/callSlots.ts';

const about = { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', hasKey: true, reached: true, started: true };
const call = (index: number, text: string) => ({
  index,
  id: `c${index}`,
  function: { name: 'Read', arguments: text },
});

test('a reply may contain a hundred calls and not one more', () => {
  const slots = createCallSlots();
  for (let index = 0; index < 100; index++) slots.add([call(index, '{}')]);
  expect(slots.all()).toHaveLength(100);
  expect(() => slots.add([call(100, '{}')])).toThrow('more than 100 tool calls');
});

test('endless arguments end the reply, and it is not retried', () => {
  const slots = createCallSlots();
  slots.add([call(0, '{"content":"')]);
  const piece = 'x'.repeat(100_000);
  for (let count = 0; count < 9; count++) slots.add([{ index: 0, function: { arguments: piece } }]);
  const thrown = (() => {
    try {
      slots.add([{ index: 0, function: { arguments: piece } }]);
    } catch (error) {
      return error;
    }
    return undefined;
  })();
  expect(toModelError(thrown, about)).toMatchObject({
    kind: 'bad_request',
    retryable: false,
    message: expect.stringContaining(
      'it contains a tool call with more than 1,000,000 characters of arguments',
    ),
  });
});

test('many small chunks of one call, each with its name and a bracket, are not parsed again for each', () => {
  const slots = createCallSlots();
  slots.add([call(0, `{"content":"${'x'.repeat(500_000)}`)]);
  const pieces = Array.from({ length: 1000 }, () => call(0, ' }'));
  for (let count = 0; count < 200; count++) slots.add(pieces);
  expect(slots.all().map((slot) => slot.arguments.length)).toEqual([900_012]);
  expect(slots.size()).toBe(900_012 + 'Read'.length + 'c0'.length);
});

/** The slow definition. */
function isObject(text: string): boolean {
  try {
    return text.trim().startsWith('{') && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

test('growing text is complete exactly when it is a JSON object', { tags: 'long' }, () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      ' ',
      '\n',
      '{}',
      '{"a":',
      '"a"',
      '1',
      '{"a":"}"}',
    ),
    fc.object({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const watch = createCompletenessWatch();
      let whole = '';
      for (const one of pieces) {
        watch.pass(one);
        whole += one;
        expect(watch.isComplete(whole)).toBe(isObject(whole));
      }
    }),
    { numRuns: 2000 },
  );
});
