/**
 * A small part of everything that the storage bench does; `npm run bench:storage` does all of it.
 *
 * @module-tag long
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCrowd, runSecond } from '../../bench/storage/crowd.ts';
import { runDamage } from '../../bench/storage/damage.ts';
import { runDisk } from '../../bench/storage/disk.ts';
import { runKills } from '../../bench/storage/kills.ts';
import { boundsOf, printBounds } from '../../bench/storage/report.ts';

test('killed writers, damaged logs, failing disks and many openers of one session lose nothing', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-bench-storage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const seed = 1;
  const [kills, damage, disk, crowd, second] = [
    await runKills(folder, 5, seed),
    await runDamage(folder, 25, seed),
    await runDisk(folder, seed),
    await runCrowd(folder, 5, 2),
    await runSecond(folder, 20),
  ];
  const bounds = boundsOf({ kills, damage, disk, crowd, second });
  const broken = bounds.filter(({ isKept, isTime }) => !isKept && isTime !== true);
  expect(broken, `seed ${seed}, ${crowd.errors.join('; ')}\n${printBounds(bounds)}`).toEqual([]);
  // Limits against hangs; the bench has the figures.
  expect(kills.slowestLockMs).toBeLessThan(20_000);
  expect(second.p95Ms).toBeLessThan(20_000);
  expect(kills.acknowledged).toBeGreaterThan(0);
});
