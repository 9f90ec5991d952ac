/** A list without an index: the newest files, and of those only what is asked for is looked into. */
import type { SessionQuery } from '../../../protocol/sessions.ts';
import { bestTitle } from './facts.ts';
import { type LogFile, listLogFiles } from './logFiles.ts';
import { quickFacts } from './noteFiles.ts';
import type { SessionRow } from './rows.ts';

/** Files looked into at the same time. */
const readers = 8;

/** By the time of the file; with a filter every file is looked into. */
export async function quickRows(dataRoot: string, query: SessionQuery): Promise<readonly SessionRow[]> {
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

/** What a file tells at both ends. */
export async function rowOf(log: LogFile): Promise<SessionRow> {
  const { project, id, isArchived, size, mtimeMs } = log;
  return { project, id, isArchived, bytes: size, mtimeMs, facts: await quickFacts(log) };
}

function headingOf({ id, facts }: SessionRow): string {
  return `${bestTitle(facts).title} ${facts.gitBranch ?? ''} ${id}`.toLowerCase();
}
