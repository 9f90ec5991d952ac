/**
 * A session on disk and its surroundings: a model that summarizes, a clock, memories, instruction files, a server.
 * Records what the checks of a run need.
 */

import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextManager, type FoundMemory, PersistentStore } from '../../src/context/index.ts';
import { hashOf } from '../../src/context/memory/instructions.ts';
import type { RequestOptions } from '../../src/context/types.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { Message, ToolSchema } from '../../src/protocol/messages.ts';
import type { ModelInfo } from '../../src/protocol/models/model.ts';
import { contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import { sessionOf } from '../context/sessionOf.ts';
import { encoder } from './counting.ts';
import type { ModelSpec, Program } from './program.ts';
import { Summaries } from './Summaries.ts';
import { textOf } from './texts.ts';

/** The last request, and the length of the log at that time. */
export interface Sent {
  readonly messages: readonly string[];
  readonly entries: number;
  readonly returnsReasoning: boolean;
}

export class World {
  readonly program: Program;
  readonly summaries: Summaries;
  readonly #store: PersistentStore;
  /** For copies of the session. `large` opens each as if it were too large for memory. */
  readonly #copies: Readonly<Record<'large' | 'whole', PersistentStore>>;
  readonly #folder: string;
  readonly #open = new Set<ContextManager>();
  context: ContextManager;
  model: ModelInfo;
  tools: readonly ToolSchema[] = [];
  memories: readonly string[] = [];
  instructionFile: string | undefined;
  clockOffsetMs = 0;
  sent: Sent | undefined;
  /** Every entry that was ever reported for the open session, as JSON. */
  seen: string[] = [];
  /** The same as parsed entries, extended on demand. */
  #entries: readonly JSONLEntry[] = [];
  /** Tool outputs and user input, by uuid of the entry. */
  readonly raw = new Map<string, string>();
  /** Uuids of entries that were pinned while they were sent in full, and their tokens at that time. */
  readonly pinned = new Map<string, number>();
  /** True after an old undo was itself undone, which can hide any prompt, until the next prompt. */
  isPromptInDoubt = false;
  /** True once a server rejected a request that was not too large: limits learned from that are too low. */
  wasMisled = false;
  /** Number of entries already checked with Recall. */
  recalledUpTo = 0;
  /** Number of calls so far; makes their ids unique. */
  calls = 0;
  /** The server's count of the last request; undefined once a reply has reported it. */
  lastTrueTokens: number | undefined;

  constructor(program: Program, folder: string) {
    this.program = program;
    this.#folder = folder;
    this.summaries = new Summaries(program.behaviours);
    this.model = modelOf(program.model);
    const place = { projectRoot: folder, programVersion: '1.0.0', now: () => new Date(this.#now()) };
    // Half of the programs run on a session that is too large for memory from the start.
    const isLarge = JSON.stringify(program).length % 2 === 1;
    this.#store = new PersistentStore({
      dataRoot: join(folder, 'data'),
      ...place,
      ...(isLarge ? { wholeBytes: 0 } : {}),
    });
    this.#copies = {
      large: new PersistentStore({ dataRoot: join(folder, 'large'), ...place, wholeBytes: 0 }),
      whole: new PersistentStore({ dataRoot: join(folder, 'whole'), ...place }),
    };
    this.context = this.#manager();
  }

  async create(): Promise<void> {
    await this.context.createSession(
      undefined,
      {},
      { systemPrompt: 'You are a coding agent.', instructions: textOf(this.program.instructions) },
    );
    await this.reload();
  }

  /** Reloads the record of entries from the log. */
  async reload(): Promise<void> {
    this.seen = (await this.read()).map((entry) => JSON.stringify(entry));
    this.#entries = [];
  }

  /** Every entry ever reported for the open session, including those no longer in memory. */
  entries(): readonly JSONLEntry[] {
    const known = this.#entries.length;
    if (known === this.seen.length) return this.#entries;
    const later = this.seen.slice(known).map((line) => JSON.parse(line) as JSONLEntry);
    this.#entries = [...this.#entries, ...later];
    return this.#entries;
  }

  /** The whole log, from memory and disk. */
  async read(): Promise<readonly JSONLEntry[]> {
    return this.context.page(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  /** Opens a session on the same disk with a new manager, as after a restart. */
  async reopen(id: string): Promise<void> {
    await this.context.close();
    this.context = this.#manager();
    const before = this.seen.length;
    await this.context.loadSession(id);
    // The entries that close open calls were written before anything could subscribe.
    const entries = await this.read();
    if (this.seen.length === before)
      for (const entry of entries.slice(before)) this.seen.push(JSON.stringify(entry));
  }

  /**
   * Opens a copy of the session's files: a large one starts from the checkpoint of an earlier copy and does not fit into
   * memory.
   */
  async asCopy<T>(as: 'large' | 'whole', look: (context: ContextManager) => Promise<T>): Promise<T> {
    const store = this.#copies[as];
    const id = this.context.getCurrentSessionId() ?? '';
    await mkdir(store.folder, { recursive: true });
    const [blobs, copies] = [join(this.#store.folder, 'blobs'), join(store.folder, 'blobs')];
    if (existsSync(blobs)) await cp(blobs, copies, { recursive: true, force: false });
    await copyFile(this.context.filePath() ?? '', join(store.folder, `${id}.jsonl`));
    const other = this.#manager(false, store);
    await other.loadSession(id);
    try {
      return await look(other);
    } finally {
      await other.close();
    }
  }

  /** The request of another session on this disk, as bytes. */
  async peek(id: string): Promise<readonly Message[]> {
    const other = this.#manager(false);
    await other.loadSession(id);
    const messages = other.getMessages();
    await other.close();
    return messages;
  }

  get options(): RequestOptions {
    return this.optionsWith(new AbortController().signal);
  }

  optionsWith(signal: AbortSignal): RequestOptions {
    return { tools: this.tools, signal, emit: () => {} };
  }

  get projection() {
    return sessionOf(this.context).projection;
  }

  messages(): readonly Message[] {
    return this.context.getMessages();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((context) => context.close()));
  }

  /** Runs work that may wait for a summary that never arrives; then calls `give`, like a user who presses a key. */
  async through<T>(work: Promise<T>, give: () => unknown): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    const giveUpAt = Date.now() + HANGS_MS;
    for (let turn = 0; !isDone; turn++) {
      if (Date.now() > giveUpAt) throw new Error('Nothing waits for ever: a minute has passed.');
      await Promise.race([done, new Promise(setImmediate)]);
      if (this.summaries.stuck > 0 && turn > 20) give();
    }
    return done;
  }

  #now(): number {
    return Date.now() + this.clockOffsetMs;
  }

  #manager(isOwn = true, store = this.#store): ContextManager {
    const context = new ContextManager({
      store,
      root: this.#folder,
      settings: contextSettingsSchema.parse(this.program.settings),
      model: () => this.model,
      summarize: this.summaries.summarize,
      isSensitive: () => false,
      clock: () => this.#now(),
      memory: { search: async () => this.memories.map(foundMemory) },
      instructions: {
        changes: async (known) => changesTo(this.instructionFile, known),
      },
      ...(this.program.countsExactly ? { encoder } : {}),
      onListenerError: (error) => {
        throw error;
      },
    });
    if (isOwn) context.subscribe((entry: JSONLEntry) => this.seen.push(JSON.stringify(entry)));
    this.#open.add(context);
    return context;
  }
}

/** Work that takes longer has hung: everything here takes well under a second. */
const HANGS_MS = 60_000;

export function modelOf(spec: ModelSpec): ModelInfo {
  return { id: `model-${spec.tokenizer}`, maxOutputTokens: 4000, source: 'setting', ...spec };
}

const foundMemory = (content: string): FoundMemory => ({ content, file: 'notes.md', similarity: 0.7 });

function changesTo(text: string | undefined, known: ReadonlyMap<string, string>) {
  const path = 'AGENTS.md';
  if (text === undefined || text.trim() === '') return known.has(path) ? [{ path, text: undefined }] : [];
  const hash = hashOf(text);
  return known.get(path) === hash ? [] : [{ path, text, hash }];
}
