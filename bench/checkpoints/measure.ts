/** One tree, in a process of its own, so that memory is this tree's alone: prints figures as JSON. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

interface Timed {
  readonly ms: number;
  /** Of this process alone: what it would take on a machine with nothing else to do. */
  readonly cpuMs: number;
  /** The longest that the main thread worked without letting others run, by its own clock. */
  readonly sliceMs: number;
}

async function time(act: () => Promise<unknown>): Promise<Timed> {
  let [sliceMs, isOver, since] = [0, false, threadMs()];
  const tick = (): void => {
    sliceMs = Math.max(sliceMs, threadMs() - since);
    since = threadMs();
    if (!isOver) setImmediate(tick);
  };
  tick();
  const [started, usage] = [performance.now(), process.cpuUsage()];
  await act();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(usage);
  isOver = true;
  return { ms, cpuMs: (user + system) / 1000, sliceMs };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function median(act: () => Promise<unknown>, prepare: (run: number) => void = () => {}) {
  const runs: Timed[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    prepare(run);
    runs.push(await time(act));
  }
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[RUNS >> 1] ?? 0;
  return {
    ms: middle(runs.map((one) => one.ms)),
    cpuMs: middle(runs.map((one) => one.cpuMs)),
    sliceMs: Math.max(...runs.map((one) => one.sliceMs)),
  };
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
