import { pastOf } from './history/past.ts';
import type { SessionLog } from './storage/index.ts';

/**
 * Whatever goes back behind an entry needs what was in force there: of a large log it may lie in the file only. What a
 * correction names comes with it (absentTarget). False where the entry is not to be had: then nothing can go back
 * behind it.
 */
export async function bringIn(log: SessionLog, uuid: string): Promise<boolean> {
  const through = pastOf(log.entries())?.throughSeq ?? -1;
  const isHere = log.entries().some((entry) => entry.uuid === uuid && entry.seq > through);
  if (isHere || through === -1) return isHere;
  for await (const entry of log.seen().before(through + 1, uuid)) {
    if (entry.uuid !== uuid) continue;
    await log.reach(entry.seq - 1);
    return log.entries().some((one) => one.uuid === uuid);
  }
  return false;
}
