/** Kills writers at random times, and looks for every entry that they had been told was saved. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readLog } from '../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';
import { lockFileOf } from '../../src/context/storage/pathUtils.ts';
import { acquireSessionLock } from '../../src/context/storage/SessionLock.ts';
import { createRandom } from '../context/random.ts';
import { bundleChild, start } from './children.ts';

export interface KillFigures {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged and not there afterwards. */
  readonly lost: number;
  /** Kills that left a torn line behind. */
  readonly torn: number;
  /** Lines that are damaged in another way than at the end of what a killed program wrote. */
  readonly glued: number;
  readonly brokenChains: number;
  readonly notOpening: number;
  /** From the death of a writer to having its lock, in milliseconds. */
  readonly slowestLockMs: number;
}

/** Sessions are exchanged after this many kills, so that looking at them stays quick. */
const killsPerSession = 10;

export async function runKills(folder: string, kills: number, seed: number): Promise<KillFigures> {
  const random = createRandom(seed);
  const child = await bundleChild('writer', folder);
  const projectRoot = join(folder, 'project');
  await mkdir(projectRoot, { recursive: true });
  const store = new PersistentStore({ dataRoot: join(folder, 'kills'), projectRoot, programVersion: '0' });
  const total = { acknowledged: 0, lost: 0, torn: 0, glued: 0, brokenChains: 0, notOpening: 0 };
  let slowestLockMs = 0;
  let acknowledged = new Map<string, number>();
  let session = '';
  for (let kill = 0; kill < kills; kill += 1) {
    if (kill % killsPerSession === 0) {
      if (session !== '') await store.deleteSession(session);
      const log = await store.createSession();
      await log.saveMessage('user', 'begin');
      await log.close();
      session = log.sessionId;
      acknowledged = new Map();
    }
    const file = join(store.folder, `${session}.jsonl`);
    const args = [child, join(folder, 'kills'), projectRoot, session, String(seed + kill)];
    const writer = start(process.execPath, args);
    await writer.begun;
    // Now and then it has surely been told that something was saved, however busy the machine is.
    while (kill % 3 === 0 && writer.lines().length < 2 && writer.process.exitCode === null) await wait(5);
    await wait(random.next() * 60);
    writer.process.kill('SIGKILL');
    await writer.ended;
    if (writer.errors() !== '') throw new Error(writer.errors());

    const died = performance.now();
    const lock = await acquireSessionLock(lockFileOf(file));
    slowestLockMs = Math.max(slowestLockMs, lock.ok ? performance.now() - died : Number.POSITIVE_INFINITY);
    if (lock.ok) lock.release();
    for (const line of writer.lines().slice(1)) {
      const [seq, uuid] = line.split(' ');
      if (uuid !== undefined) acknowledged.set(uuid, Number(seq));
    }
    total.acknowledged += writer.lines().length - 1;

    const { entries, damaged } = await readLog(file);
    const held = new Map(entries.map(({ uuid, seq }) => [uuid, seq]));
    for (const [uuid, seq] of acknowledged) if (held.get(uuid) !== seq) total.lost += 1;
    total.torn += damaged.filter(({ reason }) => reason === 'cut short').length;
    total.glued += damaged.filter(({ reason }) => /together|changed/.test(reason)).length;
    total.brokenChains += isChained(entries) ? 0 : 1;
    try {
      const log = await store.openSession(session);
      const [after] = await log.saveMessage('user', 'the survivor goes on');
      if (after !== undefined) acknowledged.set(after.uuid, after.seq);
      await log.close();
    } catch {
      total.notOpening += 1;
    }
  }
  return { kills, ...total, slowestLockMs };
}

/** Each names the one before it, but over a boundary whose summary was cut off. */
function isChained(
  entries: readonly {
    readonly uuid: string;
    readonly parentUuid: string | null;
    readonly subtype?: string | undefined;
  }[],
): boolean {
  return entries.every(({ parentUuid }, index) => {
    const before = entries[index - 1];
    if (parentUuid === (before?.uuid ?? null)) return true;
    return before?.subtype === 'compact_boundary' && parentUuid === (entries[index - 2]?.uuid ?? null);
  });
}
