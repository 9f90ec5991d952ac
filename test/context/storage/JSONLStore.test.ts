import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { seal } from '../../../src/context/storage/entryLine.ts';
import { JSONLStore } from '../../../src/context/storage/JSONLStore.ts';
import { openToAppend } from '../../../src/context/storage/storedFiles.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { makeEntry } from './madeUpLog.ts';

/** Linux has a device that is always full; other systems have nothing that simple. */
const noFullDevice = !existsSync('/dev/full');

const line = (seq: number, content?: unknown): string => JSON.stringify(makeEntry(seq, content));
const openStore = (file: string): JSONLStore => {
  const store = new JSONLStore(file);
  onTestFinished(() => store.close());
  return store;
};
const seqs = (result: { entries: readonly { seq: number }[] }): number[] => result.entries.map((e) => e.seq);

test('a store that was never written is empty, and deleting it is not an error', async () => {
  const store = openStore(join(temporaryFolder(), 'deep/er/s.jsonl'));
  expect(await store.exists()).toBe(false);
  expect(await store.readAll()).toEqual({ entries: [], damaged: [] });
  await store.delete();
  await store.append([makeEntry(0)]);
  expect(await store.exists()).toBe(true);
  await store.delete();
  expect(await store.exists()).toBe(false);
});

test('deleting ignores only a missing file', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(openStore(join(folder, 'file/s.jsonl')).delete()).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('any text in an entry is read back unchanged, one line per entry', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const texts = [
    '\u2028\u2029\u0085',
    'a\nb\r\nc',
    '\0',
    '\ud800 alone',
    '{"v":1,',
    '😀',
    '',
    'x'.repeat(600_000),
  ];
  const store = openStore(file);
  await store.append(texts.map((text, index) => makeEntry(index, text)));
  const { entries, damaged } = await store.readAll();
  expect(damaged).toEqual([]);
  expect(entries.map((entry) => entry.message.content)).toEqual(texts);
  expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(texts.length);
});

test('unknown fields and the order of keys survive reading', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const odd = { zebra: 1, ...makeEntry(0), apple: { deep: [null] } };
  await writeFile(file, `${JSON.stringify(odd)}\n`);
  const { entries } = await openStore(file).readAll();
  expect(JSON.stringify(entries[0])).toBe(JSON.stringify(odd));
});

test.each<[string, string, number[], [number, string][]]>([
  ['torn last line', `${line(0)}\n${line(1).slice(0, 40)}`, [0], [[2, 'cut short']]],
  [
    'a truncated line, then written again',
    `${line(0)}\n${line(1).slice(0, 60)}\n${line(0)}\n${line(1)}\n`,
    [0, 1],
    [],
  ],
  ['last line without its newline', `${line(0)}\n${line(1)}`, [0, 1], []],
  ['line joined to a torn one', `${line(0).slice(0, 40)}${line(1)}\n`, [1], [[1, 'lines run together']]],
  ['lost newline', `${line(0)}X${line(1)}\n${line(2)}\n`, [0, 1, 2], [[1, 'lines run together']]],
  ['zero-filled end', `${line(0)}\n${'\0'.repeat(500)}`, [0], [[2, 'cut short']]],
  [
    'append after a zero-filled end',
    `${line(0)}\n${'\0'.repeat(9)}${line(1)}\n`,
    [0, 1],
    [[2, 'holds zero bytes']],
  ],
  [
    'zeros inside, with neighbors that show what is missing',
    `${line(0)}\n${line(1).slice(0, 50)}\0\0${line(1).slice(52)}\n${line(2)}\n`,
    [0, 1, 2],
    [[2, 'holds zero bytes']],
  ],
  ['empty lines and a byte order mark', `\uFEFF${line(0)}\n\n  \n${line(1)}\r\n`, [0, 1], []],
  [
    'valid JSON that is not an entry',
    `${line(0)}\n[1]\nnull\n${line(1)}\n`,
    [0, 1],
    [
      [2, 'not an entry'],
      [3, 'not an entry'],
    ],
  ],
  ['repeated range', `${line(0)}\n${line(1)}\n${line(0)}\n${line(1)}\n${line(2)}\n`, [0, 1, 2], []],
  ['changed order', `${line(2)}\n${line(0)}\n${line(1)}\n`, [0, 1, 2], []],
  ['no version', `${line(0).replace('"v":1,', '')}\n`, [0], []],
])('%s: what can be read is read, the rest is reported', async (_name, text, expected, damage) => {
  const file = join(temporaryFolder(), 's.jsonl');
  await writeFile(file, text);
  const result = await openStore(file).readAll();
  expect(seqs(result)).toEqual(expected);
  expect(result.damaged.map(({ line, reason }) => [line, reason])).toEqual(damage);
  const bytes = Buffer.from(text);
  for (const { offset, bytes: length } of result.damaged) {
    expect(offset === 0 || bytes[offset - 1] === 10).toBe(true);
    expect(offset + length === bytes.length || bytes[offset + length] === 10).toBe(true);
  }
});

test('bytes that are not UTF-8 are reported, and the entry is kept', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const bytes = Buffer.from(`${line(0, 'abc')}\n`);
  bytes[bytes.indexOf('abc')] = 0xff;
  await writeFile(file, bytes);
  const { entries, damaged } = await openStore(file).readAll();
  expect(entries[0]?.message.content).toBe('\uFFFDbc');
  expect(damaged).toMatchObject([{ line: 1, reason: 'holds bytes that are not UTF-8' }]);
});

test('a line of a newer format keeps its place, whether or not it can be understood', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const known = { ...makeEntry(0), v: 2, extra: true };
  const { message, ...strange } = { ...makeEntry(1), v: 3, type: 'dream' };
  await writeFile(file, `${JSON.stringify(known)}\n${JSON.stringify(strange)}\n`);
  const { entries, damaged } = await openStore(file).readAll();
  expect(damaged).toEqual([]);
  expect(entries).toEqual([
    known,
    expect.objectContaining({ v: 3, seq: 1, uuid: 'uuid1', type: 'system', data: { line: strange } }),
  ]);
});

test('an append after a torn line starts on a new line', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  await writeFile(file, `${line(0)}\n${line(1).slice(0, 30)}`);
  const store = openStore(file);
  await store.append([makeEntry(2)]);
  await store.append([makeEntry(3)]);
  await store.close();
  expect(await readFile(file, 'utf8')).toBe(
    `${line(0)}\n${line(1).slice(0, 30)}\n${seal(line(2))}\n${seal(line(3))}\n`,
  );
  expect(seqs(await store.readAll())).toEqual([0, 2, 3]);
});

test.skipIf(noFullDevice)('a full disk rejects, and the next append retries', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  let isFull = true;
  const store = new JSONLStore(file, (path) => (isFull ? open('/dev/full', 'a+') : openToAppend(path)));
  onTestFinished(() => store.close());
  await expect(store.append([makeEntry(0)])).rejects.toMatchObject({ code: 'ENOSPC' });
  isFull = false;
  await expect(store.append([makeEntry(0)])).rejects.toMatchObject({ name: 'LogVanishedError' });
  await store.append([makeEntry(0)]);
  expect(seqs(await store.readAll())).toEqual([0]);
});

test('a removed or replaced file is noticed', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 's.jsonl');
  const store = openStore(file);
  await store.append([makeEntry(0)]);
  await rm(folder, { recursive: true });
  await expect(store.append([makeEntry(1)])).rejects.toMatchObject({ name: 'LogVanishedError' });
  await store.append([makeEntry(0), makeEntry(1)]);
  expect(seqs(await store.readAll())).toEqual([0, 1]);
});

test('one damaged spot costs at most one entry, and every log opens', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const count = 12;
  const whole = Buffer.from(
    Array.from({ length: count }, (_, seq) => `${line(seq, 'é"\\{"v":1 中文')}\n`).join(''),
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom('flip', 'cut', 'insert', 'remove'),
      async (at, value, kind) => {
        const file = join(folder, `${runs++}.jsonl`);
        const bytes = Buffer.from(whole);
        if (kind === 'flip') bytes[at] = (bytes[at] ?? 0) ^ value;
        const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
        const damaged = {
          flip: bytes,
          cut: before,
          insert: Buffer.concat([before, Buffer.of(value), after]),
          remove: Buffer.concat([before, after.subarray(1)]),
        }[kind];
        await writeFile(file, damaged);
        const possible =
          kind === 'cut' ? whole.subarray(0, at).toString('latin1').split('\n').length - 1 : count;
        const { entries } = await new JSONLStore(file).readAll();
        expect(entries.length).toBeGreaterThanOrEqual(kind === 'cut' ? possible : count - 1);
        await rm(file);
      },
    ),
    { numRuns: 300 },
  );
});

test('a store that fails to read says why', async () => {
  const folder = temporaryFolder();
  await expect(openStore(folder).readAll()).rejects.toMatchObject({ code: 'EISDIR' });
});
