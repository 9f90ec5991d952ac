/** Sessions that are kept in memory and never written: for `--no-session-persistence`. */
import { createHash } from 'node:crypto';
import { ENTRY_FORMAT, entrySchema } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { HistoryManager } from '../history/HistoryManager.ts';
import { seenIn } from '../recall/seenLog.ts';
import { ChangeSigner, signedAgain } from './ChangeSigner.ts';
import { deepFreeze, isSafeSessionId, newId, newSessionId } from './newEntries.ts';
import {
  type Blobs,
  InvalidSessionIdError,
  idIn,
  type OpenLog,
  type Redaction,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  type SessionStore,
} from './sessionStore.ts';
import type { SessionSummary } from './sessionSummary.ts';

/** Bytes of large contents that are kept; beyond that, the oldest are forgotten. */
const MAX_BLOB_BYTES = 256 * 2 ** 20;
/** Bytes of one content that arrives in pieces; the rest is dropped. */
const MAX_SINK_BYTES = 32 * 2 ** 20;

interface MemoryStoreOptions {
  /** The program's version, recorded in every entry. */
  readonly programVersion: string;
  readonly redaction?: Redaction | undefined;
}

export class MemorySessionStore implements SessionStore {
  readonly #options: MemoryStoreOptions;
  readonly #sessions = new Map<string, JSONLEntry[]>();
  readonly #open = new Set<string>();
  readonly #blobs: Blobs;
  readonly #signer = new ChangeSigner();

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
    this.#blobs = memoryBlobs(options.redaction);
  }

  async sessionIds(): Promise<string[]> {
    return [...this.#sessions.keys()];
  }

  async createSession(sessionId = newSessionId()): Promise<OpenLog> {
    if (!isSafeSessionId(sessionId)) throw new InvalidSessionIdError(sessionId);
    if (this.#open.has(sessionId)) throw new SessionLockedError(sessionId, undefined);
    if ((this.#sessions.get(sessionId)?.length ?? 0) > 0) throw new SessionExistsError(sessionId);
    this.#sessions.set(sessionId, []);
    return this.#openLog(sessionId);
  }

  async openSession(sessionId: string): Promise<OpenLog> {
    if (!isSafeSessionId(sessionId)) throw new InvalidSessionIdError(sessionId);
    if (!this.#sessions.has(sessionId)) throw new SessionNotFoundError(sessionId);
    if (this.#open.has(sessionId)) throw new SessionLockedError(sessionId, undefined);
    return this.#openLog(sessionId);
  }

  async resolveSessionId(prefixOrId: string): Promise<string> {
    return idIn([...this.#sessions.keys()], prefixOrId);
  }

  async forkSession(
    entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
    from?: string,
  ): Promise<string> {
    const sessionId = newSessionId();
    const copies: JSONLEntry[] = [];
    for await (const entry of signedAgain(entries, this.#signer, from, sessionId)) {
      const copy = { ...entry, sessionId };
      if (copy.subtype === 'session_start')
        copies.push({ ...copy, data: { ...copy.data, forkedFrom: entry.sessionId } });
      else copies.push(copy);
    }
    this.#sessions.set(sessionId, copies);
    return sessionId;
  }

  async listSessions(): Promise<SessionSummary[]> {
    const found = [...this.#sessions].flatMap(([id, entries]) => summaryOf(id, entries) ?? []);
    return found.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime());
  }

  #openLog(sessionId: string): OpenLog {
    const stored = this.#sessions.get(sessionId) ?? [];
    const { programVersion: version, redaction } = this.#options;
    const history = new HistoryManager();
    history.append(...stored);
    this.#open.add(sessionId);
    let cwd = '';
    let isClosed = false;
    return {
      sessionId,
      filePath: '',
      blobs: this.#blobs,
      damaged: [],
      quarantine: undefined,
      isReadOnly: false,
      history,
      get cwd() {
        return cwd;
      },
      setCwd: (directory) => {
        cwd = directory;
      },
      entries: () => history.entries(),
      live: () => history.live(),
      seen: () => seenIn(history.entries()),
      isOwn: (entry) => this.#signer.isOwn(entry, { sessionId, first: stored[0] }),
      reach: async () => undefined,
      append: async (drafts) => {
        if (isClosed) throw new Error(`Session ${sessionId} is closed.`);
        const added: JSONLEntry[] = [];
        for (const draft of redaction?.value(drafts) ?? drafts) {
          const parentUuid = added.at(-1)?.uuid ?? stored.at(-1)?.uuid ?? null;
          const seq = stored.length + added.length;
          const uuid = newId();
          const mac = this.#signer.sign(draft, { seq, uuid }, { sessionId, first: stored[0] });
          const entry = asEntry(draft, { uuid, sessionId, cwd, seq, parentUuid, version, mac });
          entrySchema.parse(entry);
          added.push(entry);
        }
        stored.push(...added);
        history.append(...added);
        return added;
      },
      clean: (value) => redaction?.value(value) ?? value,
      onProblem: () => () => undefined,
      sync: async () => undefined,
      close: async () => {
        isClosed = true;
        this.#open.delete(sessionId);
      },
    };
  }
}

type Place = Pick<JSONLEntry, 'uuid' | 'sessionId' | 'cwd' | 'seq' | 'parentUuid' | 'version' | 'mac'>;

/** The entry as read from a file: plain JSON, frozen. */
function asEntry(draft: NewEntry, place: Place): JSONLEntry {
  const facts = { v: ENTRY_FORMAT, timestamp: new Date().toISOString() };
  return deepFreeze(JSON.parse(JSON.stringify({ ...facts, ...place, ...draft })) as JSONLEntry);
}

function summaryOf(id: string, entries: readonly JSONLEntry[]): SessionSummary | undefined {
  const prompt = entries.find(({ subtype }) => subtype === 'prompt');
  const [first, last] = [entries[0], entries.at(-1)];
  if (prompt === undefined || first === undefined || last === undefined) return undefined;
  return {
    id,
    title: String(prompt.message.content),
    createdAt: new Date(first.timestamp),
    updatedAt: new Date(last.timestamp),
    bytes: 0,
    gitBranch: undefined,
    messageCount: entries.length,
    lastLines: [],
  };
}

function memoryBlobs(redaction: Redaction | undefined): Blobs {
  const contents = new Map<string, Buffer>();
  let kept = 0;
  const putVerbatim = async (data: Uint8Array | string) => {
    const bytes = Buffer.from(data as string);
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (!contents.has(hash)) kept += bytes.length;
    contents.set(hash, bytes);
    for (const [oldest, content] of contents) {
      if (kept <= MAX_BLOB_BYTES || oldest === hash) break;
      contents.delete(oldest);
      kept -= content.length;
    }
    return { hash, bytes: bytes.length };
  };
  const redact = (text: string): string => redaction?.text(text) ?? text;
  const put: Blobs['put'] = (data) => putVerbatim(typeof data === 'string' ? redact(data) : data);
  const read: Blobs['read'] = async ({ hash }, range) =>
    contents.get(hash)?.subarray(range?.start, range?.end);
  return {
    put,
    read,
    pathOf: (hash) => `memory:${hash}`,
    openSink: () => {
      const pieces: Buffer[] = [];
      let left = MAX_SINK_BYTES;
      return {
        write: (chunk) => {
          const piece = Buffer.from(chunk as string).subarray(0, left);
          left -= piece.length;
          pieces.push(piece);
        },
        // Only text is redacted, and outputs in pieces are text.
        finish: () => put(Buffer.concat(pieces).toString('utf8')),
        discard: async () => void pieces.splice(0),
      };
    },
    redact,
    verbatim: () => ({ put: putVerbatim, read }),
  };
}
