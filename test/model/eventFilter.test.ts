import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterEvents } from '../../src/model/eventFilter.ts';

async function filter(chunks: readonly Uint8Array[]) {
  const dropped: string[] = [];
  let activity = 0;
  const news = {
    onActivity: () => {
      activity += 1;
    },
    onDropped: (sample: string) => {
      dropped.push(sample);
    },
  };
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const text = await new Response(source.pipeThrough(filterEvents(news))).text();
  return { text, dropped, activity };
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

test('good events pass, bad ones are dropped and counted, wherever bytes are cut and however lines end', async () => {
  const good = fc
    .record({ text: fc.string({ unit: 'grapheme' }) })
    .map((value) => ({ data: JSON.stringify(value), good: true }));
  const bad = fc.constantFrom('{"half', 'oops', '12', '[1]', 'null').map((data) => ({ data, good: false }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(good, bad), { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('data: ', 'data:'),
      async (events, lineEnd, sizes, prefix) => {
        const wire = events
          .map(({ data }) => `: note${lineEnd}${prefix}${data}${lineEnd}${lineEnd}`)
          .join('');
        const { text, dropped } = await filter(cut(wire, sizes));
        expect(text).toBe(events.flatMap((one) => (one.good ? `data: ${one.data}\n\n` : [])).join(''));
        expect(dropped).toEqual(events.flatMap((one) => (one.good ? [] : one.data)));
      },
    ),
    { numRuns: 300 },
  );
});

test('JSON over several data lines is one event; the end and the name of an error pass', async () => {
  const { text, dropped } = await filter(
    cut('data: {"a":\ndata: 1}\n\nevent: error\ndata: {}\n\nid: 7\ndatabase: x\ndata: [DONE]', [5]),
  );
  expect(text).toBe('data: {"a":\ndata: 1}\n\nevent: error\ndata: {}\n\ndata: [DONE]\n\n');
  expect(dropped).toEqual([]);
});

test('a line of ten megabytes in small chunks is read in linear time', async () => {
  const long = `data: {"text":"${'x'.repeat(10_000_000)}"}\n\n`;
  const started = performance.now();
  const { text, activity } = await filter(cut(long, [16_384]));
  expect(text).toBe(long);
  expect(activity).toBeGreaterThan(600);
  expect(performance.now() - started).toBeLessThan(3000);
});
