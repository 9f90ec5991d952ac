/**
 * One open session and the only writer of its file. Assigns id, order, time and directory to entries when `append` is
 * called, keeps them in memory, and resolves when they are on disk. If writing fails, the session continues in memory:
 * the problem is reported, and missing entries are written as soon as the disk accepts them.
 */
import { ENTRY_FORMAT, entrySchema } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { JITLESS } from '../../protocol/json.ts';
import type { HistoryManager } from '../history/HistoryManager.ts';
import type { Live } from '../history/liveEntries.ts';
import { Listeners } from '../Listeners.ts';
import type { SeenLog } from '../recall/seenLog.ts';
import type { BlobStore } from './BlobStore.ts';
import { ChangeSigner, type LogIdentity } from './ChangeSigner.ts';
import { CHECKSUM_BYTES, MAX_LINE_BYTES } from './entryLine.ts';
import { type JSONLStore, LogVanishedError } from './JSONLStore.ts';
import { LoadedEntries } from './LoadedEntries.ts';
import type { DamagedLine, LogContents } from './logReader.ts';
import {
  compactionEntries,
  deepFreeze,
  messageEntry,
  newId,
  toolResultEntry,
  toolUseEntry,
} from './newEntries.ts';
import { BranchWatch } from './pathUtils.ts';
import { type OpenLog, type Redaction, SessionReadOnlyError, type StorageProblem } from './sessionStore.ts';

interface SessionLogOptions {
  readonly sessionId: string;
  readonly store: JSONLStore;
  readonly blobs: BlobStore;
  /** Signs the file changes of entries; absent = with a key that is never stored. */
  readonly signer?: ChangeSigner;
  readonly contents: LogContents;
  /** Reads the log again, with all entries from `floor` on in memory. */
  readonly reload?: (floor: number) => Promise<LogContents>;
  /** Logs up to this size, in bytes, are held in memory in full. */
  readonly wholeBytes?: number | undefined;
  readonly projectRoot: string;
  readonly programVersion: string;
  readonly now: () => Date;
  /** Removes secrets from appended entries, in the file and in memory; absent = nothing is redacted. */
  readonly redaction?: Redaction | undefined;
  readonly release: () => void;
  /** A problem that occurred while opening. */
  readonly problem?: string | undefined;
  /** True for a reader: nothing is written or locked. */
  readonly isReadOnly?: boolean;
  /** Folder with a copy of damaged parts. */
  readonly quarantine?: string | undefined;
  /** Milliseconds before the first retry of a failed write. */
  readonly retryMs?: number;
}

export class SessionLog implements OpenLog {
  readonly sessionId: string;
  readonly filePath: string;
  readonly blobs: BlobStore;
  /** Lines that could not be read when the session was opened. */
  readonly damaged: readonly DamagedLine[];
  /** Folder with a copy of them; undefined if nothing is damaged or the copy failed. */
  readonly quarantine: string | undefined;
  /** True if the session was opened read-only: `append` rejects with `SessionReadOnlyError`. */
  readonly isReadOnly: boolean;
  readonly #options: SessionLogOptions;
  readonly #signer: ChangeSigner;
  readonly #branch: BranchWatch;
  /** Ignores errors of listeners: they must not prevent writing. */
  readonly #listeners = new Listeners<StorageProblem>();
  readonly #resident: LoadedEntries;
  #nextSeq: number;
  #cwd: string;
  /** Lines in memory that are not on disk yet. */
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  /** Entries from this `seq` on may be lost in a power failure. */
  #unsyncedFrom: number;
  #isSyncBroken = false;
  /** The sync that runs or has run last, and the one that waits for it. */
  #syncing: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  readonly #retry: Retry;
  #problem: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: SessionLogOptions) {
    const { entries, damaged } = options.contents;
    this.#options = options;
    this.#signer = options.signer ?? new ChangeSigner();
    this.sessionId = options.sessionId;
    this.filePath = options.store.getFilePath();
    this.blobs = options.blobs;
    this.damaged = damaged;
    this.quarantine = options.quarantine;
    this.#resident = new LoadedEntries(this.filePath, options.contents, options.wholeBytes);
    this.#nextSeq = (entries.at(-1)?.seq ?? -1) + 1;
    this.#unsyncedFrom = this.#nextSeq;
    this.isReadOnly = options.isReadOnly ?? false;
    this.#retry = new Retry(() => this.sync(), options.retryMs);
    this.#cwd = options.projectRoot;
    this.#branch = new BranchWatch(options.projectRoot);
    this.#problem = options.problem;
  }

  /** Resolves when the git branch for the first entry is known. */
  ready(): Promise<void> {
    return this.#branch.refresh();
  }

  /** History of the entries in memory. */
  get history(): HistoryManager {
    return this.#resident.history;
  }

  /**
   * Entries in memory, oldest first; the array never changes. For a large log only those still needed: `seen` has all.
   */
  entries(): readonly JSONLEntry[] {
    return this.history.entries();
  }

  /** The entries that are in effect. */
  live(): Live {
    return this.history.live();
  }

  /**
   * Appends the entries as one batch with a single write: after a crash the file has all of them or a torn end. The
   * order is that of the calls. Rejects for a malformed or too large entry, after `close` and in a read-only session, but never
   * because of the disk.
   */
  async append(entries: readonly NewEntry[]): Promise<readonly JSONLEntry[]> {
    if (this.#closed !== undefined) throw new Error(`Session ${this.sessionId} is closed.`);
    if (this.isReadOnly) throw new SessionReadOnlyError(this.sessionId);
    const { redaction } = this.#options;
    const lines = this.#toLines(redaction?.value(entries) ?? entries);
    for (const line of lines) assertReadable(line);
    // Parse the lines again, so that memory has exactly what a reader of the file gets.
    const added = lines.map((line) => deepFreeze(JSON.parse(line) as JSONLEntry));
    for (const entry of added) entrySchema.parse(entry, JITLESS);
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    this.#resident.add(added, bytes);
    this.#nextSeq += added.length;
    this.#pending.push(...lines);
    await this.#flush();
    if (this.#pending.length === 0) this.#resident.evict(added, this.#unsyncedFrom);
    return added;
  }

  /** All entries of the session; those that are not in memory are read from the file. */
  seen(): SeenLog {
    return this.#resident.seen();
  }

  isOwn(entry: JSONLEntry): boolean {
    return this.#signer.isOwn(entry, this.#identity());
  }

  /** Loads all entries from `floor` on into memory. Rejects if the file cannot be read. */
  async reach(floor: number): Promise<void> {
    const { reload } = this.#options;
    if (reload === undefined || !this.#resident.isShortOf(floor)) return;
    await this.#flush();
    this.#resident.replace((await reload(floor)).entries);
  }

  /**
   * The value as it would be stored. Use it before cutting or marking text; otherwise a secret could be split and
   * missed.
   */
  clean<T>(value: T): T {
    return this.#options.redaction?.value(value) ?? value;
  }

  saveMessage(...input: Parameters<typeof messageEntry>): Promise<readonly JSONLEntry[]> {
    return this.append([messageEntry(...input)]);
  }

  saveToolUse(...input: Parameters<typeof toolUseEntry>): Promise<readonly JSONLEntry[]> {
    return this.append([toolUseEntry(...input)]);
  }

  saveToolResult(...input: Parameters<typeof toolResultEntry>): Promise<readonly JSONLEntry[]> {
    return this.append([toolResultEntry(...input)]);
  }

  /** Appends a boundary and its summary as one batch. */
  saveCompaction(...input: Parameters<typeof compactionEntries>): Promise<readonly JSONLEntry[]> {
    return this.append(compactionEntries(...input));
  }

  /**
   * Calls the listener on every storage problem, and immediately if there is one now. Returns a function to
   * unsubscribe.
   */
  onProblem(listener: (problem: StorageProblem) => void): () => void {
    const stop = this.#listeners.add(listener);
    if (this.#problem !== undefined) listener({ message: this.#problem });
    return stop;
  }

  /** Working directory that is recorded with later entries. */
  get cwd(): string {
    return this.#cwd;
  }

  setCwd(directory: string): void {
    this.#cwd = directory;
  }

  /**
   * Resolves when all entries are on disk and survive a power failure; problems are reported, not thrown. One at a time:
   * that a sync succeeds while an earlier one is failing says nothing about what that one has lost, since the system
   * reports each lost page once. Calls that wait share the next one.
   */
  sync(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    this.#nextSync ??= (this.#syncing ?? Promise.resolve()).then(() => {
      this.#syncing = this.#nextSync;
      this.#nextSync = undefined;
      return this.#syncOnce();
    });
    return this.#nextSync;
  }

  async #syncOnce(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    await this.#flush();
    const upTo = this.#nextSeq;
    try {
      await this.#options.store.sync();
      if (this.#pending.length > 0) return;
      this.#unsyncedFrom = upTo;
      this.#isSyncBroken = false;
      this.#recover();
    } catch (error) {
      // It is unknown whether these lines are on disk, so write them again; readers skip duplicates.
      this.#isSyncBroken = true;
      const lines = this.#linesToRepeat(error, (entry) => entry.seq >= this.#unsyncedFrom);
      // If the file has vanished, these include lines that were not pending.
      if (lines.length > this.#pending.length) this.#pending = lines;
      this.#report(error);
    }
  }

  /** Writes pending lines, then releases the lock. */
  close(): Promise<void> {
    this.#closed ??= this.#flush()
      .then(() => this.#options.store.close())
      .finally(() => {
        this.#retry.stop();
        this.#options.release();
      });
    return this.#closed;
  }

  #identity(): LogIdentity {
    return { sessionId: this.sessionId, first: this.entries()[0] };
  }

  #toLines(entries: readonly NewEntry[]): string[] {
    const timestamp = this.#options.now().toISOString();
    const gitBranch = this.#branch.current();
    let parentUuid = this.#resident.lastUuid() ?? null;
    return entries.map((entry, index) => {
      const { type, subtype, ...rest } = entry;
      const uuid = newId();
      const seq = this.#nextSeq + index;
      const line = JSON.stringify({
        v: ENTRY_FORMAT,
        seq,
        uuid,
        parentUuid,
        sessionId: this.sessionId,
        timestamp,
        type,
        subtype,
        cwd: this.#cwd,
        gitBranch,
        version: this.#options.programVersion,
        mac: this.#signer.sign(entry, { seq, uuid }, this.#identity()),
        ...rest,
      });
      parentUuid = uuid;
      return line;
    });
  }

  /** Writes until nothing is pending or a write fails; concurrent callers share one run. */
  #flush(): Promise<void> {
    this.#writing ??= this.#writePending();
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    // Let concurrent appends join this write.
    await Promise.resolve();
    while (this.#pending.length > 0 && (await this.#writeBatch()));
    // No await between the last check and this line: a later append starts a new run.
    this.#writing = undefined;
  }

  /** Returns false if the write failed. */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#pending;
    this.#pending = [];
    try {
      await this.#options.store.appendLines(batch);
      if (!this.#isSyncBroken) this.#recover();
      return true;
    } catch (error) {
      this.#report(error);
      const isVanished = error instanceof LogVanishedError;
      this.#pending =
        isVanished && !error.isRestored
          ? this.#linesToRepeat(error, () => true)
          : [...batch, ...this.#pending];
      return isVanished;
    }
  }

  /** Lines to write again; all lines in memory if the file has vanished and cannot be restored. */
  #linesToRepeat(error: unknown, isUnsure: (entry: JSONLEntry) => boolean): string[] {
    const isGone = error instanceof LogVanishedError && !error.isRestored;
    return this.#resident.lines((entry) => isGone || isUnsure(entry));
  }

  #report(error: unknown): void {
    this.#retry.schedule();
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
    const message =
      `The session is not being saved: ${reason} The conversation continues in memory; ` +
      `saving is tried again every few seconds. Check the disk that holds ${this.filePath}.`;
    if (this.#problem === message) return;
    this.#problem = message;
    this.#listeners.tell({ message });
  }

  #recover(): void {
    this.#retry.stop();
    if (this.#problem === undefined || this.#problem === this.#options.problem) return;
    this.#problem = undefined;
    this.#listeners.tell({
      message: 'The session is being saved again; nothing is missing.',
      recovered: true,
    });
  }
}

/** Throws for a line that a reader would skip. */
function assertReadable(line: string): void {
  const bytes = line.length * 3 > MAX_LINE_BYTES ? Buffer.byteLength(line) : 0;
  if (bytes <= MAX_LINE_BYTES - CHECKSUM_BYTES) return;
  throw new Error(`An entry with ${bytes} bytes is too large for the log: at most ${MAX_LINE_BYTES} fit.`);
}

/** Repeats a failing operation at growing intervals. Its timer does not keep the process alive. */
export class Retry {
  readonly #attempt: () => Promise<unknown>;
  readonly #firstMs: number;
  readonly #longestMs: number;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number;

  /** `attempt` has to call `schedule` when it fails and `stop` when it succeeds. */
  constructor(attempt: () => Promise<unknown>, firstMs = 1000, longestMs = 30_000) {
    this.#attempt = attempt;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  /** Schedules another attempt unless one is scheduled already. */
  schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#attempt().catch(() => undefined);
    }, this.#nextMs);
    this.#timer.unref();
    this.#nextMs = Math.min(2 * this.#nextMs, this.#longestMs);
  }

  /** Cancels the next attempt and resets the interval. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextMs = this.#firstMs;
  }
}
