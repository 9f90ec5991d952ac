import { pastOf } from './history/past.ts';
import type { SessionLog } from './storage/index.ts';

/** Whatever goes back behind an entry needs what was in force there: of a large log it may lie in the file only. */
export async function bringIn(log: SessionLog, uuid: string): Promise<void> {
  const entries = log.entries();
  const through = pastOf(entries)?.throughSeq;
  if (through === undefined || entries.some((entry) => entry.uuid === uuid && entry.seq > through)) return;
  for await (const entry of log.seen().before(through + 1, uuid))
    if (entry.uuid === uuid) return log.reach(entry.seq - 1);
}
