/** Takes sessions out of the index. */
import type { DatabaseSync } from 'node:sqlite';

/** `ids`: rows of `session`. Throws what SQLite throws. */
export function forgetSessions(database: DatabaseSync, ids: readonly number[]): void {
  if (ids.length === 0) return;
  const list = JSON.stringify(ids);
  database.exec('BEGIN IMMEDIATE');
  try {
    forgetWords(database, list);
    database.prepare('DELETE FROM session WHERE id IN (SELECT value FROM json_each(?))').run(list);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** What these sessions said; inside a transaction. `list` is a JSON array of rows of `session`. */
export function forgetWords(database: DatabaseSync, list: string): void {
  const those = 'session IN (SELECT value FROM json_each(?))';
  database.prepare(`DELETE FROM words WHERE rowid IN (SELECT id FROM said WHERE ${those})`).run(list);
  database.prepare(`DELETE FROM said WHERE ${those}`).run(list);
}

/** Pages merged at a time: some tens of milliseconds. */
const mergePages = 200;

/**
 * Rewrites the index without the words of what was taken out, which until then only nobody finds. Step by step, with
 * room for others in between. Throws what SQLite throws.
 */
export async function scrubWords(database: DatabaseSync, signal: AbortSignal): Promise<void> {
  const merge = database.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)");
  const changes = database.prepare('SELECT total_changes() AS n');
  for (let pages = -mergePages; !signal.aborted; pages = mergePages) {
    const before = Number(changes.get()?.n);
    merge.run(pages);
    // Its own documentation: fewer than two changes mean that nothing was left to merge.
    if (Number(changes.get()?.n) - before < 2) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!signal.aborted) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
