/** Rows of the index as sessions, newest first. */
import type { DatabaseSync } from 'node:sqlite';
import type { SessionQuery } from '../../../protocol/sessions.ts';
import { noFacts, type SessionFacts } from './facts.ts';

/** A session as it crosses threads: plain data. */
export interface SessionRow {
  readonly project: string;
  readonly id: string;
  readonly isArchived: boolean;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly facts: SessionFacts;
}

/** One page. Throws what SQLite throws. */
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

export function countRows(database: DatabaseSync, query: SessionQuery): number {
  const { where, values } = conditions(query);
  return Number(database.prepare(`SELECT count(*) AS n FROM session WHERE ${where}`).get(...values)?.n ?? 0);
}

/** The sessions with this id or, where there is none, those whose id begins so. */
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

/** The index is ours and derived; one that holds something else is worth an empty row, not a crash. */
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
