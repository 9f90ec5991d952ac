import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seal, unseal } from '../../../src/context/storage/entryLine.ts';
import { readLog } from '../../../src/context/storage/logReader.ts';
import { makeEntry, temporaryFolder } from './tmp.ts';

const objects = fc
  .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
  .map((value) => JSON.stringify(value));

test('a line comes back as it was, and sealing it again changes nothing', () => {
  fc.assert(
    fc.property(objects, (line) => {
      const sealed = seal(line);
      expect(unseal(Buffer.from(sealed))).toEqual({ json: line, seal: 'intact' });
      expect(unseal(Buffer.from(`${sealed} \r`))).toEqual({ json: line, seal: 'intact' });
      expect(unseal(Buffer.from(`\uFEFF${sealed}`))).toEqual({ json: line, seal: 'intact' });
      expect(seal(sealed)).toBe(sealed);
      expect(unseal(Buffer.from(line))).toEqual({ json: line, seal: 'absent' });
    }),
  );
});

test('no bit can flip unnoticed', () => {
  fc.assert(
    fc.property(objects, fc.nat(), (line, place) => {
      const bytes = Buffer.from(seal(line));
      const bit = place % (8 * bytes.length);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(unseal(bytes).seal).not.toBe('intact');
    }),
    { numRuns: 1000 },
  );
});

test('lines without a checksum are read; behind lines with one they are told of, but for those of a newer format', async () => {
  const file = join(await temporaryFolder(), 's.jsonl');
  const lines = [0, 1, 2, 3, 4].map((seq) =>
    JSON.stringify({ ...makeEntry(seq), ...(seq === 4 ? { v: 2 } : {}) }),
  );
  const [a = '', b = '', c = '', d = '', e = ''] = lines;
  await writeFile(file, [a, b, seal(c), d, e, ''].join('\n'));
  const { entries, damaged } = await readLog(file);
  expect(entries.map((entry) => JSON.stringify(entry))).toEqual(lines);
  expect(damaged).toMatchObject([{ line: 4, reason: 'has lost its checksum', lost: [] }]);
});
