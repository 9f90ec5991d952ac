/**
 * The context of one open session: what the next request is, what is reduced for it, what can be said about
 * it. ContextManager opens and closes it and stays the only writer of the log.
 */
import type {
  CompactionDiff,
  CompactionPreview,
  ContextItem,
  ContextReport,
  Steering,
} from '../protocol/contextReport.ts';
import type { RequestRecord } from '../protocol/entries/kinds/request.ts';
import type { EntryDraft, JSONLEntry } from '../protocol/entries.ts';
import type { CompactionReport, ContextMeasure } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { ModelRequest, SentRequest } from '../protocol/model.ts';
import { Admission } from './Admission.ts';
import { admitPrompts } from './admitPrompts.ts';
import { CompactionRunner } from './CompactionRunner.ts';
import { lastDiff, previewOf } from './compaction/report.ts';
import { contextItems } from './contextItems.ts';
import { contextReport } from './contextReport.ts';
import { rewind, steer, uncompact, undoReduction } from './corrections.ts';
import { DraftKeeper } from './DraftKeeper.ts';
import { type Correction, goBackBefore, takeBack } from './goingBack.ts';
import { followInstructions } from './history/instructionEntries.ts';
import { filterOrphanToolMessages } from './history/messageAtoms.ts';
import { tooLarge } from './measure.ts';
import { activeTask, reminderDraft, reminderDue } from './memory/ActiveTaskService.ts';
import { instructionDraft } from './memory/instructions.ts';
import { ReductionLadder } from './ReductionLadder.ts';
import { type RequestOutcome, requestDraft } from './requestRecord.ts';
import type { SessionParts } from './sessionParts.ts';
import type { CheckResult } from './strategies/checkAndCompress.ts';
import type { BuildOutcome, CompactOptions, MaintainOptions, RequestOptions } from './types.ts';
import { validateRequest } from './validateRequest.ts';

export class SessionContext {
  readonly parts: SessionParts;
  readonly compaction: CompactionRunner;
  readonly drafts: DraftKeeper;
  readonly ladder: ReductionLadder;
  #encoderIsStuck = false;
  readonly admission: Admission;

  readonly #knownInstructions = followInstructions();
  #statisticsAt: number | undefined;
  #level: CheckResult['level'] = 'ok';

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.compaction = new CompactionRunner(parts);
    this.drafts = new DraftKeeper(parts, this.compaction);
    this.ladder = new ReductionLadder(parts, this.compaction, this.drafts);
    this.admission = new Admission(parts);
  }

  /** Records what the user typed, with the memories that it calls up; tells of what cannot be sent whole. */
  async appendPrompts(
    prompts: readonly EntryDraft[],
    { tools, emit }: Pick<RequestOptions, 'tools' | 'emit'>,
  ): Promise<readonly JSONLEntry[]> {
    // Before them, so that what the model reads last is what the user asked.
    await this.refreshInstructions();
    const { drafts, notices } = await admitPrompts(
      this.parts.log.clean(prompts),
      this.parts,
      this.parts.projection.fixedTokens(tools),
    );
    for (const text of notices) emit({ type: 'notice', level: 'warning', text });
    return this.parts.append(drafts);
  }

  /** The next request, measured as it is about to be sent, after whatever makes room for it. */
  async buildRequest(options: RequestOptions): Promise<BuildOutcome> {
    const { projection, deps } = this.parts;
    await this.refreshInstructions();
    await this.#remind();
    this.#check(projection.measure(options.tools), options);
    await this.#beSure(options);
    await this.ladder.makeRoom(options);
    if (await this.#beSure(options)) await this.ladder.makeRoom(options);
    const measure = projection.measure(options.tools);
    options.emit({ type: 'context_measured', measure });
    const { strategy, compact } = deps.settings;
    if (!projection.fits(measure))
      return { type: 'too_large', message: tooLarge(measure, compact.auto && strategy !== 'off') };
    const built = projection.build(options.tools).messages;
    // A log that is damaged, or that another program wrote, may hold what no server takes.
    const isValid = validateRequest(built, projection.checked).length === 0;
    const messages = isValid ? built : filterOrphanToolMessages(built);
    const problems = isValid ? [] : validateRequest(messages);
    if (problems.length > 0) throw new Error(`The request would be invalid: ${problems.join('; ')}.`);
    projection.noteRequest(options.tools);
    const request: ModelRequest = { model: measure.model, messages, tools: options.tools };
    return { type: 'ready', request };
  }

  /** Appends what is new or has changed in the instruction files, those near files that were touched included. */
  async refreshInstructions(): Promise<void> {
    const { log, deps, append } = this.parts;
    if (deps.instructions === undefined) return;
    const { entries } = log.live();
    const changes = await deps.instructions.changes(
      this.#knownInstructions(entries),
      this.parts.projection.touchedFiles(),
    );
    if (changes.length > 0) await append(changes.map(instructionDraft));
  }

  /** At the end of each step: the log is brought onto the disk itself, and a draft of the next summary is kept. */
  async maintain(options: MaintainOptions): Promise<void> {
    const { log, projection } = this.parts;
    // Nobody waits for the disk: what must not happen before it, a call that changes something or the end of a turn,
    // waits for a sync of its own.
    void log.sync();
    if (options.signal.aborted) return;
    if (options.mayDraft !== false) this.drafts.maintain(options);
    const measure = projection.measure(options.tools);
    if (this.#check(measure, options)) options.emit({ type: 'context_measured', measure });
    if (projection.isUnsure(options.tools, this.ladder.figures(options)))
      void this.refine(options.tools).then((measure) => options.emit({ type: 'context_measured', measure }));
  }

  /** Counts exactly what can be, within `limitMs`; then measures. Never rejects. */
  async refine(tools: readonly ToolSchema[], limitMs?: number): Promise<ContextMeasure> {
    const { projection } = this.parts;
    const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
    await projection.refine(tools, limit).catch(() => false);
    return projection.measure(tools);
  }

  /** What a compaction would do; see CompactionRunner. */
  async preview(options: CompactOptions): Promise<CompactionPreview> {
    const { log, projection } = this.parts;
    const entries = log.entries();
    const items = this.items();
    const { usedTokens } = projection.measure(options.tools);
    return previewOf(await this.compaction.preview(options), { entries, items, preTokens: usedTokens });
  }

  /** The same word as in the report, for whoever asks at every step: a report goes over the whole log. */
  draft(): ContextReport['draft'] {
    return this.drafts.state();
  }

  report(tools: readonly ToolSchema[]): ContextReport {
    const { log, deps } = this.parts;
    return contextReport(log.entries(), {
      model: deps.model(),
      ...this.ladder.outlook({ tools }),
    });
  }

  items(): readonly ContextItem[] {
    const { log, projection } = this.parts;
    return contextItems(log.entries(), projection.view(), (atom) => projection.sizeOf(atom));
  }

  /** What the last compaction did; undefined when there is none to show. */
  lastDiff(): CompactionDiff | undefined {
    return lastDiff(this.parts.log.entries(), this.items());
  }

  /** Takes the last compaction back; refuses with the numbers where what it stands for no longer fits. */
  async uncompact({ tools, emit }: Pick<RequestOptions, 'tools' | 'emit'>): Promise<CompactionReport> {
    await this.compaction.settled();
    const report = await uncompact(this.parts, tools);
    emit({ type: 'compaction_ended', report });
    emit({ type: 'context_measured', measure: this.parts.projection.measure(tools) });
    return report;
  }

  /** Records that the last request was sent and no reply to it is in the log; nothing where it was not sent. */
  async appendRequest(outcome: RequestOutcome, sent: readonly SentRequest[]): Promise<void> {
    const { append, offered, projection } = this.parts;
    const request = projection.lastRequest;
    if (request === undefined || sent.length === 0) return;
    const record = requestDraft({ purpose: 'turn', outcome }, request, sent);
    await append([...offered.news(request, sent), record]);
  }

  /** Records a request that the conversation does not make, a title's or a judge's: its text lies beside the log, once. */
  async recordRequest(
    facts: { readonly purpose: 'title' | 'judge'; readonly outcome: RequestOutcome },
    request: ModelRequest,
    sent: readonly SentRequest[],
  ): Promise<void> {
    if (sent.length === 0) return;
    const { log, projection, append } = this.parts;
    const kept = await log.blobs.put(JSON.stringify(request)).catch(() => undefined);
    if (kept === undefined) return;
    const { seq } = projection.basis([]);
    const record: RequestRecord = { seq, model: request.model, request: kept.hash, sent: [...sent] };
    const message = { role: 'system', content: '' } as const;
    await append([{ type: 'system', subtype: 'request', message, data: { ...facts, request: record } }]);
  }

  /** Pins, unpins, drops or restores one item; says why when that cannot be done. */
  steer(steering: Steering, tools: readonly ToolSchema[]): Promise<string | undefined> {
    return steer(this.parts, steering, tools);
  }

  /** Undoes the reduction that an entry recorded; false when there is none to undo. */
  undoReduction(uuid: string): Promise<boolean> {
    return undoReduction(this.parts, uuid);
  }

  /** Leaves everything after this entry's atom out of the conversation; false when there is no such entry. */
  rewind(uuid: string): Promise<boolean> {
    return rewind(this.parts, uuid);
  }

  /** The same for a prompt and everything after it; see `goBackBefore`. */
  goBackBefore(prompt: string, correction: Correction): ReturnType<typeof goBackBefore> {
    return goBackBefore(this.parts, prompt, correction);
  }

  /** Takes back what these entries did; answers the entry that says so. */
  takeBack(undoes: readonly string[], correction: Correction): Promise<JSONLEntry> {
    return takeBack(this.parts, undoes, correction);
  }

  /** Warns once when the window fills; true when the meter between requests is due again. */
  #check(measure: ContextMeasure, { emit }: Pick<RequestOptions, 'emit'>): boolean {
    const check = this.ladder.check(measure, this.#statisticsAt);
    if (check.warning !== undefined && check.level !== this.#level)
      emit({ type: 'notice', level: 'warning', text: check.warning });
    this.#level = check.level;
    if (check.isStatisticsDue) this.#statisticsAt = (this.parts.deps.clock ?? Date.now)();
    return check.isStatisticsDue;
  }

  /**
   * Where an estimate could hide a request over the window and the truth can be had, it is waited for: what
   * nobody has counted since the last step. True when any count has changed.
   */
  async #beSure({ tools, signal }: RequestOptions): Promise<boolean> {
    const { projection, deps } = this.parts;
    const { exact, usedTokens } = projection.measure(tools);
    const isFar = WORST_ESTIMATE * usedTokens <= projection.budget().limit;
    if (exact || isFar || deps.encoder === undefined || this.#encoderIsStuck || signal.aborted) return false;
    const time = AbortSignal.timeout(SURE_WITHIN_MS);
    const changed = await projection.refine(tools, AbortSignal.any([signal, time])).catch(() => false);
    this.#encoderIsStuck = time.aborted;
    return changed;
  }

  /** Goal and todo list, restated where they are far back: an entry that stays where it was put. */
  async #remind(): Promise<void> {
    const { log, deps, append } = this.parts;
    const { instructionPinning, reminderSteps } = deps.settings;
    if (!instructionPinning) return;
    const { entries } = log.live();
    if (!reminderDue(entries, reminderSteps)) return;
    const draft = reminderDraft(activeTask(entries));
    if (draft !== undefined) await append([draft]);
  }
}

/** Tokens of the worst text there is, over what it is estimated to have: three to a character of rare scripts. */
const WORST_ESTIMATE = 3;
/** An encoder that takes longer than this is stuck, and not waited for again. */
const SURE_WITHIN_MS = 3000;
