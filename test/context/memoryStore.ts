/** A store that keeps its sessions in memory, for tests that need no disk. */
import { createHash } from 'node:crypto';
import { HistoryManager } from '../../src/context/history/HistoryManager.ts';
import { seenIn } from '../../src/context/recall/seenLog.ts';
import {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
} from '../../src/context/storage/errors.ts';
import { deepFreeze } from '../../src/context/storage/frozen.ts';
import { isSafeSessionId, newId, newSessionId } from '../../src/context/storage/ids.ts';
import type { Blobs, OpenLog, SessionStore } from '../../src/context/storage/sessionStore.ts';
import type { SessionSummary } from '../../src/context/storage/sessionSummary.ts';
import { ENTRY_FORMAT, entrySchema } from '../../src/protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../src/protocol/entries.ts';

export class MemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, JSONLEntry[]>();
  readonly #open = new Set<string>();
  readonly #blobs = memoryBlobs();

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
    const ids = [...this.#sessions.keys()];
    if (ids.includes(prefixOrId)) return prefixOrId;
    const matches = prefixOrId === '' ? [] : ids.filter((id) => id.startsWith(prefixOrId));
    if (matches.length > 1) throw new AmbiguousSessionIdError(prefixOrId, matches.sort());
    if (matches[0] === undefined) throw new SessionNotFoundError(prefixOrId);
    return matches[0];
  }

  async forkSession(entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>): Promise<string> {
    const sessionId = newSessionId();
    const copies: JSONLEntry[] = [];
    for await (const entry of entries) {
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
    const history = new HistoryManager();
    history.append(...stored);
    this.#open.add(sessionId);
    let cwd = '/memory';
    let isClosed = false;
    return {
      sessionId,
      filePath: `memory:${sessionId}`,
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
      reach: async () => undefined,
      append: async (drafts) => {
        if (isClosed) throw new Error(`Session ${sessionId} is closed.`);
        const added: JSONLEntry[] = [];
        for (const draft of drafts) {
          const parentUuid = added.at(-1)?.uuid ?? stored.at(-1)?.uuid ?? null;
          const seq = stored.length + added.length;
          const entry = asEntry(draft, { sessionId, cwd, seq, parentUuid });
          entrySchema.parse(entry);
          added.push(entry);
        }
        stored.push(...added);
        history.append(...added);
        return added;
      },
      clean: (value) => value,
      onProblem: () => () => undefined,
      sync: async () => undefined,
      close: async () => {
        isClosed = true;
        this.#open.delete(sessionId);
      },
    };
  }
}

type Place = Pick<JSONLEntry, 'sessionId' | 'cwd' | 'seq' | 'parentUuid'>;

/** The entry as read from a file: plain JSON, frozen. */
function asEntry(draft: NewEntry, place: Place): JSONLEntry {
  const facts = { v: ENTRY_FORMAT, uuid: newId(), timestamp: new Date().toISOString(), version: '1.0.0' };
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

function memoryBlobs(): Blobs {
  const contents = new Map<string, Buffer>();
  const put = async (data: Uint8Array | string) => {
    const bytes = Buffer.from(data as string);
    const hash = createHash('sha256').update(bytes).digest('hex');
    contents.set(hash, bytes);
    return { hash, bytes: bytes.length };
  };
  const read: Blobs['read'] = async ({ hash }, range) =>
    contents.get(hash)?.subarray(range?.start, range?.end);
  return {
    put,
    read,
    pathOf: (hash) => `memory:${hash}`,
    openSink: () => {
      const pieces: Buffer[] = [];
      return {
        write: (chunk) => void pieces.push(Buffer.from(chunk as string)),
        finish: () => put(Buffer.concat(pieces)),
        discard: async () => void pieces.splice(0),
      };
    },
    textOf: (text) => text,
    verbatim: () => ({ put, read }),
  };
}
