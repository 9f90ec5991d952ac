import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNestedTooDeep, migrateEntry, seal, unseal } from '../../../src/context/storage/entryLine.ts';
import { parseLine, readLog } from '../../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { makeEntry } from './madeUpLog.ts';

const objects = fc
  .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
  .map((value) => JSON.stringify(value));

test('a line is read back unchanged, and adding the checksum again changes nothing', () => {
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

test('no bit can flip unnoticed', { tags: 'long' }, () => {
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

test('lines without a checksum are read; after lines with one they are reported, except those of a newer format', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const lines = [0, 1, 2, 3, 4].map((seq) =>
    JSON.stringify({ ...makeEntry(seq), ...(seq === 4 ? { v: 2 } : {}) }),
  );
  const [a = '', b = '', c = '', d = '', e = ''] = lines;
  await writeFile(file, [a, b, seal(c), d, e, ''].join('\n'));
  const { entries, damaged } = await readLog(file);
  expect(entries.map((entry) => JSON.stringify(entry))).toEqual(lines);
  expect(damaged).toMatchObject([{ line: 4, reason: 'has lost its checksum', lost: [] }]);
});

/** A line from before lines were counted and had a version. */
function oldLine(seq: number): string {
  const { v: _, seq: __, ...line } = makeEntry(seq);
  return JSON.stringify({ ...line, gitBranch: 'main', compactMetadata: { trigger: 'auto', preTokens: 1 } });
}

test('a log from before lines had versions is counted by its lines, continues, and is not rewritten', async () => {
  const folder = temporaryFolder();
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1' });
  await (await store.createSession('first')).close();
  const file = join(store.folder, 'old.jsonl');
  const old = `${[0, 1, 2].map(oldLine).join('\n')}\n`;
  await writeFile(file, old);
  const log = await store.openSession('old');
  expect(log.damaged).toEqual([]);
  expect(log.entries().map(({ v, seq, uuid }) => [v, seq, uuid])).toEqual([
    [0, 0, 'uuid0'],
    [0, 1, 'uuid1'],
    [0, 2, 'uuid2'],
  ]);
  const [next] = await log.saveMessage('user', 'goes on');
  await log.close();
  expect(next).toMatchObject({ v: 1, seq: 3, parentUuid: 'uuid2' });
  expect((await readFile(file, 'utf8')).startsWith(old)).toBe(true);
  expect((await readLog(file)).entries).toHaveLength(4);
});

test.each([
  ['nothing', undefined],
  ['a list', []],
  ['text', 'x'],
  ['an object of another kind', { seq: 1 }],
  ['an incomplete entry of this version', { ...makeEntry(1), message: undefined }],
])('%s is not an entry', (_what, value) => {
  expect(migrateEntry(value, 0)).toBeUndefined();
});

test.each(['data', 'message', 'tool'])(
  'a line with an excessively nested value in its %s counts as damaged',
  async (field) => {
    const file = join(temporaryFolder(), 'log.jsonl');
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const values: Record<string, unknown> = {
      data: { x: '@' },
      message: { role: 'user', content: '@' },
      tool: { id: 'a', name: 'Read', input: '@' },
    };
    const lines = [0, 1, 2].map((seq) =>
      JSON.stringify({ ...makeEntry(seq), ...(seq === 1 && { [field]: values[field] }) }),
    );
    await writeFile(file, `${lines.join('\n').replace('"@"', deep)}\n`);
    const { entries, damaged } = await readLog(file);
    expect(entries.map(({ seq }) => seq)).toEqual([0, 2]);
    expect(damaged.length).toBeGreaterThan(0);
    expect(() => structuredClone(entries)).not.toThrow();
  },
);

test.each([
  ['arrays', '['.repeat(600)],
  ['objects', '{"a":'.repeat(600)],
])('a long line of nested %s is rejected before parsing', (_name, nested) => {
  const line = `{"v":1,"note":"${'x'.repeat(70_000)}","deep":${nested}`;
  expect(isNestedTooDeep(Buffer.from(line))).toBe(true);
  expect(parseLine(Buffer.from(line))).toEqual({ entries: [], reason: 'nested too deeply for an entry' });
});

test.each([
  ['brackets in a text', JSON.stringify({ a: '[{'.repeat(50_000) })],
  ['escaped quotes', JSON.stringify({ a: `\\" \\\\ ${'"['.repeat(50_000)}`, b: '\\'.repeat(1001) })],
  ['many arrays side by side', JSON.stringify(Array.from({ length: 40_000 }, () => [{}]))],
  ['an unclosed string', `{"a":"${'['.repeat(100_000)}`],
])('%s are not nesting', (_name, line) => {
  expect(isNestedTooDeep(Buffer.from(line))).toBe(false);
});
