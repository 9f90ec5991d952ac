import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { isWholeZstd } from '../../../../src/context/storage/catalogue/archiveSession.ts';
import { temporaryFolder } from '../tmp.ts';

const pack = (bytes: Buffer, checksum = 1): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: checksum } });

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a word', Buffer.from('word')],
  ['zeros', Buffer.alloc(1_000_000)],
  ['noise', randomBytes(400_000)],
  ['lines', Buffer.from('{"v":1,"seq":1}\n'.repeat(50_000))],
])('%s, packed, is whole; cut short anywhere or with more behind it, it is not', async (_, bytes) => {
  const file = join(await temporaryFolder(), 'x.zst');
  const whole = async (packed: Buffer): Promise<boolean> => {
    await writeFile(file, packed);
    return isWholeZstd(file);
  };
  for (const checksum of [0, 1]) {
    const packed = pack(bytes, checksum);
    expect(await whole(packed)).toBe(true);
    expect(await whole(Buffer.concat([packed, packed]))).toBe(true);
    for (const cut of [1, 2, 3, 5, packed.length >> 1, packed.length - 1, packed.length])
      if (cut <= packed.length) expect(await whole(packed.subarray(0, packed.length - cut))).toBe(false);
    expect(await whole(Buffer.concat([packed, Buffer.from('tail')]))).toBe(false);
  }
});
