/**
 * The picker over 100, 1,000 and 10,000 sessions: the first page from the index in a fresh process, all rows, and the
 * program itself in a pseudo-terminal, from its start until the newest session is on the screen.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCatalogue } from '../../src/context/storage/catalogue/SessionCatalogue.ts';
import { generateMany } from './generate.ts';
import { screenStart } from './screenStart.ts';

export interface PickerLine {
  readonly sessions: number;
  /** The first look at logs that no index knows: until the list is complete, and until everything can be found. */
  readonly listedMs: number;
  readonly indexedMs: number;
  /** Opening the index and reading 100 rows, then all rows. */
  readonly pageMs: number;
  readonly allMs: number;
  /** What the rows add to an empty process, in megabytes. */
  readonly rowsMegabytes: number;
  /** A start that shows the list, and a start without it. */
  readonly screenMs: number;
  readonly startMs: number;
  /** Three seconds later, all processes. */
  readonly megabytes: number;
  readonly startMegabytes: number;
}

const ROUNDS = 3;

/** `program`: the built launcher. */
export async function measurePicker(program: string, counts: readonly number[]): Promise<PickerLine[]> {
  const lines: PickerLine[] = [];
  for (const count of counts) lines.push(await measure(program, count));
  return lines;
}

async function measure(program: string, count: number): Promise<PickerLine> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-bench-picker-')));
  try {
    const root = join(folder, 'project');
    const dataRoot = join(folder, 'data');
    await mkdir(root);
    await generateMany(dataRoot, { count, seed: count, roots: [root, '/src/other', '/src/third'] });
    const { listedMs, indexedMs } = await firstLook(dataRoot, count);
    const pages = Array.from({ length: ROUNDS }, () => freshPage(dataRoot));
    const catalogue = openCatalogue({ dataRoot });
    const newest = (await catalogue.list({ limit: 100 })).find((session) => session.root === root);
    await catalogue.close();
    const env = { PATH: process.env.PATH, HOME: folder, TERM: 'xterm-256color', CLAWDCODE_HOME: dataRoot };
    const wanted = newest?.title.slice(0, 25) ?? '';
    const picker = await screenStart(program, ['--demo', '--resume'], {
      cwd: root,
      env,
      wanted,
      rounds: ROUNDS,
    });
    const empty = await screenStart(program, ['--demo'], { cwd: root, env, wanted: '❯', rounds: ROUNDS });
    return {
      sessions: count,
      listedMs,
      indexedMs,
      ...(pages.sort((a, b) => a.pageMs - b.pageMs)[Math.floor(ROUNDS / 2)] ?? freshPage(dataRoot)),
      screenMs: picker.shownMs,
      startMs: empty.shownMs,
      megabytes: picker.megabytes,
      startMegabytes: empty.megabytes,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstLook(
  dataRoot: string,
  count: number,
): Promise<{ readonly listedMs: number; readonly indexedMs: number }> {
  const catalogue = openCatalogue({ dataRoot });
  const started = performance.now();
  let listedMs = Number.NaN;
  let looks = Promise.resolve();
  await catalogue.refresh(() => {
    looks = looks.then(async () => {
      if (Number.isNaN(listedMs) && (await catalogue.count()) === count)
        listedMs = performance.now() - started;
    });
  });
  const indexedMs = performance.now() - started;
  await looks;
  await catalogue.close();
  return { listedMs, indexedMs };
}

/** In a process of its own, so that nothing is loaded or warm but the disk's cache. */
function freshPage(dataRoot: string): Pick<PickerLine, 'pageMs' | 'allMs' | 'rowsMegabytes'> {
  const file = new URL('./freshPage.ts', import.meta.url).pathname;
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', file, dataRoot], { encoding: 'utf8' }));
}
