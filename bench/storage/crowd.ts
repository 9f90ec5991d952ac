/** Many programs on one session, and how fast the second of two learns who was first. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLog } from '../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';
import { verifySession } from '../../src/context/storage/repair/verifySession.ts';
import { SessionLockedError } from '../../src/context/storage/sessionStore.ts';
import { bundleChild, start } from './children.ts';

export interface CrowdFigures {
  readonly processes: number;
  readonly turns: number;
  readonly entries: number;
  /** Times that one program wrote between the entries of another's turn. */
  readonly interleaved: number;
  readonly refused: number;
  readonly isSound: boolean;
  readonly errors: readonly string[];
}

export async function runCrowd(folder: string, processes: number, turns: number): Promise<CrowdFigures> {
  const child = await bundleChild('crowd', folder);
  const { store, args, session } = await makeSession(folder, 'crowd');
  const crowd = Array.from({ length: processes }, (_, index) =>
    start(process.execPath, [child, ...args, session, String(turns), `p${index}`]),
  );
  await Promise.all(crowd.map(({ ended }) => ended));
  const said = crowd.map((one) => {
    const [line] = one.lines();
    return line === undefined ? { refused: 0, errors: [one.errors()] } : JSON.parse(line);
  });
  const file = join(store.folder, `${session}.jsonl`);
  const { entries } = await readLog(file);
  const tags = entries.flatMap(({ message: { tag } }) => (typeof tag === 'string' ? [tag] : []));
  const { isDamaged, duplicates } = await verifySession(file);
  return {
    processes,
    turns: processes * turns,
    entries: entries.length,
    interleaved: stretches(tags) - new Set(tags).size,
    refused: said.reduce((sum, { refused }) => sum + refused, 0),
    isSound: !isDamaged && duplicates.length === 0 && tags.length === processes * turns * 10,
    errors: said.flatMap(({ errors }) => errors),
  };
}

/** Runs of the same tag. */
function stretches(tags: readonly string[]): number {
  return tags.filter((tag, index) => tag !== tags[index - 1]).length;
}

export interface SecondFigures {
  readonly attempts: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** Attempts that named the process that holds the session. */
  readonly named: number;
}

export async function runSecond(folder: string, attempts: number): Promise<SecondFigures> {
  const child = await bundleChild('holder', folder);
  const { store, args, session } = await makeSession(folder, 'second');
  const holder = start(process.execPath, [child, ...args, session]);
  await holder.begun;
  const times: number[] = [];
  let named = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const began = performance.now();
    try {
      await store.openSession(session);
    } catch (error) {
      if (error instanceof SessionLockedError && error.holder?.pid === holder.process.pid) named += 1;
    }
    times.push(performance.now() - began);
  }
  holder.process.kill('SIGKILL');
  await holder.ended;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  return { attempts, medianMs: at(0.5), p95Ms: at(0.95), named };
}

async function makeSession(folder: string, name: string) {
  const projectRoot = join(folder, 'project');
  await mkdir(projectRoot, { recursive: true });
  const dataRoot = join(folder, name);
  const store = new PersistentStore({ dataRoot, projectRoot, programVersion: '0' });
  const log = await store.createSession();
  await log.saveMessage('user', 'begin');
  await log.close();
  return { store, args: [dataRoot, projectRoot], session: log.sessionId };
}
