/** A disk that is full, read-only or failing while a session is open. */
import { execFileSync } from 'node:child_process';
import { mkdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BlobStore } from '../../src/context/storage/BlobStore.ts';
import { JSONLStore } from '../../src/context/storage/JSONLStore.ts';
import { readLog } from '../../src/context/storage/logReader.ts';
import { SessionLog } from '../../src/context/storage/SessionLog.ts';
import { createRandom } from '../context/random.ts';
import { bundleChild, start } from './children.ts';
import { batch } from './entries.ts';

export interface DiskFigures {
  readonly what: string;
  readonly entries: number;
  readonly lost: number;
  /** The same entries in the same order, each once. */
  readonly isSame: boolean;
  readonly wasTold: boolean;
  readonly hasRecovered: boolean;
}

export async function runDisk(folder: string, seed: number): Promise<DiskFigures[]> {
  const figures = [
    await failing(folder, seed, 'EIO when writing'),
    await failing(folder, seed, 'EIO when syncing'),
  ];
  if (!canMount()) return figures;
  const child = await bundleChild('disk', folder);
  for (const [kind, what] of [
    ['full', 'ENOSPC on a tmpfs of 1 MB'],
    ['readonly', 'tmpfs remounted read-only'],
  ] as const)
    figures.push(await inTmpfs(join(folder, kind), child, kind, what));
  return figures;
}

/** Whether this machine lets an ordinary user have file systems of their own. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function inTmpfs(folder: string, child: string, kind: string, what: string): Promise<DiskFigures> {
  await mkdir(folder, { recursive: true });
  const script = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" "$1" "$4"';
  const run = start('unshare', ['-rm', 'sh', '-c', script, 'sh', folder, process.execPath, child, kind]);
  await run.ended;
  const [said] = run.lines();
  if (said === undefined) throw new Error(`${what}: ${run.errors()}`);
  const { entries, lost, isSame, told, recovered } = JSON.parse(said);
  const wasTold = /not being saved: (ENOSPC|EROFS)/.test(told);
  return { what, entries, lost, isSame, wasTold, hasRecovered: recovered };
}

/** Fails at random; a sync that fails takes with it what was written since the last one, as kernels do. */
class FailingStore extends JSONLStore {
  readonly #kind: string;
  readonly #next: () => number;
  isFailing = true;
  #durableBytes = 0;

  constructor(file: string, kind: string, next: () => number) {
    super(file);
    this.#kind = kind;
    this.#next = next;
  }

  override async appendLines(lines: readonly string[]): Promise<void> {
    if (this.isFailing && this.#kind === 'EIO when writing' && this.#next() < 0.3) {
      // Half of it may be there.
      if (this.#next() < 0.5) await super.appendLines(lines.slice(0, lines.length >> 1));
      throw new Error('EIO: i/o error, write');
    }
    await super.appendLines(lines);
  }

  override async sync(): Promise<void> {
    if (this.isFailing && this.#kind === 'EIO when syncing' && this.#next() < 0.3) {
      await this.close();
      await truncate(this.getFilePath(), this.#durableBytes).catch(() => undefined);
      throw new Error('EIO: i/o error, fsync');
    }
    await super.sync();
    this.#durableBytes = (await stat(this.getFilePath()).catch(() => undefined))?.size ?? 0;
  }
}

async function failing(folder: string, seed: number, what: string): Promise<DiskFigures> {
  const random = createRandom(seed);
  const place = join(folder, what.replaceAll(' ', '-'));
  await mkdir(place, { recursive: true });
  const store = new FailingStore(join(place, 's.jsonl'), what, random.next);
  const log = new SessionLog({
    sessionId: 's',
    store,
    blobs: new BlobStore(join(place, 'blobs')),
    contents: { entries: [], damaged: [] },
    projectRoot: place,
    programVersion: '0',
    now: () => new Date(),
    release: () => {},
    retryMs: 5,
  });
  let [wasTold, hasRecovered] = [false, false];
  log.onProblem(({ recovered }) => {
    wasTold ||= recovered !== true;
    hasRecovered = recovered === true;
  });
  for (let count = 0; count < 150; count += 1) {
    await log.append(batch(random, 'x', 5000));
    if (count % 3 === 0) await log.sync();
  }
  store.isFailing = false;
  for (let waited = 0; waited < 5000 && !hasRecovered; waited += 10) await wait(10);
  await log.sync();
  const expected = log.entries();
  await log.close();
  const { entries } = await readLog(log.filePath);
  const isSame = JSON.stringify(entries) === JSON.stringify(expected);
  return {
    what,
    entries: expected.length,
    lost: expected.length - entries.length,
    isSame,
    wasTold,
    hasRecovered,
  };
}
