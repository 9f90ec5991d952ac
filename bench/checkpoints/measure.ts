/** One tree, in a process of its own, so that memory is this tree's alone: prints figures as JSON. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { createFileCheckpoints } from '../../src/checkpoints/createFileCheckpoints.ts';
import { BlobStore } from '../../src/context/storage/BlobStore.ts';

const [root = '', folder = ''] = process.argv.slice(2);
const RUNS = 7;

const collect = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};
const memory = (): number => process.memoryUsage().rss / 2 ** 20;

/** Milliseconds, and the longest that anything else had to wait meanwhile. */
async function time(act: () => Promise<unknown>): Promise<{ readonly ms: number; readonly stallMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await setTimeout(5);
  delay.reset();
  const started = performance.now();
  await act();
  const ms = performance.now() - started;
  delay.disable();
  return { ms, stallMs: delay.max / 1e6 };
}

async function median(act: () => Promise<unknown>, prepare: (run: number) => void = () => {}) {
  const runs: { ms: number; stallMs: number }[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    prepare(run);
    runs.push(await time(act));
  }
  runs.sort((a, b) => a.ms - b.ms);
  return { ms: runs[RUNS >> 1]?.ms ?? 0, stallMs: Math.max(...runs.map((one) => one.stallMs)) };
}

mkdirSync(folder, { recursive: true });
// Loaded before anything is measured: the engine itself, and what a first change needs.
const warm = createFileCheckpoints({
  root: folder,
  folder: join(folder, 'w'),
  blobs: new BlobStore(join(folder, 'b')),
});
await warm.baseline();
await warm.close();

const [heapBefore, rssBefore] = [collect(), memory()];
const checkpoints = createFileCheckpoints({
  root,
  folder: join(folder, 'copies'),
  blobs: new BlobStore(join(folder, 'blobs')),
  env: process.env,
});
const first = await time(() => checkpoints.baseline());
const rssAfter = memory();
const heapAfter = collect();
await setTimeout(100);
await checkpoints.baseline();
const again = await median(() => checkpoints.baseline());
const scan = await median(() => checkpoints.capture());
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git') && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name));
const few = await median(
  () => checkpoints.capture(),
  (run) => appendFileSync(files[run] ?? '', 'changed\n'),
);
const many = await median(
  () => checkpoints.capture(),
  (run) => {
    for (const file of files.slice(100 + run * 100, 200 + run * 100))
      writeFileSync(file, `changed in run ${run}, ${file}\n`);
  },
);
await checkpoints.close();
rmSync(folder, { recursive: true, force: true });
const entries = readdirSync(root, { recursive: true }).filter(
  (path) => !String(path).startsWith('.git'),
).length;
process.stdout.write(
  JSON.stringify({
    entries,
    first,
    again,
    scan,
    few,
    many,
    heapMb: heapAfter - heapBefore,
    rssMb: rssAfter - rssBefore,
  }),
);
