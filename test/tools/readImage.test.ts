import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeImage, imageNumbersIn, readImageHeader } from '../../src/protocol/files/images.ts';
import { resultDifferences } from '../claudeTypes.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const png = (width: number, height: number): Buffer => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return bytes(PNG, [0, 0, 0, 13], 'IHDR', [...size], [8, 6, 0, 0, 0]);
};
const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 48, 0, 64, 1, 1, 0x11, 0]);
const gif = bytes('GIF89a', [64, 0, 48, 0, 0, 0, 0]);
const webp = bytes('RIFF', [40, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 63, 0, 0, 47, 0, 0]);

describe('the bytes of a file', () => {
  test.each([
    ['a PNG', png(640, 480), 'PNG, 640×480'],
    ['a JPEG', jpeg, 'JPEG, 64×48'],
    ['a GIF', gif, 'GIF, 64×48'],
    ['a WebP', webp, 'WebP, 64×48'],
    ['a truncated PNG', bytes(PNG), 'PNG'],
    ['a PNG without a size', png(0, 9), 'PNG'],
    ['a truncated JPEG', jpeg.subarray(0, 6), 'JPEG'],
  ])('identify %s', (_what, data, said) => {
    const header = readImageHeader(data);
    expect(header === undefined ? undefined : describeImage(header)).toBe(said);
  });

  test.each([
    ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"></svg>')],
    ['a text', bytes('PNG')],
    ['nothing', bytes('')],
    ['an audio RIFF', bytes('RIFF', [0, 0, 0, 0], 'WAVE')],
  ])('show that %s is not an image that models accept', (_what, data) => {
    expect(readImageHeader(data)).toBeUndefined();
  });

  test('never throw, whatever follows the first of them', () => {
    const start = fc.constantFrom(PNG, [0xff, 0xd8, 0xff], [...bytes('GIF8')], [...bytes('RIFF0000WEBP')]);
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 400 }), (first, rest) => {
        const header = readImageHeader(bytes(first, [...rest]));
        expect(header?.mediaType).toMatch(/^image\//);
        if (header?.width !== undefined) expect(header.width).toBeGreaterThan(0);
      }),
    );
  });
});

test('a prompt’s images are those that it names, each once', () => {
  expect(imageNumbersIn('[Image #2] and [Image #1], not [Image #x] nor [image #3]; [Image #2]')).toEqual([
    2, 1,
  ]);
});

describe('Read of an image', () => {
  let bench: Workbench;
  let sees: boolean | undefined;
  beforeEach(async () => {
    bench = await openWorkbench({}, { seesImages: () => sees });
    await writeFile(join(bench.root, 'shot.png'), png(640, 480));
  });
  afterEach(() => bench.close());
  const look = (file_path = 'shot.png') => bench.call('Read', { file_path });

  test('shows it to a model with image input', async () => {
    sees = true;
    const { images, response, ...outcome } = await look();
    expect(resultDifferences('Read', response?.({ durationMs: 1, todos: [] }) as object)).toEqual([]);
    expect(outcome).toEqual({
      status: 'ok',
      text: `${join(bench.root, 'shot.png')} is an image (PNG, 640×480, 29 bytes). It follows in a separate message.`,
      kind: 'file',
      display: { title: 'shot.png', summary: 'image, PNG, 640×480, 29 bytes' },
    });
    const data = png(640, 480).toString('base64');
    expect(images).toEqual([
      { path: join(bench.root, 'shot.png'), image: { type: 'image', mediaType: 'image/png', data } },
    ]);
  });

  test.each([false, undefined])(
    'returns its properties to a model whose image support is %s',
    async (known) => {
      sees = known;
      const outcome = await look();
      expect(outcome.text).toMatch(
        /is an image \(PNG, 640×480, 29 bytes\)\. This model may not support images/,
      );
      expect(outcome.images).toBeUndefined();
    },
  );

  test('rejects a file that is too large, and says what to do', async () => {
    sees = true;
    await writeFile(join(bench.root, 'large.png'), Buffer.concat([png(9000, 9000), Buffer.alloc(6_000_000)]));
    const outcome = await look('large.png');
    expect(outcome.text).toContain('larger than 5.2 MB; make a smaller copy');
    expect(outcome.images).toBeUndefined();
  });

  test('decides by the bytes, not by the name', async () => {
    sees = true;
    await writeFile(join(bench.root, 'text.png'), 'only text\n');
    await writeFile(join(bench.root, 'picture.txt'), jpeg);
    expect((await look('text.png')).text).toContain('1\tonly text');
    expect((await look('picture.txt')).images?.[0]?.image.mediaType).toBe('image/jpeg');
  });
});
