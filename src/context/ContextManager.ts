/**
 * Owns one session's conversation: creates and loads it, appends entries, builds each request, and compacts it. The log
 * is the source of truth; all other state here can be rebuilt from it.
 */

import type {
  CompactionDiff,
  CompactionPreview,
  ContextItem,
  ContextMeasure,
  ContextReport,
  ItemEdit,
} from '../protocol/contextReport.ts';
import type { Todo } from '../protocol/entries/fields.ts';
import type { EntryKind, JSONLEntry, KindEntry, NewEntry } from '../protocol/entries.ts';
import type { CompactionReport } from '../protocol/events.ts';
import type { Message, ToolSchema } from '../protocol/messages.ts';
import type { ModelError, ModelRequest, Reply, SentRequest } from '../protocol/models/model.ts';
import type { BlobSink, RecallAnswer, RecallRequest, ToolOutcome } from '../protocol/tools.ts';
import { CompactionRunner } from './compaction/CompactionRunner.ts';
import { ContextReducer } from './compaction/ContextReducer.ts';
import { lastDiff, previewOf } from './compaction/report.ts';
import { SummaryDrafter } from './compaction/SummaryDrafter.ts';
import { type ContextData, contextDataOf } from './contextData.ts';
import { contextItems, contextReport } from './contextReport.ts';
import { type Correction, editItem, rewindBefore, uncompact, undo } from './corrections.ts';
import { type Live, liveEntries } from './history/liveEntries.ts';
import { Listeners } from './Listeners.ts';
import { pageBefore, seqOf } from './recall/seenLog.ts';
import { RequestBuilder } from './request/RequestBuilder.ts';
import type { RequestOutcome, SideRequest } from './request/requestRecord.ts';
import { preparePrompts } from './results/preparePrompts.ts';
import { ResultRecorder } from './results/ResultRecorder.ts';
import { openSession, type Session } from './session.ts';
import { closingEntries, headerEntries, lastEnvironmentOf, replyEntries } from './sessionEntries.ts';
import { SessionToolCache } from './storage/CacheStore.ts';
import { messageEntry } from './storage/newEntries.ts';
import { damageNotices } from './storage/repair/damage.ts';
import type { Blobs, OpenLog, StorageProblem } from './storage/sessionStore.ts';
import type {
  BuildOutcome,
  CompactOptions,
  ContextManagerDeps,
  LoadReport,
  MaintainOptions,
  ReplyEnd,
  RequestOptions,
  SessionConfiguration,
  ToolResultInput,
} from './types.ts';

/** The open session and the components that work on it. */
interface Open extends Session {
  readonly results: ResultRecorder;
  readonly compaction: CompactionRunner;
  readonly drafts: SummaryDrafter;
  readonly reducer: ContextReducer;
  readonly requests: RequestBuilder;
}

export class ContextManager {
  readonly #deps: ContextManagerDeps;
  readonly #entryListeners: Listeners<JSONLEntry>;
  readonly #problemListeners: Listeners<StorageProblem>;
  /** Private rather than `#open` because tests inspect it. */
  private open: Open | undefined;
  #toolCache: SessionToolCache;

  constructor(deps: ContextManagerDeps) {
    this.#deps = deps;
    this.#toolCache = this.#newToolCache();
    this.#entryListeners = new Listeners(deps.onListenerError);
    this.#problemListeners = new Listeners(deps.onListenerError);
  }

  /** Creates a session, writes its header and returns its id. Closes the session that is open. */
  async createSession(
    userId?: string,
    preferences: Readonly<Record<string, unknown>> = {},
    configuration: SessionConfiguration = { systemPrompt: '' },
  ): Promise<string> {
    const log = await this.#deps.store.createSession(configuration.sessionId);
    await this.#use(log);
    await this.append(...headerEntries(userId, preferences, configuration));
    return log.sessionId;
  }

  /**
   * Opens a session by its id or a prefix of it, and records a result for every tool call that a crash left without
   * one. Throws the store's errors: not found, ambiguous, locked, invalid id.
   */
  async loadSession(idOrPrefix: string): Promise<LoadReport> {
    const log = await this.#deps.store.openSession(await this.#deps.store.resolveSessionId(idOrPrefix));
    await this.#use(log);
    // In a read-only session the pending calls may belong to the process that has it open for writing.
    const describe = async (call: { readonly id: string; readonly name: string }) =>
      this.#deps.describeOpenCall?.(call, log.sessionId);
    const closing = log.isReadOnly ? [] : await closingEntries(log.entries(), describe);
    if (closing.length > 0) await this.append(...closing);
    return {
      sessionId: log.sessionId,
      entries: log.seen().last + 1,
      damaged: damageNotices(log.damaged, log),
      closedCalls: closing.length,
    };
  }

  /**
   * Copies this session, in full or up to an entry, into a new session and returns the new id. This session stays open.
   */
  async forkSession(uptoUuid?: string): Promise<string> {
    const { log } = this.#session;
    const upto = uptoUuid === undefined ? log.seen().last : await seqOf(log.seen(), uptoUuid);
    if (upto === undefined) throw new Error(`There is no entry ${uptoUuid} in this session to fork from.`);
    return this.#deps.store.forkSession(log.seen().range(0, upto), log.sessionId);
  }

  /** Flushes the log and releases its lock, so that other processes can open the session. */
  async close(): Promise<void> {
    const session = this.open;
    this.open = undefined;
    session?.thread.stop();
    // A stopped draft still finishes its last write, and nothing may be written to a closed log.
    await session?.thread.settled();
    await session?.log.sync();
    await session?.log.close();
  }

  getCurrentSessionId(): string | undefined {
    return this.open?.log.sessionId;
  }

  /** Path of the open session's log file. */
  filePath(): string | undefined {
    return this.open?.log.filePath;
  }

  /** Cache of the files that the tools read in the open session. */
  get toolCache(): SessionToolCache {
    return this.#toolCache;
  }

  /** Entries of the log that are in memory, oldest first; empty if no session is open. */
  entries(): readonly JSONLEntry[] {
    return this.open?.log.entries() ?? [];
  }

  /** Entries that are still in effect: undone entries have no effect, and rewound ones are not in the conversation. */
  live(): Live {
    return this.open?.log.live() ?? liveEntries([]);
  }

  /** True if the user's own program recorded the file changes that the entry names, in this session. */
  isOwn(entry: JSONLEntry): boolean {
    return this.open?.log.isOwn(entry) ?? false;
  }

  /** Reads up to `count` entries before `beforeSeq`, oldest first, including entries that are no longer in memory. */
  async page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]> {
    return this.open === undefined ? [] : pageBefore(this.open.log.seen(), beforeSeq, count);
  }

  /**
   * The environment that the model saw last: `data.block` of the latest live environment note, or else of the header.
   */
  lastEnvironment(): string | undefined {
    return lastEnvironmentOf(this.live().entries);
  }

  /** The todo list as the model last wrote it. */
  todos(): readonly Todo[] {
    return this.open?.projection.todos() ?? [];
  }

  /** Hash of a file's content when this session last read or wrote it; undefined if it never did. */
  fileReads(path: string): string | undefined {
    return this.open?.projection.fileReads(path);
  }

  /**
   * Calls the listener with every entry once it is on disk. An exception in one listener does not affect the others.
   */
  subscribe(listener: (entry: JSONLEntry) => void): () => void {
    return this.#entryListeners.add(listener);
  }

  /** Calls the listener when the session cannot be saved, and when saving works again. */
  onProblem(listener: (problem: StorageProblem) => void): () => void {
    return this.#problemListeners.add(listener);
  }

  /** Appends the entries as one batch; resolves when they are on disk. */
  async append(...entries: readonly NewEntry[]): Promise<readonly JSONLEntry[]> {
    return this.#session.append(entries);
  }

  /**
   * Appends one message. `metadata` becomes its `data` and must match its kind. A user message without a kind is a
   * prompt.
   */
  async addMessage<Kind extends EntryKind = 'prompt'>(
    role: 'user' | 'assistant' | 'system',
    content: string,
    metadata?: KindEntry<Kind>['data'],
    kind?: Kind,
  ): Promise<JSONLEntry | undefined> {
    const message = {
      ...messageEntry(role, content),
      ...(kind === undefined ? {} : { subtype: kind }),
      ...(metadata === undefined ? {} : { data: metadata }),
    };
    const [entry] = await this.append(message as NewEntry);
    return entry;
  }

  /**
   * Appends the user's prompts and the memories they match. Emits a notice for content that is too large to send in
   * full.
   */
  async appendPrompts(
    prompts: readonly NewEntry[],
    { tools, emit }: Pick<RequestOptions, 'tools' | 'emit'>,
  ): Promise<readonly JSONLEntry[]> {
    const session = this.#session;
    // Instructions go before the prompts, so that the user's request is the last thing the model reads.
    await session.requests.refreshInstructions();
    const fixedTokens = session.projection.fixedTokens(tools);
    const { entries, notices } = await preparePrompts(session.log.clean(prompts), session, fixedTokens);
    for (const text of notices) emit({ type: 'notice', level: 'warning', text });
    return session.append(entries);
  }

  /** Appends a reply and its tool calls as one batch, before any call runs. */
  async appendReply(reply: Reply, end: ReplyEnd = {}): Promise<readonly JSONLEntry[]> {
    const { projection, recorder, append } = this.#session;
    const request = projection.lastRequest;
    return append([...recorder.newTools(request, end.sent ?? []), ...replyEntries(reply, request, end)]);
  }

  /** Records that the last request was sent but got no reply; does nothing if it was not sent. */
  async appendRequest(outcome: RequestOutcome, sent: readonly SentRequest[]): Promise<void> {
    await this.#session.recorder.recordUnanswered(outcome, sent);
  }

  /** Records a request outside the conversation, such as one for a title or for the permission judge. */
  async recordRequest(
    facts: SideRequest,
    request: ModelRequest,
    sent: readonly SentRequest[],
  ): Promise<void> {
    await this.#session.recorder.recordSide(facts, request, sent);
  }

  /** Appends the result of a tool call, shortened if it is too large; the full output is stored as a blob. */
  async appendToolResult(input: ToolResultInput): Promise<JSONLEntry> {
    return this.#session.results.result(input);
  }

  /** Appends a command that the user ran with `!` and its output, so that the model sees both. */
  async appendShell(command: string, outcome: ToolOutcome): Promise<JSONLEntry | undefined> {
    return this.#session.results.shell(command, outcome);
  }

  /** Opens a blob to which a tool can stream large output. */
  openBlob(): BlobSink {
    return this.blobs().openSink();
  }

  /** Blob store for large contents of this project's sessions. */
  blobs(): Blobs {
    return this.#session.log.blobs;
  }

  /** Looks up earlier content by pointer, range or search, including content that requests no longer contain. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<RecallAnswer> {
    return this.#session.results.recall(request, signal);
  }

  /** Sets the directory that is recorded with later entries. */
  setCwd(directory: string): void {
    this.open?.log.setCwd(directory);
  }

  /** Flushes all appended entries to the disk so that they survive a power failure; errors go to `onProblem`. */
  async sync(): Promise<void> {
    await this.open?.log.sync();
  }

  /**
   * Builds and measures the next request, after making room for it if necessary. An abort cancels a running compaction;
   * the caller has to check the signal.
   */
  async buildRequest(options: RequestOptions): Promise<BuildOutcome> {
    return this.#session.requests.build(options);
  }

  /** Runs at the end of each step: syncs the log and updates the draft of the next summary. */
  async maintain(options: MaintainOptions): Promise<void> {
    return this.#session.requests.maintain(options);
  }

  /** Appends new and changed instruction files. */
  async refreshInstructions(): Promise<void> {
    return this.#session.requests.refreshInstructions();
  }

  /**
   * Handles an overflow error of the server: learns the true context window and makes the next request at least 10 %
   * smaller, keeping pinned entries and the newest prompt. Returns false if the request cannot shrink that much. If the
   * server limits bytes, no window is learned, and images are left out before any text.
   */
  async shrinkAfterOverflow(error: ModelError, options: RequestOptions): Promise<boolean> {
    return this.#session.reducer.afterOverflow(error, options);
  }

  /** Replaces images by text in later requests, after the server rejected them. The result shows them again. */
  hideImages(): () => void {
    return this.#session.projection.hideImages();
  }

  /** The messages of the next request if nothing is compacted first. */
  getMessages(): readonly Message[] {
    return this.open?.projection.messages() ?? [];
  }

  /** Measures the request as it would be sent now. */
  measure(tools: readonly ToolSchema[]): ContextMeasure {
    return this.#session.projection.measure(tools);
  }

  /** Counts tokens exactly, for up to `limitMs`, then measures. Never rejects. */
  async refine(tools: readonly ToolSchema[], limitMs?: number): Promise<ContextMeasure> {
    return this.#session.requests.refine(tools, limitMs);
  }

  /** All context data of the session, by layer; undefined if no session is open. */
  getContext(): ContextData | undefined {
    if (this.open === undefined) return undefined;
    const tokens = this.measure([]).usedTokens;
    return contextDataOf(this.entries(), this.getMessages(), this.#deps.root, tokens);
  }

  /** Data for `/context`. */
  report(tools: readonly ToolSchema[]): ContextReport {
    const { log, deps, reducer } = this.#session;
    return contextReport(log.entries(), { model: deps.model(), ...reducer.forecast({ tools }) });
  }

  /** The `draft` state of `report`, without a pass over the whole log: it is read at every step. */
  draft(): ContextReport['draft'] {
    return this.#session.drafts.state();
  }

  /** The conversation as a list of items that the user can pin, drop and restore. */
  items(): readonly ContextItem[] {
    const { log, projection } = this.#session;
    return contextItems(log.entries(), projection.view(), (atom) => projection.sizeOf(atom));
  }

  /** Runs `/compact`. The session stays usable whatever the outcome, which the report describes. */
  async compressCurrentContext(options: CompactOptions): Promise<CompactionReport> {
    return this.#session.compaction.runManual(options);
  }

  /** Describes the effect of a compaction without applying it. */
  async preview(options: CompactOptions): Promise<CompactionPreview> {
    const { log, projection, compaction } = this.#session;
    const facts = { entries: log.entries(), items: this.items() };
    const { usedTokens: preTokens } = projection.measure(options.tools);
    return previewOf(await compaction.preview(options), { ...facts, preTokens });
  }

  /** Effect of the last compaction; undefined if there is none to show. */
  lastDiff(): CompactionDiff | undefined {
    return lastDiff(this.entries(), this.items());
  }

  /** Shortens steps or removes messages instead of waiting for a summary; false if the user is not waiting for one. */
  stopWaiting(): boolean {
    return this.open?.reducer.stopWaiting() ?? false;
  }

  /** Undoes the last compaction. Refuses, with the token counts, if the restored messages would not fit. */
  async uncompact({ tools, emit }: Pick<RequestOptions, 'tools' | 'emit'>): Promise<CompactionReport> {
    const session = this.#session;
    await session.compaction.settled();
    const report = await uncompact(session, tools);
    emit({ type: 'compaction_ended', report });
    emit({ type: 'context_measured', measure: session.projection.measure(tools) });
    return report;
  }

  /** Pins, unpins, drops or restores one item. Returns an error message if that is not possible. */
  editItem(edit: ItemEdit, tools: readonly ToolSchema[]): Promise<string | undefined> {
    return editItem(this.#session, edit, tools);
  }

  /** Removes a prompt and everything after it from the conversation, until that is undone (corrections.ts). */
  rewindBefore(prompt: string, correction: Correction): ReturnType<typeof rewindBefore> {
    return rewindBefore(this.#session, prompt, correction);
  }

  /** Undoes the effect of these entries; returns the undo entry. */
  undo(undoes: readonly string[], correction: Correction): Promise<JSONLEntry> {
    return undo(this.#session, undoes, correction);
  }

  async #use(log: OpenLog): Promise<void> {
    await this.close();
    this.#toolCache = this.#newToolCache();
    log.onProblem((problem) => this.#problemListeners.tell(problem));
    const session = await openSession(log, this.#deps, (entry) => this.#entryListeners.tell(entry));
    const compaction = new CompactionRunner(session);
    const drafts = new SummaryDrafter(session, compaction);
    const reducer = new ContextReducer(session, compaction, drafts);
    const requests = new RequestBuilder(session, reducer, drafts);
    this.open = { ...session, results: new ResultRecorder(session), compaction, drafts, reducer, requests };
  }

  #newToolCache(): SessionToolCache {
    const { settings, clock } = this.#deps;
    return new SessionToolCache({ ...settings.cache, now: clock });
  }

  get #session(): Open {
    if (this.open === undefined) {
      throw new Error('There is no open session: call createSession or loadSession first.');
    }
    return this.open;
  }
}
