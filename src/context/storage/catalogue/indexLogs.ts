/** Indexes new parts of logs in batches and continues where it stopped. */
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { createRest } from '../../../disk/slices.ts';
import { sqliteCode } from '../../../disk/sqlite.ts';
import { beforeDamage, folderOfLog } from '../logBytes.ts';
import { parseLine } from '../logReader.ts';
import { openStoredNow } from '../storedFiles.ts';
import { listColumns } from './compareLogs.ts';
import { removeWords } from './database.ts';
import { addFacts, noFacts, type SessionFacts } from './facts.ts';
import { type LogFile, logLines } from './logFiles.ts';
import { parseFacts } from './rows.ts';
import { indexedText, indexText, projectWord, readOriginal } from './words.ts';

interface IndexOptions {
  readonly signal: AbortSignal;
  /** Maximum bytes of logs to read; the rest is indexed the next time. */
  readonly maxBytes?: number | undefined;
  /** Called after each batch in which a session was completed. */
  readonly onIndexed: () => void;
}

/** A batch is one transaction: other processes wait no longer than it takes. */
const batchBytes = 16 * 2 ** 20;
const batchMs = 500;
/** Bytes at the end of a line that are hashed; a shorter line includes its id and time, which no other log has. */
const markBytes = 4096;

/** Returns the number of bytes read. Throws SQLite's errors; a log that cannot be read is left for the next time. */
export async function indexLogs(
  database: DatabaseSync,
  logs: readonly LogFile[],
  options: IndexOptions,
): Promise<number> {
  const batch = new Batch(database, options.onIndexed);
  const maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  let bytes = 0;
  try {
    for (const log of logs) {
      if (options.signal.aborted || bytes >= maxBytes) break;
      bytes += await indexLog(batch, log, maxBytes - bytes, options.signal);
    }
    batch.commit();
  } finally {
    batch.rollback();
  }
  return bytes;
}

async function indexLog(batch: Batch, log: LogFile, maxBytes: number, signal: AbortSignal): Promise<number> {
  batch.begin();
  const row = batch.take(log);
  if (row === undefined) return 0;
  let { indexed } = row;
  const { isPartial, ...known } = row.facts;
  // An archive may have been repaired.
  let facts: SessionFacts = isPartial && !log.isArchived ? { ...known, isPartial } : known;
  const start = indexed;
  let last: Buffer | undefined;
  const texts = new TextWriter(batch, row.id, log);
  const rest = createRest();
  const save = (isWhole: boolean): void => {
    const mark = last === undefined ? row.mark : markOf(last);
    batch.save(row.id, { facts, indexed, mark, isWhole });
  };
  try {
    const onDamage = (): void => {
      facts = { ...facts, isPartial: true };
    };
    for await (const line of beforeDamage(logLines(log.file, start), onDamage)) {
      if (line.bytes.length === 0 && line.length > 1) onDamage();
      for (const entry of parseLine(line.bytes).entries) {
        facts = addFacts(facts, entry);
        texts.add(entry, line);
      }
      indexed = line.offset + line.length;
      last = line.bytes;
      await rest();
      const isEnough = signal.aborted || indexed - start >= maxBytes;
      if (!isEnough && !batch.isFull(line.length)) continue;
      save(false);
      batch.commit();
      if (isEnough) return indexed - start;
      batch.begin();
      // Another process may have continued indexing this log.
      if (batch.take(log)?.indexed !== indexed) return indexed - start;
    }
    save(true);
  } catch (error) {
    if (sqliteCode(error) !== undefined) throw error;
    // Disk error: keep what was read and retry the rest later.
    save(false);
  }
  return indexed - start;
}

interface Taken {
  readonly id: number;
  readonly indexed: number;
  readonly mark: string;
  readonly facts: SessionFacts;
}

/** Runs transactions one after the other on one connection. */
class Batch {
  readonly database: DatabaseSync;
  readonly #onIndexed: () => void;
  readonly #select: StatementSync;
  readonly #saveWhole: StatementSync;
  readonly #savePart: StatementSync;
  #isOpen = false;
  #bytes = 0;
  #since = 0;
  #finished = 0;

  constructor(database: DatabaseSync, onIndexed: () => void) {
    this.database = database;
    this.#onIndexed = onIndexed;
    this.#select = database.prepare(
      'SELECT id, indexed, mark, whole, state, facts FROM session WHERE project = ? AND name = ?',
    );
    this.#saveWhole = database.prepare(
      `UPDATE session SET indexed = ?, mark = ?, whole = 1, state = '', updated = ?, prompts = ?, heading = ?, facts = ?
       WHERE id = ?`,
    );
    this.#savePart = database.prepare('UPDATE session SET indexed = ?, mark = ?, state = ? WHERE id = ?');
  }

  begin(): void {
    if (this.#isOpen) return;
    this.database.exec('BEGIN IMMEDIATE');
    this.#isOpen = true;
    this.#bytes = 0;
    this.#since = performance.now();
  }

  /**
   * Where to continue a log: at its beginning if it is not the log that was indexed. Undefined if there is nothing to
   * do.
   */
  take(log: LogFile): Taken | undefined {
    const row = this.#select.get(log.project, log.id);
    if (row === undefined || row.whole === 1) return undefined;
    const [id, indexed, mark] = [Number(row.id), Number(row.indexed), String(row.mark)];
    const facts = indexed === 0 ? noFacts : parseFacts(String(row.state || row.facts));
    const isContinued = log.isArchived || isMarked(log.file, indexed, mark);
    if (indexed === 0 || isContinued) return { id, indexed, mark, facts };
    removeWords(this.database, JSON.stringify([id]));
    return { id, indexed: 0, mark: '', facts: noFacts };
  }

  save(
    id: number,
    { facts, indexed, mark, isWhole }: Omit<Taken, 'id'> & { readonly isWhole: boolean },
  ): void {
    if (!isWhole) this.#savePart.run(indexed, mark, JSON.stringify(facts), id);
    else this.#saveWhole.run(indexed, mark, ...listColumns(facts), id);
    if (isWhole) this.#finished += 1;
  }

  isFull(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes > batchBytes || performance.now() - this.#since > batchMs;
  }

  commit(): void {
    if (!this.#isOpen) return;
    this.database.exec('COMMIT');
    this.#isOpen = false;
    if (this.#finished > 0) this.#onIndexed();
    this.#finished = 0;
  }

  /** Rolls back after an error; does nothing otherwise. */
  rollback(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
  }
}

/** Writes the searchable texts of one session. */
class TextWriter {
  readonly #insertSaid: StatementSync;
  readonly #insertWords: StatementSync;
  readonly #session: number;
  readonly #project: string;
  readonly #folder: string;

  constructor({ database }: Batch, session: number, log: LogFile) {
    this.#insertSaid = database.prepare(
      'INSERT INTO said (session, seq, offset, bytes, blob) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertWords = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
    this.#session = session;
    this.#project = projectWord(log.project);
    this.#folder = folderOfLog(log.file);
  }

  add(
    entry: Parameters<typeof indexedText>[0],
    { offset, length }: { readonly offset: number; readonly length: number },
  ): void {
    const indexed = indexedText(entry);
    if (indexed !== undefined) this.#insert(entry.seq, offset, length, undefined, indexed.text);
    const hash = entry.toolResult?.original?.hash;
    const original = hash === undefined ? undefined : readOriginal(this.#folder, hash);
    if (hash !== undefined && original !== undefined) this.#insert(entry.seq, offset, length, hash, original);
  }

  #insert(seq: number, offset: number, length: number, blob: string | undefined, text: string): void {
    const { lastInsertRowid } = this.#insertSaid.run(this.#session, seq, offset, length, blob ?? null);
    this.#insertWords.run(lastInsertRowid, `${this.#project} ${indexText(text)}`);
  }
}

/** The mark of the last line that was read: the number of bytes at its end that are hashed, and their hash. */
function markOf(line: Buffer): string {
  const bytes = Buffer.concat([line.subarray(1 - markBytes), Buffer.from('\n')]);
  return `${bytes.length}:${hashOf(bytes)}`;
}

/** True if the bytes before this offset match the mark. */
function isMarked(file: string, offset: number, mark: string): boolean {
  const length = Number.parseInt(mark, 10);
  if (Number.isNaN(length) || length > offset) return false;
  const bytes = Buffer.alloc(length);
  try {
    const handle = openStoredNow(file);
    try {
      if (readSync(handle, bytes, 0, length, offset - length) < length) return false;
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
  return mark === `${length}:${hashOf(bytes)}`;
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
