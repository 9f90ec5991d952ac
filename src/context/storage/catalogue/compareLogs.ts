/** Compares the logs on disk with the index: new, changed and deleted ones. */
import type { DatabaseSync } from 'node:sqlite';
import { parseLine } from '../logReader.ts';
import { isPrompt, readEnds } from '../sessionSummary.ts';
import { removeSessions } from './database.ts';
import { addFacts, bestTitle, noFacts, type SessionFacts } from './facts.ts';
import { type LogFile, logLines } from './logFiles.ts';

interface KnownRow {
  readonly id: number;
  readonly file: LogFile | undefined;
  readonly archived: number;
  readonly size: number;
  readonly mtime: number;
  readonly ino: number;
  readonly indexed: number;
  readonly whole: number;
}

/** Number of new sessions whose ends are read in parallel. */
const readers = 8;
const rowsPerBatch = 200;

/**
 * `project` and `session` limit the comparison to the given files, so that others do not count as deleted. Returns the
 * logs that are not completely indexed, the oldest first. Throws SQLite's errors.
 */
export async function compareLogs(
  database: DatabaseSync,
  files: readonly LogFile[],
  options: {
    readonly project?: string | undefined;
    readonly session?: string | undefined;
    readonly onNoted: () => void;
    readonly signal: AbortSignal;
  },
): Promise<readonly LogFile[]> {
  const known = knownRows(database, options.project, options.session);
  const pending: LogFile[] = [];
  const fresh: LogFile[] = [];
  const changed: { readonly row: KnownRow; readonly file: LogFile }[] = [];
  for (const file of files) {
    const row = known.get(keyOf(file.project, file.id));
    known.delete(keyOf(file.project, file.id));
    if (row === undefined) fresh.push(file);
    else if (!isSame(row, file)) changed.push({ row, file });
    if (row === undefined || row.whole === 0 || !isSame(row, file)) pending.push(file);
  }
  const vanished = [...known.values()].map(({ id }) => id);
  removeSessions(database, vanished);
  const unpacked = noteChanges(database, changed);
  if (vanished.length + changed.length > 0) options.onNoted();
  fresh.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (let at = 0; at < fresh.length && !options.signal.aborted; at += rowsPerBatch) {
    await addFresh(database, fresh.slice(at, at + rowsPerBatch));
    options.onNoted();
  }
  return pending.filter((file) => !unpacked.has(file)).sort((a, b) => a.mtimeMs - b.mtimeMs);
}

/** The facts for a list before the whole session was read. */
export async function partialFacts(log: LogFile): Promise<SessionFacts> {
  if (log.isArchived) return archivedFacts(log);
  const ends = await readEnds(log.file);
  const facts = [...(ends?.head ?? []), ...(ends?.tail ?? [])].reduce(addFacts, noFacts);
  return { ...facts, updatedAt: facts.updatedAt ?? log.mtimeMs };
}

/** For an archive only the beginning is read; the file has the time of the original log. */
async function archivedFacts(log: LogFile): Promise<SessionFacts> {
  let facts = noFacts;
  try {
    for await (const { bytes } of logLines(log.file)) {
      const { entries } = parseLine(bytes);
      facts = entries.reduce(addFacts, facts);
      if (entries.some(isPrompt)) break;
    }
  } catch {
    // Use what could be read of a damaged archive.
  }
  return { ...facts, updatedAt: Math.trunc(log.mtimeMs) };
}

/** Values of the columns by which lists are sorted and filtered. */
export function listColumns(facts: SessionFacts): readonly [number, number, string, string] {
  const heading = `${bestTitle(facts).title} ${facts.gitBranch ?? ''}`.toLowerCase();
  return [Math.trunc(facts.updatedAt ?? 0), facts.prompts, heading, JSON.stringify(facts)];
}

function knownRows(
  database: DatabaseSync,
  project: string | undefined,
  session: string | undefined,
): Map<string, KnownRow> {
  const rows = database
    .prepare(
      `SELECT id, project, name, archived, size, mtime, ino, indexed, whole FROM session
       WHERE project = ifnull(?, project) AND name = ifnull(?, name)`,
    )
    .iterate(project ?? null, session ?? null);
  const known = new Map<string, KnownRow>();
  for (const row of rows) known.set(keyOf(String(row.project), String(row.name)), row as unknown as KnownRow);
  return known;
}

function isSame(row: KnownRow, file: LogFile): boolean {
  return (
    row.size === file.size &&
    row.mtime === file.mtimeMs &&
    row.ino === file.ino &&
    row.archived === Number(file.isArchived)
  );
}

/** Returns the files that were only packed, and therefore contain nothing new. */
function noteChanges(
  database: DatabaseSync,
  changed: readonly { readonly row: KnownRow; readonly file: LogFile }[],
): ReadonlySet<LogFile> {
  const unpacked = new Set<LogFile>();
  if (changed.length === 0) return unpacked;
  const update = database.prepare(
    `UPDATE session SET archived = ?, size = ?, mtime = ?, ino = ?, whole = ?, mark = iif(?, '', mark) WHERE id = ?`,
  );
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const { row, file } of changed) {
      const wasRead = row.archived === 0 && row.whole === 1 && row.size === row.indexed;
      // An archive has the time of its log, to the millisecond: another time means lines that were not read. An
      // unpacked log is always checked: it may be another log now.
      const isRepacked = file.isArchived && wasRead && Math.abs(row.mtime - file.mtimeMs) <= 1;
      if (isRepacked) unpacked.add(file);
      // A log that replaced another, such as a repaired one, is indexed from its beginning.
      const isOther = row.archived === 0 && !file.isArchived && row.ino !== file.ino;
      const found = [Number(file.isArchived), file.size, file.mtimeMs, file.ino] as const;
      update.run(...found, Number(isRepacked), Number(isOther), row.id);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
  return unpacked;
}

async function addFresh(database: DatabaseSync, files: readonly LogFile[]): Promise<void> {
  const facts: SessionFacts[] = [];
  let next = 0;
  const reader = async (): Promise<void> => {
    for (let index = next++; index < files.length; index = next++) {
      const file = files[index];
      if (file !== undefined) facts[index] = await partialFacts(file);
    }
  };
  await Promise.all(Array.from({ length: readers }, reader));
  const insert = database.prepare(
    `INSERT OR IGNORE INTO session (project, name, archived, size, mtime, ino, updated, prompts, heading, facts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  database.exec('BEGIN IMMEDIATE');
  try {
    files.forEach(({ project, id, isArchived, size, mtimeMs, ino }, index) => {
      insert.run(
        project,
        id,
        Number(isArchived),
        size,
        mtimeMs,
        ino,
        ...listColumns(facts[index] ?? noFacts),
      );
    });
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

const keyOf = (project: string, id: string): string => `${project}/${id}`;
