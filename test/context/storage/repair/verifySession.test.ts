import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seal } from '../../../../src/context/storage/entryLine.ts';
import { readLog } from '../../../../src/context/storage/logReader.ts';
import { repairSession } from '../../../../src/context/storage/repair/repairSession.ts';
import { verifySession } from '../../../../src/context/storage/repair/verifySession.ts';
import { temporaryFolder } from '../../../temporaryFolder.ts';
import { makeEntry } from '../madeUpLog.ts';
import { realLog } from '../realLog.ts';

const sound = { damaged: [], gaps: [], duplicates: [], isSorted: true, brokenLinks: [], isDamaged: false };

test('an intact log is reported as such and not changed by a repair', async () => {
  const { file, bytes, entries } = await realLog(temporaryFolder());
  expect(await verifySession(file)).toEqual({
    ...sound,
    file,
    bytes: bytes.length,
    entries: entries.length,
    counts: { prompt: 7, tool_use: 6, tool_result: 6, assistant: 6, compact_boundary: 1, user: 1 },
    unansweredCalls: [],
    blobs: 0,
    blobProblems: [],
    isShortened: false,
  });
  expect(await repairSession(file)).toEqual({ type: 'sound' });
  expect(await readFile(file)).toEqual(bytes);
});

test('damage, gaps, duplicates, wrong order and broken links are located', async () => {
  const { file, bytes } = await realLog(temporaryFolder());
  const lines = bytes.toString().split(/(?<=\n)/);
  const [a = '', b = '', c = '', d = '', ...rest] = lines;
  await writeFile(file, [a, c, b, 'garbage\n', a, ...rest].join(''));
  const lost = JSON.parse(d).seq;
  const report = await verifySession(file);
  expect(report).toMatchObject({
    entries: lines.length - 1,
    damaged: [{ line: 4, reason: 'not an entry', offset: Buffer.byteLength(a + c + b), bytes: 7 }],
    gaps: [[lost, lost]],
    duplicates: [JSON.parse(a).uuid],
    isSorted: false,
    brokenLinks: [{ seq: lost + 1, parentUuid: JSON.parse(d).uuid }],
    isDamaged: true,
  });
});

test('a call without a result is listed', async () => {
  const { file } = await realLog(temporaryFolder());
  const call = { ...makeEntry(27), type: 'tool_use', tool: { id: 'c9', name: 'Bash', input: {} } };
  await appendFile(file, `${seal(JSON.stringify(call))}\n`);
  const { unansweredCalls } = await verifySession(file);
  expect(unansweredCalls).toEqual([{ seq: 27, callId: 'c9', tool: 'Bash' }]);
});

test('missing or truncated blobs are found, and changed ones by a thorough check', async () => {
  const { store } = await realLog(temporaryFolder());
  const log = await store.createSession('blobs');
  const refs = [];
  for (const text of ['whole', 'cut', 'changed', 'gone']) {
    const original = await log.blobs.put(text);
    refs.push(original);
    await log.saveToolResult({ id: text, output: 'a part', original });
  }
  await log.close();
  const [, cut, changed, gone] = refs.map(({ hash }) => log.blobs.pathOf(hash));
  await truncate(cut ?? '', 1);
  await writeFile(changed ?? '', 'CHANGED');
  await rm(gone ?? '');
  const found = async (deep: boolean) => {
    const { blobs, blobProblems } = await verifySession(log.filePath, { deep });
    return { blobs, problems: blobProblems.map(({ seq, problem }) => [seq, problem]) };
  };
  expect(await found(false)).toEqual({
    blobs: 4,
    problems: [
      [1, 'wrong size'],
      [3, 'missing'],
    ],
  });
  expect((await found(true)).problems).toContainEqual([2, 'wrong content']);
});

test('an endless list is cut and marked', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  await writeFile(file, 'x\n'.repeat(50));
  const report = await verifySession(file, { maxListed: 10 });
  expect(report.damaged).toHaveLength(10);
  expect(report).toMatchObject({ isShortened: true, isDamaged: true, entries: 0 });
});

interface Spot {
  readonly at: number;
  readonly length: number;
  /** Zeros, one flipped bit, a duplicate, the file's beginning after its end. */
  readonly kind: number;
}

function hurtBy(bytes: Buffer, spots: readonly Spot[]): Buffer {
  let hurt = Buffer.from(bytes);
  for (const { at, length, kind } of spots) {
    const [start, end] = [at % hurt.length, Math.min((at % hurt.length) + length, hurt.length)];
    if (kind === 0) hurt.fill(0, start, end);
    else if (kind === 1) hurt[start] = (hurt[start] ?? 0) ^ 16;
    else if (kind === 2) hurt = Buffer.concat([hurt.subarray(0, end), hurt.subarray(start)]);
    else hurt = Buffer.concat([hurt.subarray(end), hurt.subarray(0, end)]);
  }
  return hurt;
}

/** A repair leaves an intact log with everything that could be read before, and keeps the original. */
async function expectRepaired(file: string, hurt: Buffer, now: Date): Promise<void> {
  await writeFile(file, hurt);
  const before = await readLog(file);
  const report = await repairSession(file, now);
  if (report.type === 'sound') {
    expect(await readFile(file)).toEqual(hurt);
    return;
  }
  if (report.type !== 'repaired') throw new Error(JSON.stringify(report));
  expect(await readFile(report.original)).toEqual(hurt);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await verifySession(file)).toMatchObject(sound);
  const after = await readLog(file);
  const kept = (uuid: string) => after.entries.find((entry) => entry.uuid === uuid)?.message;
  for (const { uuid, message } of before.entries) expect(kept(uuid)).toEqual(message);
  expect(await repairSession(file)).toEqual({ type: 'sound' });
}

test('after any damage, a repair gives an intact log and keeps the original', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const { file, bytes, entries, store } = await realLog(folder);
  const place = fc.nat(bytes.length - 1);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ at: place, length: fc.integer({ min: 1, max: 900 }), kind: fc.nat(3) }), {
        minLength: 1,
        maxLength: 4,
      }),
      (spots) => expectRepaired(file, hurtBy(bytes, spots), new Date(Date.UTC(2026, 0, 1) + 1000 * runs++)),
    ),
    { numRuns: 60 },
  );
  await writeFile(file, bytes);
  const held = await store.openSession('real');
  expect(await repairSession(file)).toMatchObject({ type: 'locked', holder: { pid: process.pid } });
  await held.close();
  expect(entries.length).toBeGreaterThan(20);
  expect((await readdir(dirname(file))).filter((name) => name.includes('damaged'))).toEqual([]);
});

/** The same bytes each time: all entries have the same time, so that it does not distinguish a copy. */
function fixedLog(): Buffer {
  const timestamp = makeEntry(0).timestamp;
  const lines = Array.from({ length: 9 }, (_, seq) => {
    const type = seq % 2 === 0 ? ('user' as const) : ('assistant' as const);
    return seal(JSON.stringify({ ...makeEntry(seq, `${seq} é`.repeat(1 + seq * 3)), timestamp, type }));
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

const cases: readonly { readonly what: string; readonly spots: readonly Spot[] }[] = [
  {
    what: 'a part of a copy at the end, whose place another entry has',
    spots: [
      { at: 0, length: 627, kind: 3 },
      { at: 1403, length: 842, kind: 2 },
      { at: 0, length: 1, kind: 0 },
    ],
  },
  {
    what: 'a copy that was put together before a whole one comes',
    spots: [
      { at: 497, length: 548, kind: 2 },
      { at: 1591, length: 1, kind: 0 },
    ],
  },
  {
    what: 'a copy as the neighbor of what is to be put together',
    spots: [
      { at: 517, length: 287, kind: 3 },
      { at: 1838, length: 737, kind: 2 },
      { at: 0, length: 1, kind: 0 },
    ],
  },
];

test.each(cases)('a log that an earlier repair missed: $what', async ({ spots }) => {
  const file = join(temporaryFolder(), 's.jsonl');
  await expectRepaired(file, hurtBy(fixedLog(), spots), new Date(Date.UTC(2026, 0, 1)));
});

test('a failed repair changes nothing and says why', async () => {
  const folder = temporaryFolder();
  expect(await repairSession(join(folder, 'absent.jsonl'))).toMatchObject({
    type: 'failed',
    reason: expect.stringContaining('ENOENT'),
  });
});
