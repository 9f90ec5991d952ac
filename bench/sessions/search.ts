/** Searching a gigabyte of sessions: large ones, middling ones, many small ones; every query is asked once. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { indexFileIn } from '../../src/context/storage/catalogue/database.ts';
import { type LogFile, listLogFiles, logLines } from '../../src/context/storage/catalogue/logFiles.ts';
import { openCatalogue } from '../../src/context/storage/catalogue/SessionCatalogue.ts';
import { indexedText } from '../../src/context/storage/catalogue/words.ts';
import { parseLine } from '../../src/context/storage/logReader.ts';
import { createRandom } from '../context/random.ts';
import { generateMany, generateSession } from './generate.ts';

export interface SearchFigures {
  readonly logMegabytes: number;
  readonly sessions: number;
  readonly indexSeconds: number;
  readonly indexMegabytes: number;
  readonly kinds: readonly SearchLine[];
  /** The longest time that this thread did nothing else. */
  readonly longestStallMs: number;
}

export interface SearchLine {
  readonly kind: string;
  readonly queries: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly worstMs: number;
  /** Queries that found nothing. */
  readonly empty: number;
}

const LIMIT = 50;

/** `megabytes`: of logs, all together. */
export async function measureSearch(megabytes: number, queriesEach: number): Promise<SearchFigures> {
  const dataRoot = await mkdtemp(join(tmpdir(), 'clawdcode-bench-search-'));
  try {
    await fill(dataRoot, megabytes);
    const logs = await listLogFiles(dataRoot);
    const worker = new URL('../../src/context/storage/catalogue/worker.ts', import.meta.url);
    const catalogue = openCatalogue({
      dataRoot,
      startWorker: () => new Worker(worker, { workerData: { dataRoot } }),
    });
    const started = performance.now();
    const { isComplete } = await catalogue.refresh();
    if (!isComplete) throw new Error('The index was not completed.');
    const indexSeconds = (performance.now() - started) / 1000;
    const asked = await queriesFrom(logs, queriesEach);
    const stalls = watchStalls();
    const kinds: SearchLine[] = [];
    for (const [kind, queries] of asked) {
      const times: number[] = [];
      let empty = 0;
      for (const query of queries) {
        const since = performance.now();
        if ((await catalogue.search(query, { limit: LIMIT })).length === 0) empty += 1;
        times.push(performance.now() - since);
      }
      times.sort((a, b) => a - b);
      const at = (share: number): number =>
        times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
      kinds.push({ kind, queries: queries.length, p50Ms: at(0.5), p95Ms: at(0.95), worstMs: at(1), empty });
    }
    const longestStallMs = stalls();
    await catalogue.close();
    return {
      logMegabytes: logs.reduce((sum, { size }) => sum + size, 0) / 1e6,
      sessions: logs.length,
      indexSeconds,
      indexMegabytes: (await stat(indexFileIn(dataRoot))).size / 1e6,
      kinds,
      longestStallMs,
    };
  } finally {
    await rm(dataRoot, { recursive: true, force: true });
  }
}

/** Half of it in large sessions, a third in middling ones, the rest in many small ones. */
async function fill(dataRoot: string, megabytes: number): Promise<void> {
  const folder = join(dataRoot, 'projects', 'large-0');
  const sizes = [
    ...Array.from({ length: 4 }, () => megabytes / 8),
    ...Array.from({ length: 24 }, () => megabytes / 72),
  ];
  for (const [index, size] of sizes.entries())
    await generateSession(join(folder, `large${index}.jsonl`), { bytes: size * 1e6, seed: 100 + index });
  await generateMany(dataRoot, { count: Math.ceil(megabytes * 4), seed: 3, medianBytes: 32_000 });
}

/** Words as they stand in the logs, picked evenly over places: common ones come often, as they do when people search. */
async function queriesFrom(
  logs: readonly LogFile[],
  each: number,
): Promise<readonly (readonly [string, string[]])[]> {
  const random = createRandom(11);
  const texts: string[] = [];
  for (const log of logs.filter((_, index) => index % Math.ceil(logs.length / 300) === 0)) {
    let left = 100_000;
    for await (const { bytes } of logLines(log.file)) {
      texts.push(...parseLine(bytes).entries.flatMap((entry) => indexedText(entry)?.text ?? []));
      left -= bytes.length;
      if (left < 0) break;
    }
  }
  const words = texts.flatMap((text) => text.match(/\b[a-z]{2,14}\b/gi) ?? []);
  const pairs = texts.flatMap((text) => text.match(/\b[a-z]{2,14} [a-z]{2,14} [a-z]{2,14}\b/gi) ?? []);
  const paths = texts.flatMap((text) => text.match(/\b[a-z]+\/[a-z]+\/[a-zA-Z]+\.[a-z]{2,4}\b/g) ?? []);
  const many = (make: () => string): string[] => Array.from({ length: each }, make);
  const word = (): string => random.pick(words);
  return [
    ['one word', many(word)],
    ['two words', many(() => `${word()} ${word()}`)],
    ['three words', many(() => `${word()} ${word()} ${word()}`)],
    ['a prefix', many(() => `${word().slice(0, 3)}*`)],
    ['a phrase', many(() => `"${random.pick(pairs)}"`)],
    ['a path', many(() => random.pick(paths))],
    ['no match', many(() => `${word()}qqq${Math.floor(random.next() * 1e6)}`)],
  ];
}

function watchStalls(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
