import fc from 'fast-check';
import { render, Text, useInput, usePaste } from 'ink';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createPasteAssembler, createPasteStream } from '../../../src/ui/input/paste.ts';
import { cpuClock } from '../../cpuTime.ts';
import { createScreen, keys } from '../screen.ts';

/** Splits text into chunks of the given sizes, again and again. */
function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

describe('assembling', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ maxLength: 20 }).map(keys.paste),
    fc.constantFrom('\u001B[A', '\u001B', '\u001B[20', '\r'),
  );

  const all = (pieces: readonly string[]): string => {
    const { take, quietMs, settle } = createPasteAssembler();
    let text = pieces.map(take).join('');
    while (quietMs() !== undefined) text += settle();
    return text;
  };

  test('passes text without marks in order, and a paste in one piece, however the chunks are split', () => {
    fc.assert(
      fc.property(
        fc.array(part),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }),
        (parts, sizes) => {
          const before = parts.join('').replaceAll(/\u001B(?:\[20)?/g, '');
          const paste = keys.paste('last');
          expect(all(cut(`${before}${paste}${paste}`, sizes))).toBe(`${before}${paste}${paste}`);
        },
      ),
    );
  });

  test('holds a paste until it is complete, even if its end mark is split', () => {
    const { take, quietMs, settle } = createPasteAssembler();
    expect(['ab\u001B[200~one', 'two', 'three\u001B[2'].map(take)).toEqual(['ab', '', '']);
    expect(quietMs()).toBe(undefined);
    expect(take('01~')).toBe('');
    expect(quietMs()).toBe(10);
    expect(settle()).toBe(keys.paste('onetwothree'));
    expect(take('y')).toBe('y');
  });

  test.each([
    ['in one chunk', ['\u001B[200~a\u001B[201~!touch X\r\u001B[201~'], '!touch X\r'],
    ['in the next chunk', ['\u001B[200~a\u001B[201~', 'y', '\u001B[201~'], 'y'],
    ['with a mark split in two', ['\u001B[200~a\u001B[2', '01~y', '\u001B[20', '1~'], 'y'],
    ['with a start mark split in two', ['\u001B', '[200~a\u001B[201~y\u001B[201~'], 'y'],
    ['with a start mark', ['\u001B[200~a\u001B[201~x\u001B[200~y\u001B[201~'], 'xy'],
    ['with a mark inside a mark', ['\u001B[200~a\u001B[201~\u001B[20\u001B[201~1~y\u001B[201~'], '[201~y'],
  ])('text right after an end mark is pasted text: %s', (_, pieces, rest) => {
    expect(all(pieces)).toBe(keys.paste(`a${rest}`));
  });

  test('one Enter right after a paste, with nothing behind it, is a key', () => {
    expect(all(['\u001B[200~a\u001B[201~\r'])).toBe(`${keys.paste('a')}\r`);
    expect(all(['\u001B[200~a\u001B[201~', '\r'])).toBe(`${keys.paste('a')}\r`);
    expect(all(['\u001B[200~a\u001B[201~\r', '\u001B[201~'])).toBe(keys.paste('a\r'));
    expect(all(['\u001B[200~a\u001B[201~\r\u001B[200~b\u001B[201~'])).toBe(keys.paste('a\rb'));
  });

  /** What is emitted if the program saw no more input for a moment after the first end mark. */
  const late = (...pieces: readonly string[]): string => {
    const { take, quietMs, settle } = createPasteAssembler();
    let text = take('\u001B[200~a\u001B[201~') + settle();
    text += pieces.map(take).join('');
    while (quietMs() !== undefined) text += settle();
    return text;
  };

  test.each<[string, string[], string]>([
    ['followed by more', ['b\rc', '\u001B[201~'], `${keys.paste('b\rc')}\u001B[201~`],
    ['at the end of a read', ['b\r', 'c'], `${keys.paste('b\r')}c`],
    ['alone in a read', ['\r', 'b\u001B[201~'], `${keys.paste('\r')}${keys.paste('b')}`],
    ['in other encodings', ['b\u001B[13u', '\u001BOM', 'c'], ['b\r', '\r', 'c'].map(keys.paste).join('')],
    ['before the next paste', ['\r', keys.paste('b')], `${keys.paste('\r')}${keys.paste('b')}`],
  ])('an Enter shortly after a paste, %s, is pasted', (_, pieces, rest) => {
    expect(late(...pieces)).toBe(`${keys.paste('a')}${rest}`);
  });

  test('keys shortly after a paste count at once, and an Enter once nothing follows', () => {
    const { take, quietMs, settle } = createPasteAssembler();
    expect([take(keys.paste('a')), settle(), take('b'), take('\u001B[D')]).toEqual([
      ...['', keys.paste('a'), 'b', '\u001B[D'],
    ]);
    expect([take('\r'), take('\r')]).toEqual(['', '\r']);
    expect(quietMs()).toBe(150);
    expect(settle()).toBe('\r');
    expect(quietMs()).toBe(undefined);
    expect(take('\r')).toBe('\r');
  });

  test.each(['\u0003', '\u001B[99;5u'])('%j ends a paste without an end mark', (key) => {
    const { take, settle } = createPasteAssembler();
    expect(['\u001B[200~never', ' ends', key, 'x'].map(take)).toEqual(['', '', key, 'x']);
    expect(take('\u001B[201~')).toBe('\u001B[201~');
    expect(take(keys.paste('next'))).toBe('');
    expect(settle()).toBe(keys.paste('next'));
  });
});

const pasted: string[] = [];
const typed: string[] = [];
function Listener() {
  useInput((input) => {
    typed.push(input);
  });
  usePaste((text) => {
    pasted.push(text);
  });
  return <Text>listening</Text>;
}

describe('as the input of Ink', () => {
  let app: ReturnType<typeof render> | undefined;
  afterEach(() => app?.unmount());

  test('text typed before is emitted line by line, so that its Enters are keys, until a paste', async () => {
    const screen = createScreen();
    typed.length = 0;
    const paste = keys.paste('two\rlines');
    const stdin = createPasteStream(screen.stdin, `first\rsec${paste}ond\rthird`, () => true);
    screen.stdin.write(' and\ron');
    app = render(<Listener />, {
      ...screen,
      stdin,
      interactive: true,
      exitOnCtrlC: false,
      patchConsole: false,
    });
    await screen.settle();
    expect({ typed, pasted }).toEqual({
      typed: ['first\r', 'sec'],
      pasted: ['two\rlinesond\rthird and\ron'],
    });
    pasted.length = 0;
    typed.length = 0;
  });

  test('a ten-megabyte paste in small chunks arrives in full and quickly, and keys still work', {
    tags: 'long',
  }, async () => {
    const screen = createScreen();
    const stdin = createPasteStream(screen.stdin);
    const options = { interactive: true, exitOnCtrlC: false, patchConsole: false };
    app = render(<Listener />, { ...screen, stdin, ...options });
    await screen.press('a');
    expect(screen.isRaw()).toBe(true);
    const text = 'a line of text 漢字\n'.repeat(550_000);
    const spentMs = cpuClock();
    for (const piece of cut(keys.paste(text), [4096])) {
      screen.stdin.write(piece);
      await new Promise(setImmediate);
    }
    // Text right after the end of a paste still counts as pasted.
    await vi.waitFor(() => expect(pasted).toHaveLength(1), { timeout: 60_000 });
    await screen.press('b');
    expect(spentMs()).toBeLessThan(6000);
    expect(pasted).toEqual([text]);
    expect(typed).toEqual(['a', 'b']);
    app.unmount();
    expect(screen.isRaw()).toBe(false);
    await screen.settle();
    expect(screen.stdin.listenerCount('data')).toBe(0);
  });
});
