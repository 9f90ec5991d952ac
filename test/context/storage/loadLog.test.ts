import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evictedPrefixOf } from '../../../src/context/history/evictedPrefix.ts';
import { projectMessages } from '../../../src/context/request/standardMessages.ts';
import { seal } from '../../../src/context/storage/entryLine.ts';
import { loadLog, readResumePoint } from '../../../src/context/storage/loadLog.ts';
import { maxSingleLines, readLog } from '../../../src/context/storage/logReader.ts';
import { compactionEntries } from '../../../src/context/storage/newEntries.ts';
import { scanLog } from '../../../src/context/storage/repair/verifySession.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { LogMaker } from '../history/logMaker.ts';

function compact(log: LogMaker, ...retained: readonly string[]): void {
  for (const draft of compactionEntries('summary', {
    trigger: 'auto',
    preTokens: 0,
    retained: [...retained],
  }))
    log.add(draft);
}

test('a large log is resumed from before the point its end refers to, the next time without reading its start', async () => {
  const log = new LogMaker().prompt('a').prompt('b').prompt('c');
  compact(log, 'e2');
  log.prompt('d').prompt('e');
  log.add({
    type: 'system',
    subtype: 'rewind',
    message: { role: 'system', content: '' },
    data: { to: 'e5' },
  });
  compact(log, 'e5');
  log.add({
    ...{ type: 'system', subtype: 'undo', message: { role: 'system', content: '' } },
    data: { undoes: ['e7'] },
  });
  const file = join(temporaryFolder(), 'session.jsonl');
  await writeFile(file, log.entries.map((entry) => `${seal(JSON.stringify(entry))}\n`).join(''));
  for (const time of ['first', 'second']) {
    const { entries } = await loadLog(file, { wholeBytes: 0 });
    // Of the first compaction: the second came after the rewind that the undo names.
    expect(evictedPrefixOf(entries)?.throughUuid, `${time} time`).toBe('e4');
    expect(entries.map(({ uuid }) => uuid)).toContain('e7');
    expect(projectMessages(entries)).toEqual(projectMessages(log.entries));
    await expect.poll(async () => (await readResumePoint(file))?.past.throughUuid).toBe('e4');
  }
});

test('lists only the first of many adjacent damaged lines one by one, and reads all entries', async () => {
  const log = new LogMaker().prompt('a').prompt('b');
  const [first = '', last = ''] = log.entries.map((entry) => `${seal(JSON.stringify(entry))}\n`);
  const file = join(temporaryFolder(), 'session.jsonl');
  const junk = '{}\n'.repeat(maxSingleLines * 5);
  await writeFile(file, first + junk + last);
  const { entries, damaged } = await readLog(file);
  expect(entries).toEqual(log.entries);
  const scanned = [];
  for await (const found of scanLog(file)) scanned.push(found);
  expect(scanned.flatMap((found) => ('entry' in found ? found.entry.uuid : []))).toEqual(['e0', 'e1']);
  for (const list of [damaged, scanned.flatMap((found) => ('damage' in found ? found.damage : []))]) {
    expect(list).toHaveLength(maxSingleLines);
    const ends = list.map(({ offset, bytes }) => offset + bytes);
    expect(Math.max(...ends)).toBe(first.length + junk.length - 1);
  }
});
