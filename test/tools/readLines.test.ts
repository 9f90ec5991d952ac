import type { FileHandle } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readLines } from '../../src/tools/files/readLines.ts';

const range = {
  offset: 1,
  limit: 100_000,
  maxLineCharacters: 2000,
  maxCharacters: 2 ** 24,
  maxWholeBytes: 2 ** 28,
};

/** A file that returns at most `most` bytes per read, as a system may. */
function inPieces(content: Buffer, most: number): FileHandle {
  const read = async (into: Buffer, offset: number, length: number, position: number) => {
    const end = position + Math.min(length, most);
    return { bytesRead: content.copy(into, offset, position, end), buffer: into };
  };
  return { read } as unknown as FileHandle;
}

describe('a file that arrives in chunks is read in full', () => {
  const content = Buffer.from(Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join(''));

  test.each([
    ['with its length', content.length],
    ['even if it claims to be empty, as kernel files do', 0],
    ['even if it has grown since its size was read', 20_000],
  ])('%s', async (_name, sizeBytes) => {
    for (const most of [100, 4096, 8192, 1_000_000]) {
      const result = await readLines(inPieces(content, most), sizeBytes, range, new AbortController().signal);
      // A file that has grown is read up to its known size, or further.
      const least = sizeBytes === 20_000 ? 1800 : 5000;
      expect(result).toMatchObject({ type: 'text', valid: true });
      expect(result.type === 'text' ? (result.totalLines ?? 0) : 0).toBeGreaterThanOrEqual(least);
    }
  });
});
