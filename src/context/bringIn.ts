import type { JSONLEntry } from '../protocol/entries.ts';
import { isCorrection, rewindTarget, undoneBy } from './history/live.ts';
import { pastOf } from './history/past.ts';
import type { SessionLog } from './storage/index.ts';

/**
 * Whatever goes back behind an entry needs what was in force there: of a large log it may lie in the file only. Of an
 * undo or a rewind so does what that names: when it is taken back, what it went back over may count again. False where
 * the entry is not to be had: then nothing can go back behind it.
 */
export async function bringIn(log: SessionLog, uuid: string): Promise<boolean> {
  const wanted = new Set([uuid]);
  for (const one of wanted) {
    const entry = await bring(log, one);
    if (entry === undefined && one === uuid) return false;
    if (entry === undefined || !isCorrection(entry)) continue;
    for (const named of [...undoneBy(entry), rewindTarget(entry)]) if (named !== undefined) wanted.add(named);
  }
  return true;
}

/** With this entry everything behind it is in memory; undefined where that is not to be had. */
async function bring(log: SessionLog, uuid: string): Promise<JSONLEntry | undefined> {
  const entries = log.entries();
  const through = pastOf(entries)?.throughSeq ?? -1;
  const here = entries.find((entry) => entry.uuid === uuid && entry.seq > through);
  if (here !== undefined || through === -1) return here;
  for await (const entry of log.seen().before(through + 1, uuid)) {
    if (entry.uuid !== uuid) continue;
    await log.reach(entry.seq - 1);
    return log.entries().find((one) => one.uuid === uuid);
  }
  return undefined;
}
