/**
 * The only owner of one session's conversation: creates and loads it, appends to it, builds each request
 * from it, compacts it. The log is the truth; everything else here can be rebuilt from it.
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
import type { ModelError, ModelRequest, Reply, SentRequest } from '../protocol/model.ts';
import type { BlobSink, RecallAnswer, RecallRequest, ToolOutcome } from '../protocol/tools.ts';
import { CompactionRunner } from './compaction/CompactionRunner.ts';
import { DraftKeeper } from './compaction/DraftKeeper.ts';
import { ReductionLadder } from './compaction/ReductionLadder.ts';
import { lastDiff, previewOf } from './compaction/report.ts';
import { type ContextData, contextDataOf } from './contextData.ts';
import { contextItems, contextReport } from './contextReport.ts';
import { type Correction, editItem, rewindBefore, uncompact, undo } from './corrections.ts';
import { type Live, liveEntries } from './history/liveEntries.ts';
import { Listeners } from './Listeners.ts';
import { pageBefore, seqOf } from './recall/seenLog.ts';
import { RequestBuilder } from './request/RequestBuilder.ts';
import type { RequestOutcome, SideRequest } from './request/requestRecord.ts';
import { Admission } from './results/Admission.ts';
import { admitPrompts } from './results/admitPrompts.ts';
import { openSession, type Session } from './session.ts';
import {
  closingEntries,
  headerEntries,
  headerOf,
  lastEnvironmentOf,
  replyEntries,
} from './sessionEntries.ts';
import { SessionToolCache } from './storage/CacheStore.ts';
import { messageEntry } from './storage/newEntries.ts';
import { damageNotices } from './storage/repair/damage.ts';
import type { Blobs, OpenLog, StorageProblem } from './storage/sessionStore.ts';
import type { SessionSummary } from './storage/sessionSummary.ts';
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

/** The open session with the parts that act on it. */
interface Open extends Session {
  readonly admission: Admission;
  readonly compaction: CompactionRunner;
  readonly drafts: DraftKeeper;
  readonly ladder: ReductionLadder;
  readonly requests: RequestBuilder;
}

export class ContextManager {
  readonly #deps: ContextManagerDeps;
  readonly #entryListeners: Listeners<JSONLEntry>;
  readonly #problemListeners: Listeners<StorageProblem>;
  /** Not `#`: tests look at its parts. */
  private open: Open | undefined;
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
    await this.append(...headerEntries(userId, preferences, configuration));
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
    const closing = log.isReadOnly ? [] : closingEntries(log.entries());
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
    const { log } = this.#session;
    const upto = uptoUuid === undefined ? log.seen().last : await seqOf(log.seen(), uptoUuid);
    if (upto === undefined) throw new Error(`There is no entry ${uptoUuid} in this session to fork from.`);
    return this.#deps.store.forkSession(log.seen().range(0, upto));
  }

  /** The sessions of this project, newest first. */
  listSessions(): Promise<SessionSummary[]> {
    return this.#deps.store.listSessions();
  }

  /** Flushes the log and lets other programs open the session. */
  async close(): Promise<void> {
    const session = this.open;
    this.open = undefined;
    session?.thread.stop();
    // A draft that was stopped still finishes its last write: nothing may be written to a log that is closed.
    await session?.thread.settled();
    await session?.log.sync();
    await session?.log.close();
  }

  getCurrentSessionId(): string | undefined {
    return this.open?.log.sessionId;
  }

  /** Path of the open session's log. */
  filePath(): string | undefined {
    return this.open?.log.filePath;
  }

  /** What the tools of the open session have read. */
  get toolCache(): SessionToolCache {
    return this.#toolCache;
  }

  /** The log so far, oldest first; empty without a session. */
  entries(): readonly JSONLEntry[] {
    return this.open?.log.entries() ?? [];
  }

  /** The entries that count: what was undone has no effect, and what was rewound is not part of the conversation. */
  live(): Live {
    return this.open?.log.live() ?? liveEntries([]);
  }

  /** Older history, also what is not in memory: at most `count` entries before a position, oldest first. */
  async page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]> {
    return this.open === undefined ? [] : pageBefore(this.open.log.seen(), beforeSeq, count);
  }

  /** What the session was started with. */
  header(): SessionHeader | undefined {
    return headerOf(this.entries());
  }

  /**
   * The environment that the model was last told of: `data.block` of the last note, or of the header. A note that was
   * rewound does not count.
   */
  lastEnvironment(): string | undefined {
    return lastEnvironmentOf(this.live().entries);
  }

  /** The todo list as the model last wrote it. */
  todos(): readonly Todo[] {
    return this.open?.projection.todos() ?? [];
  }

  /** Hash of a file's content as this session last read or wrote it; undefined when it never did. */
  fileReads(path: string): string | undefined {
    return this.open?.projection.fileReads(path);
  }

  /** Is called with every entry once it is on disk. A listener that throws disturbs no other. */
  subscribe(listener: (entry: JSONLEntry) => void): () => void {
    return this.#entryListeners.add(listener);
  }

  /** Is called when the session cannot be saved, and when it can again. */
  onProblem(listener: (problem: StorageProblem) => void): () => void {
    return this.#problemListeners.add(listener);
  }

  /** Appends the entries as one batch; resolves when they are on disk. */
  async append(...entries: readonly NewEntry[]): Promise<readonly JSONLEntry[]> {
    return this.#session.append(entries);
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
    const message = {
      ...messageEntry(role, content),
      ...(kind === undefined ? {} : { subtype: kind }),
      ...(metadata === undefined ? {} : { data: metadata }),
    };
    const [entry] = await this.append(message as NewEntry);
    return entry;
  }

  /** Records what the user typed, with the memories that it calls up; says what cannot be sent in full. */
  async appendPrompts(
    prompts: readonly NewEntry[],
    { tools, emit }: Pick<RequestOptions, 'tools' | 'emit'>,
  ): Promise<readonly JSONLEntry[]> {
    const session = this.#session;
    // Before them, so that what the model reads last is what the user asked.
    await session.requests.refreshInstructions();
    const fixedTokens = session.projection.fixedTokens(tools);
    const { entries, notices } = await admitPrompts(session.log.clean(prompts), session, fixedTokens);
    for (const text of notices) emit({ type: 'notice', level: 'warning', text });
    return session.append(entries);
  }

  /** Records a reply and its calls as one batch, before any of them runs. */
  async appendReply(reply: Reply, end: ReplyEnd = {}): Promise<readonly JSONLEntry[]> {
    const { projection, recorder, append } = this.#session;
    const request = projection.lastRequest;
    return append([...recorder.newTools(request, end.sent ?? []), ...replyEntries(reply, request, end)]);
  }

  /** Records that the last request was sent and has no reply in the log; nothing if it was not sent. */
  async appendRequest(outcome: RequestOutcome, sent: readonly SentRequest[]): Promise<void> {
    await this.#session.recorder.recordUnanswered(outcome, sent);
  }

  /** Records a request outside the conversation, for a title or of the judge. */
  async recordRequest(
    facts: SideRequest,
    request: ModelRequest,
    sent: readonly SentRequest[],
  ): Promise<void> {
    await this.#session.recorder.recordSide(facts, request, sent);
  }

  /** Records the one result of a call, bounded; the full output is stored as a blob. */
  async appendToolResult(input: ToolResultInput): Promise<JSONLEntry> {
    return this.#session.admission.result(input);
  }

  /** Records a command that the user ran with `!`, and its output, for the model to know of. */
  async appendShell(command: string, outcome: ToolOutcome): Promise<JSONLEntry | undefined> {
    return this.#session.admission.shell(command, outcome);
  }

  /** Where a tool streams large output to. */
  openBlob(): BlobSink {
    return this.blobs().openSink();
  }

  /** Large contents of this project's sessions. */
  blobs(): Blobs {
    return this.#session.log.blobs;
  }

  /** What the session has seen, by pointer, range or search; also what no request shows any more. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<RecallAnswer> {
    return this.#session.admission.recall(request, signal);
  }

  /** Later entries were made in this directory. */
  setCwd(directory: string): void {
    this.open?.log.setCwd(directory);
  }

  /** Resolves when what was appended is on the disk itself, also after a power cut; problems go to `onProblem`. */
  async sync(): Promise<void> {
    await this.open?.log.sync();
  }

  /**
   * The next request, measured as it is about to be sent, after whatever makes room for it. An aborted signal
   * leaves everything as it was: the caller checks it.
   */
  async buildRequest(options: RequestOptions): Promise<BuildOutcome> {
    return this.#session.requests.build(options);
  }

  /** At the end of each step: syncs the log, and keeps a draft of the next summary. */
  async maintain(options: MaintainOptions): Promise<void> {
    return this.#session.requests.maintain(options);
  }

  /** Appends what is new or has changed in the instruction files. */
  async refreshInstructions(): Promise<void> {
    return this.#session.requests.refreshInstructions();
  }

  /**
   * After the server found a request too long: learns the true window and makes the next request at least a
   * tenth smaller, down to what is pinned and the newest prompt. False when nothing is left to give.
   */
  async shrinkAfterOverflow(error: ModelError, options: RequestOptions): Promise<boolean> {
    return this.#session.ladder.afterOverflow(error, options);
  }

  /** After the server refused the images of a request: they are words in the next. */
  hideImages(): void {
    this.#session.projection.hideImages();
  }

  /** The messages of the next request as it would be without a compaction. */
  getMessages(): readonly Message[] {
    return this.open?.projection.messages() ?? [];
  }

  /** Measures the request as it would be sent now. */
  measure(tools: readonly ToolSchema[]): ContextMeasure {
    return this.#session.projection.measure(tools);
  }

  /** Counts exactly what can be counted within `limitMs`; then measures. Never rejects. */
  async refine(tools: readonly ToolSchema[], limitMs?: number): Promise<ContextMeasure> {
    return this.#session.requests.refine(tools, limitMs);
  }

  /** Everything known about the session, by layer; undefined without a session. */
  getContext(): ContextData | undefined {
    if (this.open === undefined) return undefined;
    const tokens = this.measure([]).usedTokens;
    return contextDataOf(this.entries(), this.getMessages(), this.#deps.root, tokens);
  }

  /** What `/context` shows. */
  report(tools: readonly ToolSchema[]): ContextReport {
    const { log, deps, ladder } = this.#session;
    return contextReport(log.entries(), { model: deps.model(), ...ladder.outlook({ tools }) });
  }

  /** The same word as in the report, for what asks at every step: a report goes through the whole log. */
  draft(): ContextReport['draft'] {
    return this.#session.drafts.state();
  }

  /** The conversation as a list in which the user pins, drops and restores. */
  items(): readonly ContextItem[] {
    const { log, projection } = this.#session;
    return contextItems(log.entries(), projection.view(), (atom) => projection.sizeOf(atom));
  }

  /** What `/compact` does. Whatever happens, the session goes on; the report says what happened. */
  async compressCurrentContext(options: CompactOptions): Promise<CompactionReport> {
    return this.#session.compaction.runManual(options);
  }

  /** What a compaction would do. */
  async preview(options: CompactOptions): Promise<CompactionPreview> {
    const { log, projection, compaction } = this.#session;
    const facts = { entries: log.entries(), items: this.items() };
    const { usedTokens: preTokens } = projection.measure(options.tools);
    return previewOf(await compaction.preview(options), { ...facts, preTokens });
  }

  /** What the last compaction did; undefined when there is none to show. */
  lastDiff(): CompactionDiff | undefined {
    return lastDiff(this.entries(), this.items());
  }

  /** Takes removal instead of a summary that the user waits for; false when the user waits for none. */
  stopWaiting(): boolean {
    return this.open?.ladder.stopWaiting() ?? false;
  }

  /** Undoes the last compaction; refuses with the numbers if what it stands for no longer fits. */
  async uncompact({ tools, emit }: Pick<RequestOptions, 'tools' | 'emit'>): Promise<CompactionReport> {
    const session = this.#session;
    await session.compaction.settled();
    const report = await uncompact(session, tools);
    emit({ type: 'compaction_ended', report });
    emit({ type: 'context_measured', measure: session.projection.measure(tools) });
    return report;
  }

  /** Pins, unpins, drops or restores one item; says why when that cannot be done. */
  editItem(edit: ItemEdit, tools: readonly ToolSchema[]): Promise<string | undefined> {
    return editItem(this.#session, edit, tools);
  }

  /** Takes a prompt and everything after it out of the conversation, until that is undone; see corrections.ts. */
  rewindBefore(prompt: string, correction: Correction): ReturnType<typeof rewindBefore> {
    return rewindBefore(this.#session, prompt, correction);
  }

  /** Undoes what these entries did; returns the entry that says so. */
  undo(undoes: readonly string[], correction: Correction): Promise<JSONLEntry> {
    return undo(this.#session, undoes, correction);
  }

  async #use(log: OpenLog): Promise<void> {
    await this.close();
    this.#toolCache = this.#newToolCache();
    log.onProblem((problem) => this.#problemListeners.tell(problem));
    const session = await openSession(log, this.#deps, (entry) => this.#entryListeners.tell(entry));
    const compaction = new CompactionRunner(session);
    const drafts = new DraftKeeper(session, compaction);
    const ladder = new ReductionLadder(session, compaction, drafts);
    const requests = new RequestBuilder(session, ladder, drafts);
    this.open = { ...session, admission: new Admission(session), compaction, drafts, ladder, requests };
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
