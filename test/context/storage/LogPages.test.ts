import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logLines } from '../../../src/context/storage/catalogue/logFiles.ts';
import { MAX_LINE_BYTES, seal } from '../../../src/context/storage/entryLine.ts';
import { LogPages } from '../../../src/context/storage/LogPages.ts';
import {
  loadLog,
  readResumePoint,
  resumePointFile,
  resumePointOf,
  writeResumePoint,
} from '../../../src/context/storage/loadLog.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { MadeUpFields } from '../../madeUpEntry.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { makeEntry } from './madeUpLog.ts';

const lineOf = (entry: JSONLEntry): string => seal(JSON.stringify(entry));
/** Long enough for a binary search. */
const lines = Array.from({ length: 300 }, (_, seq) => lineOf(makeEntry(seq, 'x'.repeat(2000))));

async function fileWith(content: readonly string[]): Promise<string> {
  const file = join(temporaryFolder(), 'session.jsonl');
  await writeFile(file, content.map((line) => `${line}\n`).join(''));
  return file;
}

async function seqsOf(entries: AsyncIterable<JSONLEntry>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of entries) seqs.push(seq);
  return seqs;
}

const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test.each([
  ['its last lines', [...lines.slice(0, 200), ...lines.slice(150)]],
  ['all of it, twice cut short', [...lines.slice(0, 90), ...lines.slice(0, 250), ...lines]],
])('a log with %s repeated is read once, in both directions', async (_, content) => {
  const pages = new LogPages(await fileWith(content));
  for (const [first, last] of [
    [0, 299],
    [80, 160],
    [160, 260],
  ] as const) {
    expect(await seqsOf(pages.range(first, last))).toEqual(from(first, last));
  }
  for (const end of [300, 240, 170, 85])
    expect(await seqsOf(pages.before(end))).toEqual(from(0, end - 1).reverse());
});

test.each(['99999', '3'])(
  'a damaged line that claims to be #%s does not mislead a search',
  { tags: 'long' },
  async (said) => {
    for (const at of [75, 149, 150, 225]) {
      const damaged = lines.map((line, index) =>
        index === at ? line.replace(/"seq":\d+/, `"seq":${said}`) : line,
      );
      const pages = new LogPages(await fileWith(damaged));
      for (let seq = 10; seq < 300; seq += 13)
        if (seq !== at) expect(await seqsOf(pages.range(seq, seq))).toEqual([seq]);
      expect((await seqsOf(pages.range(10, 299))).filter((seq) => seq !== 99_999)).toEqual(
        from(10, 299).filter((seq) => seq !== at),
      );
    }
  },
);

/** A log with a compaction: the retained entries, its boundary and its summary, and what followed. */
const compacted = from(0, 299).map((seq): JSONLEntry => {
  const entry = (fields: MadeUpFields = {}) => makeEntry(seq, 'x'.repeat(2000), fields);
  if (seq === 0) return entry({ type: 'system', subtype: 'session_start' });
  const compactMetadata = {
    trigger: 'auto' as const,
    preTokens: 9,
    success: true,
    retained: ['#185-#198'],
  };
  if (seq === 200) return entry({ type: 'system', subtype: 'compact_boundary', compactMetadata });
  return seq === 201 ? entry({ subtype: undefined, isCompactSummary: true }) : entry();
});

test('a large log with repeated lines is resumed without them', {
  tags: 'long',
}, async () => {
  const plain = compacted.map(lineOf);
  const whole = await fileWith(plain);
  const uuids = async (file: string): Promise<string[]> =>
    (await loadLog(file, { wholeBytes: 0 })).entries.map(({ uuid }) => uuid);
  const expected = await uuids(whole);
  expect(expected.length).toBeLessThan(130);
  for (const [end, again] of [
    [205, 180],
    [260, 190],
    [300, 201],
  ] as const) {
    const file = await fileWith([...plain.slice(0, end), ...plain.slice(again)]);
    expect(await uuids(file)).toEqual(expected);
    // As after a start whose resume point was written.
    const { entries } = await loadLog(whole, { wholeBytes: 0 });
    const point = resumePointOf(entries);
    if (point !== undefined) await writeResumePoint(file, point);
    expect(await readResumePoint(file)).toEqual(point);
    expect(await uuids(file)).toEqual(expected);
  }
});

test('a damaged line right after the summary is restored from its neighbors', async () => {
  const plain = compacted.map(lineOf);
  const file = await fileWith(plain);
  const { entries } = await loadLog(file, { wholeBytes: 0 });
  const point = resumePointOf(entries);
  if (point !== undefined) await writeResumePoint(file, point);
  const hit = plain.map((line, seq) => (seq === 202 ? line.replace('"seq":202', '"seq":9') : line));
  await writeFile(file, hit.map((line) => `${line}\n`).join(''));
  const again = await loadLog(file, { wholeBytes: 0 });
  expect(again.entries.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq));
});

test('a resume point that was modified is not used', async () => {
  const content = compacted.map(lineOf);
  const { entries } = await loadLog(await fileWith(content), { wholeBytes: 0 });
  const point = resumePointOf(entries);
  if (point === undefined) throw new Error('A large log has one.');
  const file = await fileWith(content);
  await writeResumePoint(file, point);
  const text = await readFile(resumePointFile(file), 'utf8');
  for (const other of [
    text.replace('"spent":[]', '"spent":[3]'),
    text.slice(0, -40),
    '\0'.repeat(text.length),
    JSON.stringify({ ...point, past: { ...point.past, spent: [null] } }),
  ]) {
    await writeFile(resumePointFile(file), other);
    expect(await readResumePoint(file)).toBeUndefined();
  }
  expect((await loadLog(file, { wholeBytes: 0 })).entries).toEqual(entries);
});

test('every reader skips a line longer than any entry, and leaves the file unchanged', {
  tags: 'long',
}, async () => {
  const tooLong = lineOf(makeEntry(3, 'x'.repeat(MAX_LINE_BYTES)));
  const file = await fileWith([...lines.slice(0, 3), tooLong, ...lines.slice(4, 20)]);
  const before = await stat(file);
  const others = from(0, 19).filter((seq) => seq !== 3);
  const pages = new LogPages(file);
  expect(await seqsOf(pages.range(0, 19))).toEqual(others);
  expect(await seqsOf(pages.before(20))).toEqual(others.toReversed());
  const { entries, damaged } = await loadLog(file);
  expect(entries.map(({ seq }) => seq)).toEqual(others);
  expect(damaged).toMatchObject([{ line: 4, reason: 'longer than any line can be', lost: [[3, 3]] }]);
  const offsets: number[] = [];
  for await (const { bytes, offset } of logLines(file)) if (bytes.length > 0) offsets.push(offset);
  expect(offsets).toHaveLength(others.length);
  const after = await stat(file);
  expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs]);
});
