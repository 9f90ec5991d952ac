/**
 * In a small file system of its own, which it fills and makes read-only while a session is open: says as JSON what
 * became of the entries. Arguments: the folder, and "full" or "readonly".
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BlobStore } from '../../src/context/storage/BlobStore.ts';
import { JSONLStore } from '../../src/context/storage/JSONLStore.ts';
import { readLog } from '../../src/context/storage/logReader.ts';
import { SessionLog } from '../../src/context/storage/SessionLog.ts';
import type { StorageProblem } from '../../src/context/storage/sessionStore.ts';
import { createRandom } from '../context/random.ts';
import { batch } from './entries.ts';

const [folder = '', kind = 'full'] = process.argv.slice(2);
const random = createRandom(7);
// Without the session's lock, whose open file would keep the file system from being made read-only.
const log = new SessionLog({
  sessionId: 's',
  store: new JSONLStore(join(folder, 'deep', 's.jsonl')),
  blobs: new BlobStore(join(folder, 'blobs')),
  contents: { entries: [], damaged: [] },
  projectRoot: folder,
  programVersion: '0',
  now: () => new Date(),
  release: () => {},
});
const problems: StorageProblem[] = [];
log.onProblem((problem) => problems.push(problem));
const ballast = join(folder, 'ballast');

if (kind === 'full') {
  await log.append(batch(random, 'x', 2000));
  fill();
} else remount('ro');
for (let count = 0; count < 40; count += 1) await log.append(batch(random, 'x', 20_000));
await log.sync();
const whileFailing = log.entries().length;
if (kind === 'full') rmSync(ballast);
else remount('rw');

// Nothing more is appended: what is missing is written all the same.
for (let waited = 0; waited < 20_000 && problems.at(-1)?.recovered !== true; waited += 50) await wait(50);
const expected = log.entries();
await log.close();
const { entries, damaged } = await readLog(log.filePath);
const isSame = JSON.stringify(entries) === JSON.stringify(expected);
console.log(
  JSON.stringify({
    entries: expected.length,
    keptInMemory: whileFailing,
    lost: expected.length - entries.length,
    isSame,
    damaged: damaged.length,
    told: problems[0]?.message.slice(0, 60) ?? '',
    recovered: problems.at(-1)?.recovered === true,
  }),
);

/** Until nothing fits any more. */
function fill(): void {
  for (let size = 1 << 16; size >= 1; size >>= 2) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // Smaller pieces still fit.
    }
  }
}

function remount(mode: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${mode}`, folder]);
}
