/**
 * One open session: the only writer of its file. Gives entries their identity, order, time and place at
 * the moment of the call, keeps them in memory, and resolves when they are on disk. When the disk fails,
 * memory goes on: the problem is told, and what is missing is written as soon as the disk takes it.
 */

import { ENTRY_FORMAT, entrySchema } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { ONCE } from '../../protocol/once.ts';
import type { Redaction } from '../../protocol/redaction.ts';
import type { HistoryManager } from '../history/HistoryManager.ts';
import type { Live } from '../history/liveEntries.ts';
import { Listeners } from '../Listeners.ts';
import type { SeenLog } from '../recall/seenLog.ts';
import type { BlobStore } from './BlobStore.ts';
import { SessionReadOnlyError } from './errors.ts';
import { deepFreeze } from './frozen.ts';
import { BranchWatch } from './git.ts';
import { newId } from './ids.ts';
import { type JSONLStore, LogVanishedError } from './JSONLStore.ts';
import type { DamagedLine, LogContents } from './logReader.ts';
import { compactionEntries, messageEntry, toolResultEntry, toolUseEntry } from './newEntries.ts';
import { ResidentLog } from './ResidentLog.ts';
import type { OpenLog, StorageProblem } from './sessionStore.ts';

export interface SessionLogOptions {
  readonly sessionId: string;
  readonly store: JSONLStore;
  readonly blobs: BlobStore;
  readonly contents: LogContents;
  /** Reads the log again, with everything from this position on in memory. */
  readonly reload?: (floor: number) => Promise<LogContents>;
  /** Logs up to this size, in bytes, are held in memory as a whole. */
  readonly wholeBytes?: number | undefined;
  readonly projectRoot: string;
  readonly programVersion: string;
  readonly now: () => Date;
  /** What is appended is stored and kept in memory without its secrets; absent = as it is. */
  readonly redaction?: Redaction | undefined;
  readonly release: () => void;
  /** What went wrong while opening. */
  readonly problem?: string | undefined;
  /** True for a reader: nothing is ever written, and nothing is locked. */
  readonly isReadOnly?: boolean;
  /** Where a copy of what is damaged is kept. */
  readonly quarantine?: string | undefined;
  /** Milliseconds until a failed write is first tried again. */
  readonly retryMs?: number;
}

export class SessionLog implements OpenLog {
  readonly sessionId: string;
  readonly filePath: string;
  readonly blobs: BlobStore;
  /** What could not be read when the session was opened. */
  readonly damaged: readonly DamagedLine[];
  /** Where a copy of it is kept; undefined when nothing is damaged, or none could be made. */
  readonly quarantine: string | undefined;
  /** True when the session is only read: `append` rejects with `SessionReadOnlyError`. */
  readonly isReadOnly: boolean;
  readonly #options: SessionLogOptions;
  readonly #branch: BranchWatch;
  /** A listener that throws must not keep anything from being written. */
  readonly #listeners = new Listeners<StorageProblem>();
  readonly #resident: ResidentLog;
  #nextSeq: number;
  #cwd: string;
  /** Lines that are in memory but not yet on disk. */
  #pending: string[] = [];
  #writing: Promise<void> | undefined;
  /** From this `seq` on entries may be lost by a power cut. */
  #unsyncedFrom: number;
  #isSyncBroken = false;
  readonly #retry: Retry;
  #problem: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: SessionLogOptions) {
    const { entries, damaged } = options.contents;
    this.#options = options;
    this.sessionId = options.sessionId;
    this.filePath = options.store.getFilePath();
    this.blobs = options.blobs;
    this.damaged = damaged;
    this.quarantine = options.quarantine;
    this.#resident = new ResidentLog(this.filePath, options.contents, options.wholeBytes);
    this.#nextSeq = (entries.at(-1)?.seq ?? -1) + 1;
    this.#unsyncedFrom = this.#nextSeq;
    this.isReadOnly = options.isReadOnly ?? false;
    this.#retry = new Retry(() => this.sync(), options.retryMs);
    this.#cwd = options.projectRoot;
    this.#branch = new BranchWatch(options.projectRoot);
    this.#problem = options.problem;
  }

  /** Resolves when the first entry can say on which branch it was written. */
  ready(): Promise<void> {
    return this.#branch.refresh();
  }

  /** The entries in memory, and what they make. */
  get history(): HistoryManager {
    return this.#resident.history;
  }

  /** The log so far, oldest first, never changed; of a large one what is still needed: `seen` has everything. */
  entries(): readonly JSONLEntry[] {
    return this.history.entries();
  }

  /** Which of them count. */
  live(): Live {
    return this.history.live();
  }

  /**
   * Adds the entries as one batch: written with one call, so a crash leaves all of them or a torn end.
   * Order is the order of the calls. Never rejects because of the disk; rejects for a malformed entry.
   */
  async append(entries: readonly NewEntry[]): Promise<readonly JSONLEntry[]> {
    if (this.#closed !== undefined) throw new Error(`Session ${this.sessionId} is closed.`);
    if (this.isReadOnly) throw new SessionReadOnlyError(this.sessionId);
    const { redaction } = this.#options;
    const lines = this.#toLines(redaction?.value(entries) ?? entries);
    // What memory holds is what a reader of the file will get, down to the last absent field.
    const added = lines.map((line) => deepFreeze(JSON.parse(line) as JSONLEntry));
    for (const entry of added) entrySchema.parse(entry, ONCE);
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    this.#resident.add(added, bytes);
    this.#nextSeq += added.length;
    this.#pending.push(...lines);
    await this.#flush();
    if (this.#pending.length === 0) this.#resident.evict(added, this.#unsyncedFrom);
    return added;
  }

  /** Everything that this session has ever seen; what is not in memory is read from the file. */
  seen(): SeenLog {
    return this.#resident.seen();
  }

  /** Takes everything from this position on into memory. Rejects when the file cannot be read. */
  async reach(floor: number): Promise<void> {
    const { reload } = this.#options;
    if (reload === undefined || !this.#resident.isShortOf(floor)) return;
    await this.#flush();
    this.#resident.replace((await reload(floor)).entries);
  }

  /** As it would be stored: whatever cuts or marks a text has to work on this, or it takes secrets apart. */
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

  /** The boundary and its summary, as one batch. */
  saveCompaction(...input: Parameters<typeof compactionEntries>): Promise<readonly JSONLEntry[]> {
    return this.append(compactionEntries(...input));
  }

  /** Hears of every storage problem, and at once of one that lasts. Returns the unsubscriber. */
  onProblem(listener: (problem: StorageProblem) => void): () => void {
    const stop = this.#listeners.add(listener);
    if (this.#problem !== undefined) listener({ message: this.#problem });
    return stop;
  }

  /** Where later entries say that they happened: where the shell is. */
  get cwd(): string {
    return this.#cwd;
  }

  setCwd(directory: string): void {
    this.#cwd = directory;
  }

  /** Resolves when everything is on the disk itself, also after a power cut; problems are told, not thrown. */
  async sync(): Promise<void> {
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
      // There is no telling whether these lines are on the disk: they are written again, and read once.
      this.#isSyncBroken = true;
      const lines = this.#linesToRepeat(error, (entry) => entry.seq >= this.#unsyncedFrom);
      // After a file vanished, more than these may be waiting.
      if (lines.length > this.#pending.length) this.#pending = lines;
      this.#report(error);
    }
  }

  /** Writes what is left, then lets others open the session. */
  close(): Promise<void> {
    this.#closed ??= this.#flush()
      .then(() => this.#options.store.close())
      .finally(() => {
        this.#retry.stop();
        this.#options.release();
      });
    return this.#closed;
  }

  #toLines(entries: readonly NewEntry[]): string[] {
    const timestamp = this.#options.now().toISOString();
    const gitBranch = this.#branch.current();
    let parentUuid = this.#resident.lastUuid() ?? null;
    return entries.map((entry, index) => {
      const { type, subtype, ...rest } = entry;
      const uuid = newId();
      const line = JSON.stringify({
        v: ENTRY_FORMAT,
        seq: this.#nextSeq + index,
        uuid,
        parentUuid,
        sessionId: this.sessionId,
        timestamp,
        type,
        subtype,
        cwd: this.#cwd,
        gitBranch,
        version: this.#options.programVersion,
        ...rest,
      });
      parentUuid = uuid;
      return line;
    });
  }

  /** Writes until nothing is pending or the disk refuses; callers share one run. */
  #flush(): Promise<void> {
    this.#writing ??= this.#writePending();
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    // Let appends of the same moment join this write.
    await Promise.resolve();
    while (this.#pending.length > 0 && (await this.#writeBatch()));
    // In the same breath as the last look at what is pending: an append after this starts a run of its own.
    this.#writing = undefined;
  }

  /** False when the disk refused. */
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

  /** Lines that have to be written once more; of a file that vanished and cannot be restored, all there are. */
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

/** Tries something again while it keeps failing, at growing intervals; never keeps the program alive. */
export class Retry {
  readonly #attempt: () => Promise<unknown>;
  readonly #firstMs: number;
  readonly #longestMs: number;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number;

  /** `attempt` calls `schedule` when it failed and `stop` when it did not. */
  constructor(attempt: () => Promise<unknown>, firstMs = 1000, longestMs = 30_000) {
    this.#attempt = attempt;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  /** Sees to it that another attempt is made; one that is due already stays as it is. */
  schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#attempt().catch(() => undefined);
    }, this.#nextMs);
    this.#timer.unref();
    this.#nextMs = Math.min(2 * this.#nextMs, this.#longestMs);
  }

  /** Nothing is due any more; the next failure begins with the shortest interval. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextMs = this.#firstMs;
  }
}
