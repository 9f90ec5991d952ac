/** Searches the index and reads the hits from the logs. */
import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createRest } from '../../../disk/slices.ts';
import { entrySchema } from '../../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../../protocol/entries.ts';
import { bytesOf } from '../logBytes.ts';
import { parseLine } from '../logReader.ts';
import { projectFolderIn } from '../pathUtils.ts';
import { openStoredNow } from '../storedFiles.ts';
import { archiveFileIn } from './logFiles.ts';
import { type SessionRow, toRow } from './rows.ts';
import { fold, indexedText, matches, projectWord, type Query, readOriginal, snippetOf } from './words.ts';

/** A hit as plain data, to send between threads. */
export interface FoundRow {
  readonly session: SessionRow;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly who: string;
  readonly snippet: string;
  readonly marks: readonly (readonly [number, number])[];
}

export interface SearchOptions {
  readonly projects?: readonly string[] | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface Candidate {
  readonly session: SessionRow;
  readonly seq: number;
  readonly offset: number;
  readonly bytes: number;
  readonly blob: string | undefined;
}

/** Maximum time in milliseconds if texts must be checked; the hits found by then are returned. */
const lookMs = 120;
/** Maximum time while there are no hits. */
const emptyLookMs = 3000;
/** Candidates that are read from the logs together. */
const group = 64;

/** Returns the newest hits first. Throws SQLite's errors. */
export async function searchIndex(
  database: DatabaseSync,
  dataRoot: string,
  query: Query,
  { projects, limit, signal }: SearchOptions,
): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  const started = performance.now();
  const needsCheck = query.terms.some((term) => term.needsCheck);
  const reader = new LineReader(dataRoot);
  let last = Number.MAX_SAFE_INTEGER;
  try {
    while (found.length < limit && !signal.aborted) {
      const page = candidates(database, query, projects, last);
      for (const hit of await look(reader, query, page.rows, limit - found.length)) found.push(hit);
      last = page.last;
      const patienceMs = found.length === 0 ? emptyLookMs : lookMs;
      if (page.rows.length < group || (needsCheck && performance.now() - started > patienceMs)) break;
    }
  } finally {
    reader.close();
  }
  return found;
}

/** The next candidates with a row id less than `below`; row ids grow with time. */
function candidates(
  database: DatabaseSync,
  query: Query,
  projects: readonly string[] | undefined,
  below: number,
): { readonly rows: readonly Candidate[]; readonly last: number } {
  const where = projects?.map((project) => `"${projectWord(project)}"`).join(' OR ');
  const match = where === undefined ? query.match : `(${where}) AND ${query.match}`;
  // The inner query must run first, since only it can stop early.
  const rows = database
    .prepare(
      `SELECT said.id AS rowid, seq, offset, bytes, blob, project, name, archived, size, mtime, facts
       FROM (SELECT rowid AS hit FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?)
       CROSS JOIN said ON said.id = hit CROSS JOIN session ON session.id = said.session
       ORDER BY hit DESC`,
    )
    .all(match, below, group);
  return {
    rows: rows.map((row) => ({
      session: toRow(row),
      seq: Number(row.seq),
      offset: Number(row.offset),
      bytes: Number(row.bytes),
      blob: typeof row.blob === 'string' ? row.blob : undefined,
    })),
    last: Number(rows.at(-1)?.rowid ?? 0),
  };
}

/** Reads the lines of the candidates and returns those that match. */
async function look(
  reader: LineReader,
  query: Query,
  rows: readonly Candidate[],
  limit: number,
): Promise<readonly FoundRow[]> {
  const found = new Map<string, FoundRow>();
  const rest = createRest();
  await reader.prepare(rows);
  for (const candidate of rows) {
    if (found.size >= limit) break;
    const { session, seq } = candidate;
    const key = `${session.project}/${session.id}/${seq}`;
    if (found.has(key)) continue;
    const entry = reader.entry(candidate);
    const hit = entry === undefined ? undefined : hitIn(reader, query, candidate, entry);
    if (hit !== undefined) found.set(key, hit);
    await rest();
  }
  return [...found.values()];
}

function hitIn(
  reader: LineReader,
  query: Query,
  { session, seq, blob }: Candidate,
  entry: JSONLEntry,
): FoundRow | undefined {
  const indexed = indexedText(entry);
  const text = blob === undefined ? indexed?.text : readOriginal(reader.folderOf(session), blob);
  if (text === undefined) return undefined;
  const folded = fold(text);
  if (query.terms.some(({ needsCheck }) => needsCheck) && !matches(query, folded)) return undefined;
  const who = indexed?.who ?? entry.toolResult?.name ?? 'tool';
  return { session, seq, time: Date.parse(entry.timestamp) || 0, who, ...snippetOf(query, text, folded) };
}

const placeSchema = entrySchema.pick({ seq: true, type: true });

/** Reads single lines of logs, opening each file once; archives are unpacked up to the last line needed. */
class LineReader {
  readonly #dataRoot: string;
  readonly #handles = new Map<string, number | undefined>();
  readonly #unpacked = new Map<string, Buffer>();

  constructor(dataRoot: string) {
    this.#dataRoot = dataRoot;
  }

  folderOf({ project }: SessionRow): string {
    return projectFolderIn(this.#dataRoot, project);
  }

  /** Unpacks lines of archives, which cannot be read individually. */
  async prepare(rows: readonly Candidate[]): Promise<void> {
    this.#unpacked.clear();
    const archived = new Map<string, Candidate[]>();
    for (const row of rows.filter(({ session }) => session.isArchived)) {
      const key = `${row.session.project}/${row.session.id}`;
      archived.set(key, [...(archived.get(key) ?? []), row]);
    }
    for (const wanted of archived.values()) {
      wanted.sort((a, b) => a.offset - b.offset);
      await this.#unpack(wanted).catch(() => undefined);
    }
  }

  /** Undefined if the log is gone or the line has changed. */
  entry({ session, seq, offset, bytes }: Candidate): JSONLEntry | undefined {
    const line = session.isArchived
      ? this.#unpacked.get(`${session.project}/${session.id}/${offset}`)
      : this.#read(join(this.folderOf(session), `${session.id}.jsonl`), offset, bytes);
    return line === undefined ? undefined : entryIn(line, seq);
  }

  close(): void {
    for (const handle of this.#handles.values()) if (handle !== undefined) closeSync(handle);
    this.#handles.clear();
  }

  #read(file: string, offset: number, length: number): Buffer | undefined {
    try {
      if (!this.#handles.has(file)) this.#handles.set(file, openQuietly(file));
      const handle = this.#handles.get(file);
      if (handle === undefined) return undefined;
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(handle, bytes, 0, length, offset));
    } catch {
      return undefined;
    }
  }

  async #unpack(wanted: readonly Candidate[]): Promise<void> {
    const [first] = wanted;
    if (first === undefined) return;
    const { session } = first;
    const file = archiveFileIn(this.folderOf(session), session.id);
    let at = 0;
    let next = 0;
    let pieces: Buffer[] = [];
    for await (const chunk of bytesOf(file)) {
      for (let goes = true; goes; ) {
        const line = wanted[next];
        if (line === undefined) return;
        const from = Math.max(line.offset, at);
        const to = Math.min(line.offset + line.bytes, at + chunk.length);
        if (from < to) pieces.push(chunk.subarray(from - at, to - at));
        goes = line.offset + line.bytes <= at + chunk.length;
        if (!goes) break;
        this.#unpacked.set(`${session.project}/${session.id}/${line.offset}`, Buffer.concat(pieces));
        pieces = [];
        // An original and the text next to it are in the same line.
        do next += 1;
        while (wanted[next]?.offset === line.offset);
      }
      at += chunk.length;
    }
  }
}

/** The line was validated when it was indexed; validating it again would take half the time of a search. */
function entryIn(line: Buffer, seq: number): JSONLEntry | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (placeSchema.safeParse(value).data?.seq === seq) return value as JSONLEntry;
  } catch {
    // The line is damaged or has changed.
  }
  return parseLine(line).entries.find((entry) => entry.seq === seq);
}

function openQuietly(file: string): number | undefined {
  try {
    return openStoredNow(file);
  } catch {
    return undefined;
  }
}
