import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventReader } from '../../../src/model/wires/eventReader.ts';

function read(chunks: readonly Uint8Array[]) {
  const dropped: string[] = [];
  const reader = createEventReader((sample) => dropped.push(sample));
  const events = [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
  return { events, dropped, isDone: reader.isDone() };
}

function cut(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

test('good events are read, bad ones are dropped and counted, wherever bytes are split and however lines end', {
  tags: 'long',
}, () => {
  const good = fc
    .record({ text: fc.string({ unit: 'grapheme' }) })
    .map((value) => ({ data: JSON.stringify(value), good: true }));
  const bad = fc.constantFrom('{"half', 'oops', '12', '[1]', 'null').map((data) => ({ data, good: false }));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(good, bad), { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('data: ', 'data:'),
      (events, lineEnd, sizes, prefix) => {
        const wire = events
          .map(({ data }) => `: note${lineEnd}${prefix}${data}${lineEnd}${lineEnd}`)
          .join('');
        const found = read(cut(wire, sizes));
        expect(found.events).toEqual(
          events.flatMap(({ data, good }) => (good ? { value: JSON.parse(data), isError: false } : [])),
        );
        expect(found.dropped).toEqual(events.flatMap((one) => (one.good ? [] : one.data)));
      },
    ),
    { numRuns: 300 },
  );
});

test('JSON over several data lines is one event; an error has its name; events after the end are ignored', () => {
  const wire =
    'data: {"a":\ndata: 1}\n\nevent: error\ndata: {}\n\nid: 7\ndatabase: x\ndata: [DONE]\n\ndata: {"b":2}';
  expect(read(cut(wire, [5]))).toEqual({
    events: [
      { value: { a: 1 }, isError: false },
      { value: {}, isError: true },
    ],
    dropped: [],
    isDone: true,
  });
  expect(read(cut('data: {"a":1}\ndata: {"b":2}', [7])).events.map(({ value }) => value)).toEqual([
    { a: 1 },
    { b: 2 },
  ]);
});

test('a long line in small chunks is joined once', { tags: 'long' }, () => {
  const long = `data: {"text":"${'x'.repeat(3_900_000)}"}\n\n`;
  expect(read(cut(long, [64])).events).toEqual([{ value: { text: 'x'.repeat(3_900_000) }, isError: false }]);
});
