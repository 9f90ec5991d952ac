import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { beforeDamage, bytesOf } from '../../../src/context/storage/logBytes.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const pack = (bytes: Buffer, checksum = 1): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: checksum } });

let file = '';
beforeEach(async () => {
  file = join(temporaryFolder(), 'archive/x.jsonl.zst');
  await mkdir(dirname(file));
});

/** The part that can be unpacked; the message is absent if that is everything. */
async function unpack(packed: Buffer, start = 0): Promise<{ bytes: Buffer; problem?: string }> {
  await writeFile(file, packed);
  let problem: string | undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of beforeDamage(bytesOf(file, start), ({ message }) => {
    problem = message;
  }))
    chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return problem === undefined ? { bytes } : { bytes, problem };
}

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a word', Buffer.from('word')],
  ['zeros', Buffer.alloc(1_000_000)],
  ['noise', randomBytes(400_000)],
  ['lines', Buffer.from('{"v":1,"seq":1}\n'.repeat(50_000))],
])(
  '%s, packed, is read in full; cut short anywhere or with more behind it, up to there',
  async (_, bytes) => {
    for (const checksum of [0, 1]) {
      const packed = pack(bytes, checksum);
      const isWhole = async (whole: Buffer, given: Buffer, start?: number): Promise<boolean> => {
        const found = await unpack(given, start);
        return found.problem === undefined && found.bytes.equals(whole);
      };
      expect(await isWhole(bytes, packed)).toBe(true);
      expect(await isWhole(Buffer.concat([bytes, bytes]), Buffer.concat([packed, packed]))).toBe(true);
      expect(await isWhole(bytes.subarray(3), packed, 3)).toBe(true);
      for (const cut of [1, 2, 3, 5, packed.length >> 1, packed.length - 1, packed.length]) {
        if (cut > packed.length) continue;
        const found = await unpack(packed.subarray(0, packed.length - cut));
        expect(found.problem).toContain('damaged');
        expect(bytes.subarray(0, found.bytes.length).equals(found.bytes)).toBe(true);
      }
      const longer = await unpack(Buffer.concat([packed, Buffer.from('tail')]));
      expect(longer.bytes.equals(bytes)).toBe(true);
      expect(longer.problem).toContain(`first ${packed.length} of ${packed.length + 4} bytes`);
    }
  },
);

const blockBytes = 128 * 1024;

test('every block before the damage is read, wherever it is', async () => {
  const bytes = Buffer.from(randomBytes(300_000).toString('hex'));
  const packed = pack(bytes);
  const share = packed.length / bytes.length;
  for (let block = 0; block < 4; block += 1) {
    const damaged = Buffer.from(packed);
    // After the block's header, so that only unpacking finds the damage.
    const at = Math.floor((block + 0.5) * blockBytes * share);
    damaged.fill(0xff, at, at + 2000);
    const found = await unpack(damaged);
    expect(found.problem).toContain('damaged');
    expect(found.bytes.length).toBeGreaterThanOrEqual(block * blockBytes);
    const intact = block * blockBytes;
    expect(found.bytes.subarray(0, intact).equals(bytes.subarray(0, intact))).toBe(true);
  }
});

test('garbage is damaged from its beginning', async () => {
  expect(await unpack(Buffer.from('no archive at all'))).toMatchObject({
    bytes: Buffer.alloc(0),
    problem: expect.stringContaining('none of its 17 bytes'),
  });
});

test('a reader may stop early', async () => {
  await writeFile(file, pack(randomBytes(1_000_000)));
  for await (const chunk of bytesOf(file)) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
});

const mebibyte = 2 ** 20;

test('reads only a bounded part of an archive that unpacks to far more than its size', async () => {
  const { bytes, problem } = await unpack(pack(Buffer.alloc(140 * mebibyte)));
  expect(bytes.length).toBeLessThanOrEqual(128 * mebibyte);
  expect(problem).toContain('unpacks to more than 128 MB');
  expect(problem).toContain(file);
});

test('a large archive may unpack to many times its size', { tags: 'long' }, async () => {
  const noise = randomBytes(3 * mebibyte);
  const packed = Buffer.concat([pack(noise), pack(Buffer.alloc(140 * mebibyte))]);
  const { bytes, problem } = await unpack(packed);
  expect([bytes.length, problem]).toEqual([143 * mebibyte, undefined]);
});
