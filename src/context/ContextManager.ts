/**
 * The only owner of one session's conversation: creates and loads it, appends to it, builds each request
 * from it, compacts it. The log is the truth; everything else here can be rebuilt from it.
 */

import type { Todo } from '../protocol/entries/fields.ts';
import type { EntryDraft, EntryKind, JSONLEntry, KindEntry } from '../protocol/entries.ts';
import type { CompactionReport, ContextMeasure } from '../protocol/events.ts';
import type { Message, ToolSchema } from '../protocol/messages.ts';
import type { ModelError, Reply } from '../protocol/model.ts';
import type { BlobSink, RecallAnswer, RecallRequest, ToolOutcome } from '../protocol/tools.ts';
import { type ContextData, contextDataOf } from './contextData.ts';
import { type Live, liveEntries } from './history/live.ts';
import { Listeners } from './Listeners.ts';
import { openSession } from './openSession.ts';
import { pageBefore, seqOf } from './recall/seenLog.ts';
import type { SessionContext } from './SessionContext.ts';
import { closingDrafts, headerDrafts, headerOf, lastEnvironmentOf, replyDrafts } from './sessionDrafts.ts';
import {
  damageNotices,
  messageDraft,
  type SessionLog,
  type SessionSummary,
  SessionToolCache,
  type StorageProblem,
} from './storage/index.ts';
import type {
  BuildOutcome,
  CompactOptions,
  ContextManagerDeps,
  LoadReport,
  MaintainOptions,
  ReplyEnd,
  RequestOptions,
  SessionConfiguration,
  SessionHeader,
  ToolResultInput,
} from './types.ts';

export class ContextManager {
  readonly #deps: ContextManagerDeps;
  readonly #entryListeners: Listeners<JSONLEntry>;
  readonly #problemListeners: Listeners<StorageProblem>;
  #session: SessionContext | undefined;
  #toolCache: SessionToolCache;

  constructor(deps: ContextManagerDeps) {
    this.#deps = deps;
    this.#toolCache = this.#newToolCache();
    this.#entryListeners = new Listeners(deps.onListenerError);
    this.#problemListeners = new Listeners(deps.onListenerError);
  }

  /** Starts a session and writes its header; an open one is closed. Returns the id. */
  async createSession(
    userId?: string,
    preferences: Readonly<Record<string, unknown>> = {},
    configuration: SessionConfiguration = { systemPrompt: '' },
  ): Promise<string> {
    const log = await this.#deps.store.createSession(configuration.sessionId);
    await this.#use(log);
    await this.append(...headerDrafts(userId, preferences, configuration));
    return log.sessionId;
  }

  /**
   * Opens a session by its id or the beginning of one and closes what a crash left open. Throws the store's
   * errors: not found, ambiguous, locked, invalid id.
   */
  async loadSession(idOrPrefix: string): Promise<LoadReport> {
    const log = await this.#deps.store.openSession(await this.#deps.store.resolveSessionId(idOrPrefix));
    await this.#use(log);
    // A read-only open must not close another process's pending calls.
    const closing = log.isReadOnly ? [] : closingDrafts(log.entries());
    if (closing.length > 0) await this.append(...closing);
    return {
      sessionId: log.sessionId,
      entries: log.seen().last + 1,
      damaged: damageNotices(log.damaged, log),
      closedCalls: closing.length,
    };
  }

  /** A new session that begins as this one is now, or as it was up to an entry; this one stays open. Returns its id. */
  async forkSession(uptoUuid?: string): Promise<string> {
    const { log } = this.#open().parts;
    const upto = uptoUuid === undefined ? log.seen().last : await seqOf(log.seen(), uptoUuid);
    if (upto === undefined) throw new Error(`There is no entry ${uptoUuid} in this session to fork from.`);
    return this.#deps.store.forkSession(log.seen().range(0, upto));
  }

  /** Older history, also what is not in memory: at most `count` entries before a position, oldest first. */
  async page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]> {
    return this.#session === undefined ? [] : pageBefore(this.#session.parts.log.seen(), beforeSeq, count);
  }

  getCurrentSessionId(): string | undefined {
    return this.#session?.parts.log.sessionId;
  }

  /** Where the open session's log lies. */
  filePath(): string | undefined {
    return this.#session?.parts.log.filePath;
  }

  /** The open session's context: what is reduced, previewed, pinned, taken back. Throws without a session. */
  get session(): SessionContext {
    return this.#open();
  }

  /** What the tools of the open session have read. */
  get toolCache(): SessionToolCache {
    return this.#toolCache;
  }

  /** The log so far, oldest first; empty without a session. */
  entries(): readonly JSONLEntry[] {
    return this.#session?.parts.log.entries() ?? [];
  }

  /** Which of them count: what was undone has no effect, and what was rewound is not part of the conversation. */
  live(): Live {
    return this.#session?.parts.log.live() ?? liveEntries([]);
  }

  /** What the session was started with. */
  header(): SessionHeader | undefined {
    return headerOf(this.entries());
  }

  /**
   * The environment that the model was last told of: `data.block` of the last note, or of the header. A note that
   * going back has taken out of the conversation does not count.
   */
  lastEnvironment(): string | undefined {
    return lastEnvironmentOf(this.live().entries);
  }

  /** The messages of the next request as it would be without a compaction. */
  getMessages(): readonly Message[] {
    return this.#session?.parts.projection.messages() ?? [];
  }

  /** Everything known about the session, by layer; undefined without a session. */
  getContext(): ContextData | undefined {
    if (this.#session === undefined) return undefined;
    const tokens = this.measure([]).usedTokens;
    return contextDataOf(this.entries(), this.getMessages(), this.#deps.root, tokens);
  }

  /** Hears of every entry once it is on disk. A listener that throws disturbs nobody. */
  subscribe(listener: (entry: JSONLEntry) => void): () => void {
    return this.#entryListeners.add(listener);
  }

  /** Hears when the session cannot be saved, and when it can again. */
  onProblem(listener: (problem: StorageProblem) => void): () => void {
    return this.#problemListeners.add(listener);
  }

  /** Appends the drafts as one batch; resolves when they are on disk. */
  async append(...drafts: readonly EntryDraft[]): Promise<readonly JSONLEntry[]> {
    return this.#open().parts.append(drafts);
  }

  /**
   * Appends one message; `metadata` becomes its `data` and has the shape of its kind. Without a kind, a user's message
   * is a prompt.
   */
  async addMessage<Kind extends EntryKind = 'prompt'>(
    role: 'user' | 'assistant' | 'system',
    content: string,
    metadata?: KindEntry<Kind>['data'],
    kind?: Kind,
  ): Promise<JSONLEntry | undefined> {
    const draft = {
      ...messageDraft(role, content),
      ...(kind === undefined ? {} : { subtype: kind }),
      ...(metadata === undefined ? {} : { data: metadata }),
    };
    const [entry] = await this.append(draft as EntryDraft);
    return entry;
  }

  /** Records a reply and its calls as one batch, before any of them runs. */
  async appendReply(reply: Reply, end: ReplyEnd = {}): Promise<readonly JSONLEntry[]> {
    const { parts } = this.#open();
    const request = parts.projection.lastRequest;
    const tools = end.sent === undefined ? [] : parts.offered.news(request, end.sent);
    return parts.append([...tools, ...replyDrafts(reply, request, end)]);
  }

  /** Records the one result of a call, bounded; the whole output is kept beside the log. */
  async appendToolResult(input: ToolResultInput): Promise<JSONLEntry> {
    return this.#open().admission.result(input);
  }

  /** Records a command that the user ran with `!`, and its output, for the model to know of. */
  async appendShell(command: string, outcome: ToolOutcome): Promise<JSONLEntry | undefined> {
    return this.#open().admission.shell(command, outcome);
  }

  /** Records what the user typed, with the memories that it calls up; see SessionContext. */
  appendPrompts(
    prompts: readonly EntryDraft[],
    options: Pick<RequestOptions, 'tools' | 'emit'>,
  ): Promise<readonly JSONLEntry[]> {
    return this.#open().appendPrompts(prompts, options);
  }

  /**
   * The next request, measured as it is about to be sent, after whatever makes room for it. An aborted signal
   * leaves everything as it was: the caller checks it.
   */
  async buildRequest(options: RequestOptions): Promise<BuildOutcome> {
    return this.#open().buildRequest(options);
  }

  /** What `/compact` does. Whatever happens, the session goes on; the report says what happened. */
  async compressCurrentContext(options: CompactOptions): Promise<CompactionReport> {
    return this.#open().compaction.runManual(options);
  }

  /** Takes removal instead of a summary that the user waits for; false when nobody waits for one. */
  stopWaiting(): boolean {
    return this.#session?.ladder.stopWaiting() ?? false;
  }

  /**
   * After the server found a request too long: learns the true window and makes the next request at least a
   * tenth smaller, down to what is pinned and the newest prompt. False when nothing is left to give.
   */
  async shrinkAfterOverflow(error: ModelError, options: RequestOptions): Promise<boolean> {
    return this.#open().ladder.afterOverflow(error, options);
  }

  /** After the server refused the images of a request: they are words in the next. */
  hideImages(): void {
    this.#open().parts.projection.hideImages();
  }

  /** Measures the request as it would be sent now. */
  measure(tools: readonly ToolSchema[]): ContextMeasure {
    return this.#open().parts.projection.measure(tools);
  }

  /** At the end of each step; see SessionContext. */
  async maintain(options: MaintainOptions): Promise<void> {
    return this.#open().maintain(options);
  }

  /** Hash of a file's content as this session last read or wrote it; undefined when it never did. */
  fileReads(path: string): string | undefined {
    return this.#session?.parts.projection.fileReads(path);
  }

  /** Where a tool streams large output to. */
  openBlob(): BlobSink {
    return this.#open().parts.log.blobs.openSink();
  }

  /** What the session has seen, by pointer, range or search; also what no request shows any more. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<RecallAnswer> {
    return this.#open().admission.recall(request, signal);
  }

  /** Resolves when what was appended is on the disk itself, also after a power cut; problems are told, not thrown. */
  async sync(): Promise<void> {
    await this.#session?.parts.log.sync();
  }

  /** The todo list as the model last wrote it. */
  todos(): readonly Todo[] {
    return this.#session?.parts.projection.todos() ?? [];
  }

  /** Where later entries say that they happened. */
  setCwd(directory: string): void {
    this.#session?.parts.log.setCwd(directory);
  }

  /** The sessions of this project, newest first. */
  listSessions(): Promise<SessionSummary[]> {
    return this.#deps.store.listSessions();
  }

  /** Flushes the log and lets others open the session. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    session?.parts.thread.stop();
    // A draft that was stopped still ends what it is at: nothing is written beside a log that is closed.
    await session?.parts.thread.settled();
    await session?.parts.log.sync();
    await session?.parts.log.close();
  }

  async #use(log: SessionLog): Promise<void> {
    await this.close();
    this.#toolCache = this.#newToolCache();
    log.onProblem((problem) => this.#problemListeners.tell(problem));
    this.#session = await openSession(log, this.#deps, (entry) => this.#entryListeners.tell(entry));
  }

  #newToolCache(): SessionToolCache {
    const { settings, clock } = this.#deps;
    return new SessionToolCache({ ...settings.cache, now: clock });
  }

  #open(): SessionContext {
    if (this.#session === undefined) {
      throw new Error('There is no open session: call createSession or loadSession first.');
    }
    return this.#session;
  }
}
