import { expect, test } from 'vitest';
import { partsOfMessage } from '../../../src/context/tokens/measured.ts';

/** What an image adds to the cost of a message. */
const imageTokens = (data: string, byTiles: boolean): number => {
  const costOf = (images: readonly string[]): number => {
    const content = images.map((one) => ({ type: 'image', mediaType: 'image/png', data: one }) as const);
    return partsOfMessage({ role: 'user', content }, byTiles).fixed;
  };
  return costOf([data]) - costOf([]);
};

const base64 = (...parts: (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64');
const u16 = (value: number): number[] => [value >> 8, value & 255];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];
const little16 = (value: number): number[] => [value & 255, value >> 8];
const little24 = (value: number): number[] => [...little16(value & 0xffff), value >> 16];

const png = (width: number, height: number): string =>
  base64('\x89PNG\r\n\x1a\n', u32(13), 'IHDR', u32(width), u32(height), [8, 6, 0, 0, 0]);
const gif = base64('GIF89a', little16(640), little16(480), [0, 0, 0]);
const jpeg = base64(
  [0xff, 0xd8, 0xff, 0xe0],
  u16(16),
  'JFIF\0',
  [1, 1, 0, 0, 1, 0, 1, 0, 0],
  [0xff, 0xc4],
  u16(4),
  [0, 0],
  [0xff, 0xff, 0xc2],
  u16(17),
  [8],
  u16(480),
  u16(640),
  [3, 1, 0x22, 0],
);
const webpLossy = base64(
  'RIFF',
  u32(0),
  'WEBPVP8 ',
  u32(0),
  [0, 0, 0, 0x9d, 1, 0x2a],
  little16(640),
  little16(480),
);
const webpLossless = base64('RIFF', u32(0), 'WEBPVP8L', u32(0), [0x2f], [0x7f, 0xc2, 0x77, 0x00]);
const webpExtended = base64('RIFF', u32(0), 'WEBPVP8X', u32(0), [0, 0, 0, 0], little24(639), little24(479));

test.each([
  ['png', png(640, 480)],
  ['gif', gif],
  ['jpeg', jpeg],
  ['lossy webp', webpLossy],
  ['lossless webp', webpLossless],
  ['extended webp', webpExtended],
])('the size of a %s is read from its header', (_, data) => {
  for (const byTiles of [true, false])
    expect(imageTokens(data, byTiles)).toBe(imageTokens(png(640, 480), byTiles));
  expect(imageTokens(data, false)).toBe(410);
});

test.each([
  [512, 512, 255],
  [1024, 1024, 765],
  [2048, 4096, 1105],
  [4096, 8192, 1105],
])('an image of %d by %d pixels costs %d tokens where tiles are charged', (width, height, tokens) => {
  expect(imageTokens(png(width, height), true)).toBe(tokens);
});

test.each([
  [200, 200, 54],
  [1000, 1000, 1334],
  [8000, 100, 41],
  [8000, 8000, 1600],
])('an image of %d by %d pixels costs %d tokens if its area is charged', (width, height, tokens) => {
  expect(imageTokens(png(width, height), false)).toBe(tokens);
});

test.each([
  ['nothing', ''],
  ['no image', 'A'.repeat(1000)],
  ['no base64', '%%%%'],
  ['half a header', png(640, 480).slice(0, 20)],
  ['no pixels', png(0, 0)],
  ['a JPEG without a frame', base64([0xff, 0xd8], ...Array.from({ length: 60 }, () => [0xff, 0xe1, 0, 2]))],
  ['a JPEG without an image', base64([0xff, 0xd8, 1, 2, 3, 4, 5, 6])],
])('%s costs the flat price', (_, data) => {
  expect(imageTokens(data, true)).toBe(1200);
  expect(imageTokens(data, false)).toBe(1200);
});
