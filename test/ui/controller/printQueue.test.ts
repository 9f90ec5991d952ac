import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPrintQueue, PIECE_CHARACTERS } from '../../../src/ui/controller/printQueue.ts';
import type { Print } from '../../../src/ui/controller/view.ts';
import { splitFinished } from '../../../src/ui/print/streaming.ts';

const paragraph = (length: number): string => `${'word '.repeat(Math.ceil(length / 5)).trim()}\n\n`;
const markdown = (text: string): Print => ({ type: 'markdown', text, first: true });

function drain(queue: ReturnType<typeof createPrintQueue>): (readonly Print[])[] {
  const pieces: (readonly Print[])[] = [];
  while (!queue.isEmpty()) pieces.push(queue.next());
  return pieces;
}

const textOf = (pieces: readonly (readonly Print[])[]): string =>
  pieces
    .flat()
    .map((print) => (print.type === 'markdown' || print.type === 'notice' ? print.text : ''))
    .join('');

test('a long reply is printed in chunks of whole blocks, none much longer than the limit', () => {
  const text = Array.from({ length: 200 }, (_, index) => paragraph(100 + (index % 7) * 90)).join('');
  const queue = createPrintQueue(splitFinished);
  queue.add(markdown(text));
  const pieces = drain(queue);
  expect(textOf(pieces)).toBe(text);
  expect(pieces.length).toBeGreaterThan(text.length / PIECE_CHARACTERS);
  for (const piece of pieces.slice(0, -1)) {
    expect(textOf([piece]).length).toBeLessThanOrEqual(PIECE_CHARACTERS);
    expect(textOf([piece])).toMatch(/\n\n$/);
  }
});

test('a block longer than a chunk is not split', () => {
  const block = `\`\`\`\n${'a line of code\n'.repeat(2000)}\`\`\`\n\n`;
  const queue = createPrintQueue(splitFinished);
  queue.add(markdown(`${paragraph(100)}${block}${paragraph(100)}`));
  expect(drain(queue).some((piece) => textOf([piece]).includes(block))).toBe(true);
});

test('nothing is lost, and the order is kept', () => {
  const one = fc.oneof(
    fc
      .array(fc.integer({ min: 1, max: 3000 }), { maxLength: 12 })
      .map((sizes) => markdown(sizes.map(paragraph).join(''))),
    fc.string({ maxLength: 30 }).map((text): Print => ({ type: 'notice', level: 'info', text })),
  );
  fc.assert(
    fc.property(fc.array(one, { maxLength: 20 }), (prints) => {
      const queue = createPrintQueue(splitFinished);
      queue.add(...prints);
      const pieces = drain(queue);
      expect(textOf(pieces)).toBe(textOf([prints]));
      expect(pieces.every((piece) => piece.length > 0)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('the rest is everything still queued', () => {
  const queue = createPrintQueue(splitFinished);
  queue.add(markdown(paragraph(20_000)), markdown('end'));
  queue.next();
  queue.rest();
  expect(queue.isEmpty()).toBe(true);
});
