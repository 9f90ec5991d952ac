/** Damages logs at random and looks at what can still be read. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLog } from '../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { createRandom, type Random } from '../context/random.ts';
import { batch } from './entries.ts';

export const damageKinds = ['truncated', 'zero-filled', 'bits flipped', 'duplicated', 'reordered'] as const;
export type DamageKind = (typeof damageKinds)[number];

export interface DamageFigures {
  readonly kind: DamageKind;
  readonly trials: number;
  /** Stretches of damage within one line, its line feed included; a range over ten lines counts ten. */
  readonly spots: number;
  readonly lost: number;
  /** The most entries that one trial lost for each of its spots. */
  readonly worst: number;
  /** Trials in which something was changed and nobody was told. */
  readonly unreported: number;
  readonly notOpening: number;
}

export async function runDamage(folder: string, trials: number, seed: number): Promise<DamageFigures[]> {
  const random = createRandom(seed);
  const { bytes, entries, store } = await makeLog(folder, random);
  const lines = entries.map((entry) => ({ entry, json: JSON.stringify(entry) }));
  const figures: DamageFigures[] = [];
  for (const kind of damageKinds) {
    const sum = { spots: 0, lost: 0, worst: 0, unreported: 0, notOpening: 0 };
    for (let trial = 0; trial < trials; trial += 1) {
      const { hurt, spots, intended } = damage(bytes, kind, random);
      const file = join(store.folder, 'hurt.jsonl');
      await writeFile(file, hurt);
      const read = await readLog(file).catch(() => undefined);
      if (read === undefined) {
        sum.notOpening += 1;
        continue;
      }
      // Opening as the program does costs more; every tenth is.
      if (trial % 10 === 0) sum.notOpening += (await opens(store)) ? 0 : 1;
      const expected = lines.slice(0, intended ?? lines.length);
      const { lost, isChanged } = compare(expected, read.entries);
      sum.spots += spots;
      sum.lost += lost;
      sum.worst = Math.max(sum.worst, lost / spots);
      if (isChanged && read.damaged.length === 0) sum.unreported += 1;
    }
    figures.push({ kind, trials, ...sum });
  }
  return figures;
}

interface Line {
  readonly entry: JSONLEntry;
  readonly json: string;
}

function compare(expected: readonly Line[], read: readonly JSONLEntry[]) {
  const byUuid = new Map(read.map((entry) => [entry.uuid, entry]));
  const absent = expected.filter(({ entry }) => !byUuid.has(entry.uuid));
  const nameless = absent.length === 0 ? new Set() : new Set(read.map(key));
  const isAsWritten = ({ entry, json }: Line): boolean => JSON.stringify(byUuid.get(entry.uuid)) === json;
  return {
    lost: absent.filter(({ entry }) => !nameless.has(key(entry))).length,
    isChanged: absent.length > 0 || !expected.every(isAsWritten),
  };
}

/** What an entry says; one that lost even its name is known by it. */
function key({ timestamp, message, tool, toolResult }: JSONLEntry): string {
  return JSON.stringify([timestamp, message, tool, toolResult]);
}

async function opens(store: PersistentStore): Promise<boolean> {
  try {
    const log = await store.openSession('hurt');
    await log.close();
    return true;
  } catch {
    return false;
  } finally {
    await rm(join(store.folder, 'quarantine'), { recursive: true, force: true });
  }
}

async function makeLog(folder: string, random: Random) {
  const projectRoot = join(folder, 'project');
  await mkdir(projectRoot, { recursive: true });
  const store = new PersistentStore({ dataRoot: join(folder, 'damage'), projectRoot, programVersion: '0' });
  const log = await store.createSession('whole');
  for (let count = 0; count < 120; count += 1) await log.append(batch(random, 'x', 4000));
  await log.close();
  return { bytes: await readFile(log.filePath), entries: (await readLog(log.filePath)).entries, store };
}

interface Hurt {
  readonly hurt: Buffer;
  readonly spots: number;
  /** Entries that can be expected at all, where the end of the file is gone. */
  readonly intended?: number;
}

/** Most ranges are small, as bad sectors and torn writes are; some go over many lines. */
function damage(bytes: Buffer, kind: DamageKind, random: Random): Hurt {
  const length = Math.min(random.lognormal(200, 2, bytes.length >> 2), bytes.length >> 2);
  const start = random.between(0, bytes.length - length);
  const end = start + length;
  const range = bytes.subarray(start, end);
  const rest = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  const insert = (into: Buffer): Buffer => {
    const at = random.between(0, into.length + 1);
    return Buffer.concat([into.subarray(0, at), range, into.subarray(at)]);
  };
  switch (kind) {
    case 'truncated':
      return {
        hurt: Buffer.from(bytes.subarray(0, start)),
        spots: 1,
        intended: linesIn(bytes.subarray(0, start)),
      };
    case 'zero-filled':
      return { hurt: Buffer.from(bytes).fill(0, start, end), spots: linesIn(range) + 1 };
    case 'bits flipped':
      return { ...flip(bytes, random) };
    case 'duplicated':
      // One line is cut in two where the copy is put.
      return { hurt: insert(bytes), spots: 1 };
    case 'reordered':
      // Where it was taken out, two lines are joined; where it is put, one is cut in two.
      return { hurt: insert(rest), spots: 3 };
  }
}

function flip(bytes: Buffer, random: Random): Hurt {
  const hurt = Buffer.from(bytes);
  const spots = random.between(1, 4);
  for (let count = 0; count < spots; count += 1) {
    const at = random.between(0, hurt.length);
    hurt[at] = (hurt[at] ?? 0) ^ (1 << random.between(0, 8));
  }
  return { hurt, spots };
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
