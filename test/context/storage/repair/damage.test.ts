import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLog } from '../../../../src/context/storage/logReader.ts';
import { damageNotices, quarantineDamage } from '../../../../src/context/storage/repair/damage.ts';
import type { JSONLEntry } from '../../../../src/protocol/entries.ts';
import { firstIsQuick } from '../../../e2e/support/long.ts';
import { temporaryFolder } from '../../../temporaryFolder.ts';
import { realLog } from '../realLog.ts';

const [from, to] = [0, 2 ** 31];
/** If a spot takes all of a line's identity and the end of the previous line, both are lost. */
const lengths = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 24 }), weight: 3 },
  fc.integer({ min: 25, max: 120 }),
);

/** The change of the bytes at one spot; `length` bytes from `at`. */
const hurt: Readonly<Record<string, (bytes: Buffer, at: number, length: number, seed: number) => Buffer>> = {
  flip: (bytes, at, _, seed) => {
    const hurt = Buffer.from(bytes);
    hurt[at] = (hurt[at] ?? 0) ^ (1 << (seed % 8));
    return hurt;
  },
  zeros: (bytes, at, length) => Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + length)),
  noise: (bytes, at, length, seed) => {
    const hurt = Buffer.from(bytes);
    for (let index = at; index < Math.min(at + length, hurt.length); index += 1)
      hurt[index] = Math.imul(seed + index, 2654435761) >>> 24;
    return hurt;
  },
  'line feeds': (bytes, at, length) => Buffer.from(bytes).fill(10, at, Math.min(bytes.length, at + length)),
  removed: (bytes, at, length) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
  inserted: (bytes, at, length) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length, 0xff), bytes.subarray(at)]),
};

for (const { row: kind, options } of firstIsQuick(Object.keys(hurt)))
  test(`one damaged spot (${kind}) costs at most one entry, and is reported`, options, async () => {
    const folder = temporaryFolder();
    const { bytes, entries } = await realLog(folder);
    const file = join(folder, 'damaged.jsonl');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: from, max: to }), lengths, fc.nat(), async (place, length, seed) => {
        const at = place % bytes.length;
        const damaged = hurt[kind]?.(bytes, at, length, seed) ?? bytes;
        await writeFile(file, damaged);
        const read = await readLog(file);
        const untouched = entries.filter((entry) => read.entries.some((one) => equal(one, entry)));
        const lost = entries.filter((entry) => !read.entries.some((one) => isSame(one, entry)));
        expect(lost.length).toBeLessThanOrEqual(1);
        expect(read.entries.map(({ seq }) => seq)).toEqual(
          [...read.entries.map(({ seq }) => seq)].sort((a, b) => a - b),
        );
        // Every difference is reported, except blank bytes between lines.
        if (untouched.length < entries.length) expect(read.damaged.length).toBeGreaterThan(0);
        // After the end, nothing shows how many there were.
        const last = (entries.at(-1)?.seq ?? 0) - 2;
        const told = read.damaged.flatMap((one) => one.lost).flatMap(([first, end]) => range(first, end));
        for (const { seq } of lost) if (seq < last && seq > 0) expect(told).toContain(seq);
      }),
      { numRuns: 150 },
    );
  });

test('a lost or changed newline loses neither of the adjacent lines', async () => {
  const folder = temporaryFolder();
  const { bytes, entries } = await realLog(folder);
  const file = join(folder, 'damaged.jsonl');
  for (let feed = bytes.indexOf(10); feed !== -1; feed = bytes.indexOf(10, feed + 1)) {
    for (const damaged of [
      Buffer.concat([bytes.subarray(0, feed), bytes.subarray(feed + 1)]),
      Buffer.from(bytes).fill('x', feed, feed + 1),
      Buffer.from(bytes).fill(0, feed - 3, Math.min(feed + 9, bytes.length)),
    ]) {
      await writeFile(file, damaged);
      expect((await readLog(file)).entries).toEqual(entries);
    }
  }
});

test('a flipped bit in a text is reported, and the entry is kept', async () => {
  const folder = temporaryFolder();
  const { bytes, entries } = await realLog(folder);
  const file = join(folder, 'damaged.jsonl');
  const at = bytes.indexOf('const a');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(file, bytes);
  const read = await readLog(file);
  expect(read.damaged).toMatchObject([{ line: 3, reason: 'changed since it was written', lost: [] }]);
  expect(read.entries).toHaveLength(entries.length);
  expect(read.entries[2]?.toolResult?.output).toMatch(/^bonst a/);
});

test.each<[string, (lines: Buffer[]) => Buffer[]]>([
  ['repeated', (lines) => [...lines.slice(0, 9), ...lines.slice(3, 9), ...lines.slice(9)]],
  ['moved', (lines) => [...lines.slice(9), ...lines.slice(0, 9)]],
  ['reversed', (lines) => lines.toReversed()],
  [
    'with carriage returns',
    (lines) => lines.map((one) => Buffer.concat([one.subarray(0, -1), Buffer.from('\r\n')])),
  ],
  ['after a byte order mark', (lines) => [Buffer.from('\uFEFF'), ...lines]],
])('whole lines %s are read as they were', async (_name, change) => {
  const folder = temporaryFolder();
  const { bytes, entries } = await realLog(folder);
  const lines = bytes
    .toString('latin1')
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line, 'latin1'));
  const file = join(folder, 'changed.jsonl');
  await writeFile(file, Buffer.concat(change(lines)));
  expect(await readLog(file)).toEqual({ entries, damaged: [] });
});

test('copying or moving any range of bytes costs at most one entry per seam', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const { bytes, entries } = await realLog(folder);
  const file = join(folder, 'damaged.jsonl');
  const place = fc.nat(bytes.length - 1);
  await fc.assert(
    fc.asyncProperty(place, place, place, fc.boolean(), async (a, b, target, isMove) => {
      const [start, end] = a < b ? [a, b] : [b, a];
      const range = bytes.subarray(start, end);
      const rest = isMove ? Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]) : bytes;
      const at = target % (rest.length + 1);
      await writeFile(file, Buffer.concat([rest.subarray(0, at), range, rest.subarray(at)]));
      const read = await readLog(file);
      const lost = entries.filter(({ uuid }) => !read.entries.some((one) => one.uuid === uuid));
      expect(lost.length).toBeLessThanOrEqual(isMove ? 3 : 1);
    }),
    { numRuns: 150 },
  );
});

test('a log with a line of 100 MB, endless zeros or a newer version still opens', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const { bytes, entries } = await realLog(folder);
  const file = join(folder, 'large.jsonl');
  const newer = {
    v: 2,
    seq: 27,
    uuid: 'n',
    parentUuid: null,
    sessionId: 's',
    timestamp: 'later',
    type: 'dream',
  };
  await writeFile(file, bytes);
  await appendFile(file, `${'x'.repeat(100 * 2 ** 20)}\n${JSON.stringify(newer)}\n`);
  const read = await readLog(file);
  expect(read.entries.slice(0, -1)).toEqual(entries);
  expect(read.entries.at(-1)).toMatchObject({ v: 2, subtype: 'unknown', data: { line: newer } });
  expect(read.damaged).toMatchObject([{ reason: 'longer than any line can be', bytes: 100 * 2 ** 20 }]);
});

test('damage is copied once, privately, and the log is unchanged', async () => {
  const folder = temporaryFolder();
  const { bytes } = await realLog(folder);
  const file = join(folder, 'hurt.jsonl');
  const feed = bytes.indexOf(10);
  const hurtBytes = Buffer.concat([
    bytes.subarray(0, feed + 1),
    Buffer.from('garbage\n'),
    bytes.subarray(feed + 1),
  ]);
  await writeFile(file, hurtBytes);
  const { damaged } = await readLog(file);
  const first = await quarantineDamage(file, damaged, new Date(0));
  const kept = first.folder;
  expect(first.damaged).toEqual(damaged);
  expect(kept).toBe(join(folder, 'quarantine/hurt'));
  expect(await quarantineDamage(file, damaged, new Date(1))).toEqual({
    folder: kept,
    damaged: [{ ...damaged[0], isKnown: true }],
  });
  const [copy, list] = (await readdir(kept ?? '')).sort();
  expect(await readFile(join(kept ?? '', copy ?? ''), 'utf8')).toBe('garbage');
  const lines = (await readFile(join(kept ?? '', list ?? ''), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      when: '1970-01-01T00:00:00.000Z',
      offset: feed + 1,
      bytes: 7,
      line: 2,
      reason: 'not an entry',
      lost: [],
      file: copy,
    },
  ]);
  for (const name of [copy, list])
    expect((await stat(join(kept ?? '', name ?? ''))).mode & 0o777).toBe(0o600);
  expect(await readFile(file)).toEqual(hurtBytes);
  const gone = join(folder, 'gone/x.jsonl');
  expect(await quarantineDamage(gone, damaged, new Date(0))).toEqual({ folder: undefined, damaged });
  expect(basename(dirname(kept ?? ''))).toBe('quarantine');
});

test.each([
  [[], undefined],
  [
    [damage('cut short')],
    /^The last line .* could not be read: it was cut short .*`clawdcode session verify s` has details/,
  ],
  [
    [damage('not an entry', [7, 7])],
    /^Line 3 .* could not be read .*\(it is not an entry\): 1 entry is lost \(#7\)\./,
  ],
  [[{ ...damage('not an entry'), isKnown: true }], undefined],
  [[{ ...damage('not an entry', [7, 7]), isKnown: true }], /1 entry is lost/],
  [[damage('holds zero bytes')], /\(it holds zero bytes\): no entry is lost\./],
  [
    [damage('lines run together'), damage('not an entry', [4, 9])],
    /^2 places .*: 6 entries are lost \(#4–#9\)\. .* in \/q;/,
  ],
  // Only its beginning is copied.
  [
    [{ ...damage('longer than any line can be', [4, 4]), bytes: 2 ** 28 }],
    /^Line 3 .* \(it is longer than any line can be\): 1 entry is lost \(#4\)\. The log is left as it is;/,
  ],
])('%j is described in a sentence', (damaged, sentence) => {
  const notices = damageNotices(damaged, { sessionId: 's', quarantine: '/q' });
  expect(notices).toEqual(sentence === undefined ? [] : [expect.stringMatching(sentence)]);
});

function damage(reason: string, ...lost: [number, number][]) {
  return { line: 3, reason, offset: 10, bytes: 20, lost };
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The same entry; the newest one may have lost even its name. */
function isSame(a: JSONLEntry, b: JSONLEntry): boolean {
  const words = ({ timestamp, message, tool }: JSONLEntry): string =>
    JSON.stringify([timestamp, message, tool]);
  return a.uuid === b.uuid || words(a) === words(b);
}

function equal(a: JSONLEntry, b: JSONLEntry): boolean {
  return a.uuid === b.uuid && JSON.stringify(a) === JSON.stringify(b);
}
