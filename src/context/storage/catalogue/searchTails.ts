/** Searches the parts of logs that are not indexed yet, newest first, for a limited time. */

import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parseLine } from '../logReader.ts';
import { noFacts } from './facts.ts';
import { type LogFile, logLines } from './logFiles.ts';
import { type SessionRow, toRow } from './rows.ts';
import { readOriginal, searchableOf } from './searchable.ts';
import type { FoundRow, SearchOptions } from './searchIndex.ts';
import { fold, matches, type Query, snippetOf } from './words.ts';

/** Maximum time in milliseconds for all of them, and while there are no hits at all. */
const tailsMs = 100;
const emptyTailsMs = 3000;
const sliceMs = 5;

/**
 * `logs`: the logs on disk; `hits`: number of hits from the index. Prefers the newest hits of each log. Throws SQLite's
 * errors.
 */
export async function searchTails(
  database: DatabaseSync,
  logs: readonly LogFile[],
  query: Query,
  hits: number,
  { projects, limit, signal }: SearchOptions,
): Promise<FoundRow[]> {
  const started = performance.now();
  const found: FoundRow[] = [];
  const isTime = (): boolean => {
    const patienceMs = hits + found.length > 0 ? tailsMs : emptyTailsMs;
    return signal.aborted || performance.now() - started > patienceMs;
  };
  for (const { log, session, indexed } of unindexedTails(database, logs, projects)) {
    if (found.length >= limit || isTime()) break;
    found.push(...(await searchLog(log, session, indexed, query, isTime)).slice(-limit));
  }
  return found;
}

interface UnindexedTail {
  readonly log: LogFile;
  readonly session: SessionRow;
  readonly indexed: number;
}

function unindexedTails(
  database: DatabaseSync,
  logs: readonly LogFile[],
  projects: readonly string[] | undefined,
): readonly UnindexedTail[] {
  const known = new Map<
    string,
    { readonly size: number; readonly indexed: number; readonly whole: boolean }
  >();
  for (const row of database.prepare('SELECT project, name, size, indexed, whole FROM session').iterate())
    known.set(`${row.project}/${row.name}`, {
      size: Number(row.size),
      indexed: Number(row.indexed),
      whole: row.whole === 1,
    });
  const select = database.prepare(
    'SELECT project, name, archived, size, mtime, facts FROM session WHERE project = ? AND name = ?',
  );
  return logs
    .flatMap((log) => {
      const row = known.get(`${log.project}/${log.id}`);
      if (projects?.includes(log.project) === false) return [];
      if (row?.whole === true && row.size === log.size) return [];
      const session = row && select.get(log.project, log.id);
      return [{ log, session: session ? toRow(session) : rowOf(log), indexed: row?.indexed ?? 0 }];
    })
    .sort((a, b) => b.log.mtimeMs - a.log.mtimeMs);
}

async function searchLog(
  log: LogFile,
  session: SessionRow,
  start: number,
  query: Query,
  isTime: () => boolean,
): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  let sliceEnd = performance.now() + sliceMs;
  try {
    for await (const { bytes } of logLines(log, start <= log.size || log.isArchived ? start : 0)) {
      for (const entry of parseLine(bytes).entries) {
        const said = searchableOf(entry);
        const hash = entry.toolResult?.original?.hash;
        const texts = [said?.text, hash === undefined ? undefined : readOriginal(folderOf(log), hash)];
        for (const text of texts) {
          const folded = text === undefined ? '' : fold(text);
          if (text === undefined || !matches(query, folded)) continue;
          const who = said?.who ?? entry.toolResult?.name ?? 'tool';
          const time = Date.parse(entry.timestamp) || 0;
          found.push({ session, seq: entry.seq, time, who, ...snippetOf(query, text, folded) });
          break;
        }
      }
      if (isTime()) break;
      if (performance.now() < sliceEnd) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + sliceMs;
    }
  } catch {
    // The log is gone or cannot be read: no hits in it.
  }
  return found;
}

function folderOf(log: LogFile): string {
  return log.isArchived ? dirname(dirname(log.file)) : dirname(log.file);
}

/** The row of a log that is not in the index yet. */
function rowOf({ project, id, isArchived, size, mtimeMs }: LogFile): SessionRow {
  return { project, id, isArchived, bytes: size, mtimeMs, facts: { ...noFacts, updatedAt: mtimeMs } };
}
