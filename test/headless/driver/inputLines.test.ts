import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputLines } from '../../../src/headless/driver/inputLines.ts';

async function read(chunks: readonly Uint8Array[], maxBytes?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of inputLines(
    (async function* () {
      yield* chunks;
    })(),
    maxBytes,
  ))
    lines.push(line.type === 'line' ? line.text : '<too long>');
  return lines;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('lines are the same however they are cut into chunks', async () => {
  const whole = bytes('{"a":"ü"}\r\n\n  \n{"b":2}\n{"c":"\u{1f600}"}');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const chunks = at.slice(1).map((end, index) => whole.subarray(at[index], end));
      expect(await read(chunks)).toEqual(['{"a":"ü"}', '{"b":2}', '{"c":"\u{1f600}"}']);
    }),
  );
});

test('a byte order mark is not part of the first line', async () => {
  expect(await read([bytes('\uFEFF{}\n')])).toEqual(['{}']);
});

test('nothing is read after a line that is too long', async () => {
  expect(await read([bytes('short\n'), bytes('too '), bytes('long\nnext\n')], 7)).toEqual([
    'short',
    '<too long>',
  ]);
  expect(await read([bytes('exactly\n')], 7)).toEqual(['exactly']);
});
