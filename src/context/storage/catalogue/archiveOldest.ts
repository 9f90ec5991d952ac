/** Keeps the number of a project's sessions within its limit. Packs, and never deletes. */
import { join } from 'node:path';
import { archiveSession } from './archiveSession.ts';
import { listLogFiles } from './logFiles.ts';

export interface ArchiveRule {
  readonly dataRoot: string;
  /** The folder below `projects/`. */
  readonly project: string;
  /** Sessions that stay as they are, the most recently active ones. */
  readonly maxSessions: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Who was active within this time may want to go on. */
const restMs = 24 * 60 * 60 * 1000;

/** One after the other, the oldest first; what is open or cannot be packed stays. Answers the ids that were packed. */
export async function archiveOldest(rule: ArchiveRule): Promise<readonly string[]> {
  const { dataRoot, project, maxSessions, now, signal } = rule;
  const logs = (await listLogFiles(dataRoot, project)).filter(({ isArchived }) => !isArchived);
  const surplus = logs
    .sort((a, b) => b.mtimeMs - a.mtimeMs || (a.id < b.id ? -1 : 1))
    .slice(maxSessions)
    .filter(({ mtimeMs }) => now - mtimeMs > restMs)
    .reverse();
  const archived: string[] = [];
  for (const { id } of surplus) {
    if (signal.aborted) break;
    const stored = await archiveSession(join(dataRoot, 'projects', project), id, signal);
    if (stored.type === 'done') archived.push(id);
  }
  return archived;
}
