/** The terminal of these tests: however a frame is split, it is drawn at once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWholeFrames } from './support/wholeFrames.ts';

const [BEGIN, END] = ['\u001B[?2026h', '\u001B[?2026l'];

test('no partial frame is ever drawn, and nothing is lost, however the frame is split', () => {
  const part = fc.oneof(
    fc.constant('printed \u001B[31mred\u001B[0m'),
    fc.constantFrom('one', 'two').map((text) => `${BEGIN}${text}${END}`),
    // A frame within an update, as written by code that prints above the frame.
    fc.constant(`${BEGIN}\u001B[Jabove${BEGIN}below${END}${END}`),
  );
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.integer({ min: 1, max: 12 })), (parts, sizes) => {
      const text = parts.join('');
      let drawn = '';
      const frames = createWholeFrames((piece) => {
        drawn += piece;
        expect(drawn.lastIndexOf(BEGIN)).toBeLessThanOrEqual(drawn.lastIndexOf(END));
      });
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 5;
        frames.take(text.slice(at, at + size));
        at += size;
      }
      expect(frames.isWaiting()).toBe(false);
      expect(drawn).toBe(text);
    }),
  );
});

test('a frame whose end is missing is drawn after a while, or at the end', async () => {
  const drawn: string[] = [];
  const frames = createWholeFrames((piece) => drawn.push(piece), 1);
  frames.take(`${BEGIN}half`);
  expect(drawn).toEqual([]);
  await expect.poll(() => drawn).toEqual([`${BEGIN}half`]);
  frames.take(`${BEGIN}another`);
  frames.flush();
  expect(drawn).toEqual([`${BEGIN}half`, `${BEGIN}another`]);
});
