/** Rows of the index as sessions, newest first. */

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Usage } from '../../../protocol/messages.ts';
import type { SessionQuery, SessionRecord } from '../../../protocol/sessions.ts';
import { projectFolderIn } from '../pathUtils.ts';
import { partialFacts } from './compareLogs.ts';
import { bestTitle, noFacts, type SessionFacts } from './facts.ts';
import { archiveFileIn, type LogFile, listLogFiles } from './logFiles.ts';
import { lastProjectFolder } from './projectFolders.ts';

/** A session as plain data, to send between threads. */
export interface SessionRow {
  readonly project: string;
  readonly id: string;
  readonly isArchived: boolean;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly facts: SessionFacts;
}

/** One page of sessions. Throws SQLite's errors. */
export function listRows(database: DatabaseSync, query: SessionQuery): readonly SessionRow[] {
  const { where, values } = conditions(query);
  return database
    .prepare(
      `SELECT project, name, archived, size, mtime, facts FROM session WHERE ${where}
       ORDER BY updated DESC, id LIMIT ? OFFSET ?`,
    )
    .all(...values, query.limit ?? -1, query.offset ?? 0)
    .map(toRow);
}

export function countRows(database: DatabaseSync): number {
  return Number(database.prepare('SELECT count(*) AS n FROM session WHERE prompts > 0').get()?.n ?? 0);
}

/** The session with this id or, if there is none, those whose id begins with it. */
export function findRows(
  database: DatabaseSync,
  prefix: string,
  projects?: readonly string[],
): readonly SessionRow[] {
  const { where, values } = conditions(projects === undefined ? {} : { project: projects });
  const named = database.prepare(
    `SELECT project, name, archived, size, mtime, facts FROM session
     WHERE ${where} AND substr(name, 1, ?) = ? ORDER BY updated DESC, id LIMIT 100`,
  );
  const rows = named.all(...values, prefix.length, prefix).map(toRow);
  const exact = rows.filter(({ id }) => id === prefix);
  return exact.length > 0 ? exact : rows;
}

export function toRow(row: Readonly<Record<string, unknown>>): SessionRow {
  return {
    project: String(row.project),
    id: String(row.name),
    isArchived: row.archived === 1,
    bytes: Number(row.size),
    mtimeMs: Number(row.mtime),
    facts: parseFacts(String(row.facts)),
  };
}

/** The index is derived data: for invalid facts return an empty row instead of failing. */
export function parseFacts(text: string): SessionFacts {
  try {
    return { ...noFacts, ...(JSON.parse(text) as SessionFacts) };
  } catch {
    return noFacts;
  }
}

function conditions({ project, archived = true, filter }: SessionQuery): {
  readonly where: string;
  readonly values: readonly (string | number)[];
} {
  const where = ['prompts > 0'];
  const values: (string | number)[] = [];
  if (typeof project === 'string') {
    where.push('project = ?');
    values.push(project);
  } else if (project !== undefined) {
    where.push('project IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(project));
  }
  if (!archived) where.push('archived = 0');
  for (const word of (filter ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8)) {
    where.push('(instr(heading, ?) > 0 OR instr(name, ?) > 0)');
    values.push(word, word);
  }
  return { where: where.join(' AND '), values };
}

// Converts rows of the index to the records for the rest of the program.

export interface Records {
  of(rows: readonly SessionRow[]): Promise<readonly SessionRecord[]>;
  /** Clears the cached folders of projects. */
  forget(): void;
}

type Price = (model: string, usage: Usage) => number | undefined;

export function createRecords(dataRoot: string, costUsd: Price): Records {
  /** One check of the disk for all sessions of a project that were started in the same folder. */
  let places = new Map<string, ReturnType<typeof lastProjectFolder>>();
  return {
    of: (rows) =>
      Promise.all(
        rows.map(async (row) => {
          const key = `${row.project}\n${row.facts.root}`;
          const place = places.get(key) ?? lastProjectFolder(dataRoot, row.project, row.facts.root);
          places.set(key, place);
          return { ...recordOf(dataRoot, row, costUsd), ...(await place) };
        }),
      ),
    forget() {
      places = new Map();
    },
  };
}

function recordOf(
  dataRoot: string,
  row: SessionRow,
  costUsd: Price,
): Omit<SessionRecord, 'root' | 'isMoved'> {
  const { project, id, isArchived, bytes, mtimeMs, facts } = row;
  const folder = projectFolderIn(dataRoot, project);
  return {
    id,
    file: isArchived ? archiveFileIn(folder, id) : join(folder, `${id}.jsonl`),
    project,
    ...bestTitle(facts),
    createdAt: new Date(facts.createdAt ?? mtimeMs),
    updatedAt: new Date(facts.updatedAt ?? mtimeMs),
    bytes,
    gitBranch: facts.gitBranch,
    messageCount: facts.entries,
    promptCount: facts.prompts,
    model: facts.model,
    ...tokensOf(facts, costUsd),
    isArchived,
    isPartial: facts.isPartial === true,
    forkedFrom: facts.forkedFrom,
    lastLines: facts.lastLines,
  };
}

/** The cost is unknown if any model has no price. */
function tokensOf(
  { usage }: SessionFacts,
  costUsd: Price,
): Pick<SessionRecord, 'inputTokens' | 'outputTokens' | 'costUsd'> {
  let [inputTokens, outputTokens] = [0, 0];
  let sum: number | undefined = 0;
  for (const [model, { input, output, cached, written = 0 }] of Object.entries(usage)) {
    inputTokens += input;
    outputTokens += output;
    const cost = costUsd(model, {
      inputTokens: input,
      outputTokens: output,
      cachedTokens: cached,
      cacheWriteTokens: written,
    });
    sum = sum === undefined || cost === undefined ? undefined : sum + cost;
  }
  return { inputTokens, outputTokens, costUsd: sum };
}

// Lists sessions without an index: by file time, reading only as many files as needed.

/** Number of files read in parallel. */
const readers = 8;

/** Sorted by file time; with a filter every file may have to be read. */
export async function partialRows(dataRoot: string, query: SessionQuery): Promise<readonly SessionRow[]> {
  const { project, archived = true, filter = '', offset = 0 } = query;
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  const projects = typeof project === 'string' ? [project] : project;
  const logs = (await listLogFiles(dataRoot, typeof project === 'string' ? project : undefined))
    .filter((log) => (archived || !log.isArchived) && projects?.includes(log.project) !== false)
    .sort((a, b) => b.mtimeMs - a.mtimeMs || (a.id < b.id ? -1 : 1));
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: SessionRow[] = [];
  for (let at = 0; at < logs.length && rows.length < offset + limit; at += readers) {
    for (const row of await Promise.all(logs.slice(at, at + readers).map(rowOf)))
      if (row.facts.prompts > 0 && words.every((word) => headingOf(row).includes(word))) rows.push(row);
  }
  return rows.slice(offset, offset + limit);
}

/** The row for a log, from both ends of its file. */
export async function rowOf(log: LogFile): Promise<SessionRow> {
  const { project, id, isArchived, size, mtimeMs } = log;
  return { project, id, isArchived, bytes: size, mtimeMs, facts: await partialFacts(log) };
}

function headingOf({ id, facts }: SessionRow): string {
  return `${bestTitle(facts).title} ${facts.gitBranch ?? ''} ${id}`.toLowerCase();
}
