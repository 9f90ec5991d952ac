/**
 * A session on a disk with everything around it: a model that summarises, a clock, memories, instruction
 * files, a server. Holds what a run has to remember in order to tell whether everything still holds.
 */

import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ContextManager,
  type FoundMemory,
  PersistentStore,
  type RequestOptions,
} from '../../src/context/index.ts';
import { hashOf } from '../../src/context/memory/instructions.ts';
import { contextSettingsSchema } from '../../src/protocol/contextSettings.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { Message, ToolSchema } from '../../src/protocol/messages.ts';
import type { ModelInfo } from '../../src/protocol/model.ts';
import { sessionOf } from '../context/sessionOf.ts';
import { encoder } from './counting.ts';
import type { ModelSpec, Program } from './program.ts';
import { Summaries } from './Summaries.ts';
import { textOf } from './texts.ts';

/** What was sent last, and how long the log was then. */
export interface Sent {
  readonly messages: readonly string[];
  readonly entries: number;
  readonly returnsReasoning: boolean;
}

export class World {
  readonly program: Program;
  readonly summaries: Summaries;
  readonly #store: PersistentStore;
  /** For copies. `large` holds no log whole: each is opened as if it were very large. */
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
  /** Every entry that the open session was ever told of, as JSON. */
  seen: string[] = [];
  /** The same as entries, as far as anybody has asked. */
  #entries: readonly JSONLEntry[] = [];
  /** What a tool gave or the user typed, by uuid of its entry. */
  readonly raw = new Map<string, string>();
  /** Uuids of heads that were pinned while they were sent whole, and their tokens then. */
  readonly pinned = new Map<string, number>();
  /** True from an undo that was taken back much later, which can hide anything, to the next prompt. */
  isPromptInDoubt = false;
  /** True once a server refused what it could have taken: what was learnt from it is too much. */
  wasMisled = false;
  /** Entries already looked at for Recall. */
  recalledUpTo = 0;
  /** How many calls were made so far: ids are told apart by it. */
  calls = 0;
  /** What the server counted the last request as; undefined once a reply has reported it. */
  lastTrueTokens: number | undefined;

  constructor(program: Program, folder: string) {
    this.program = program;
    this.#folder = folder;
    this.summaries = new Summaries(program.behaviours);
    this.model = modelOf(program.model);
    const place = { projectRoot: folder, programVersion: '1.0.0', now: () => new Date(this.#now()) };
    // Every other program is of a session that is too large for memory from the start.
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
    await this.lookAnew();
  }

  /** Forgets what was seen for what is in the log. */
  async lookAnew(): Promise<void> {
    this.seen = (await this.read()).map((entry) => JSON.stringify(entry));
    this.#entries = [];
  }

  /** Every entry of the open session that anybody was ever told of, also those that are no longer in memory. */
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

  /** Another manager on a session of the same disk, as after a restart. */
  async reopen(id: string): Promise<void> {
    await this.context.close();
    this.context = this.#manager();
    const before = this.seen.length;
    await this.context.loadSession(id);
    // What closes open calls was written before anybody could listen.
    const entries = await this.read();
    if (this.seen.length === before)
      for (const entry of entries.slice(before)) this.seen.push(JSON.stringify(entry));
  }

  /**
   * The open session opened from a copy of its file; a large one with the point that an earlier copy left, and as
   * one that is too large for memory.
   */
  async asCopy<T>(as: 'large' | 'whole', look: (context: ContextManager) => Promise<T>): Promise<T> {
    const store = this.#copies[as];
    const id = this.context.getCurrentSessionId() ?? '';
    await mkdir(store.folder, { recursive: true });
    await symlink(join(this.#store.folder, 'blobs'), join(store.folder, 'blobs')).catch(() => undefined);
    await copyFile(this.context.filePath() ?? '', join(store.folder, `${id}.jsonl`));
    const other = this.#manager(false, store);
    await other.loadSession(id);
    try {
      return await look(other);
    } finally {
      await other.close();
    }
  }

  /** Bytes of the projection of another session of this disk. */
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

  /** Work that may wait for a summary that never comes: then `give` is called, as a user presses a key. */
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
        read: async () => [],
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

/** What takes longer has stopped: everything here is done in well under a second. */
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
