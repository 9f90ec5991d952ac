/**
 * Runs the compactions of one session, one at a time: calls CompactionService and writes the outcome as one batch.
 * Entries appended in the meantime stay verbatim; an abort changes nothing. ContextReducer.ts decides when to compact.
 */
import { isInside } from '../../disk/paths.ts';
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { CompactionReport } from '../../protocol/events.ts';
import { untilAborted } from '../../protocol/untilAborted.ts';
import { CompactionService, type DraftAttempt } from '../CompactionService.ts';
import { atomEntries, isPrompt, isUserSide } from '../history/atoms.ts';
import { lastCompaction, namesOf } from '../history/compactions.ts';
import { epochOf, followEpoch } from '../history/liveEntries.ts';
import { reductionEntry } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import { repeatedSkills } from '../memory/instructions.ts';
import type { RequestBasis } from '../request/requestRecord.ts';
import type { Session } from '../session.ts';
import { CacheStore } from '../storage/CacheStore.ts';
import { compactionEntries } from '../storage/newEntries.ts';
import { allocateBudget, tailTokens } from '../tokens/budgets.ts';
import type { CompactOptions, RequestOptions } from '../types.ts';
import type { CompactionJob, CompactionOutcome, SentSummary } from './job.ts';
import { ledgerEntry } from './ledger.ts';
import { refusedReport, reportOf } from './report.ts';
import { draftEntry, type SummaryDraft } from './ThreadSummary.ts';

type RunRequest = RequestOptions & {
  /** Tokens of the current request. */
  readonly preTokens: number;
} & Pick<CompactionJob, 'trigger'> &
  Partial<Pick<CompactionJob, 'focus' | 'mustReach' | 'withoutModel' | 'isLate' | 'keepFrom'>> & {
    /** A summary that is already written or is being written. */
    readonly draft?: SummaryDraft | Promise<SummaryDraft | undefined> | undefined;
  };

/** Share of the window by which the request must grow before a refused compaction is tried again. */
export const RETRY_GROWTH = 0.05;

export class CompactionRunner {
  readonly #session: Session;
  readonly #service: CompactionService;
  readonly #epochOf = followEpoch();
  #running: Promise<CompactionReport> | undefined;
  /** The last automatic compaction that was refused. */
  #refused:
    | { readonly tokens: number; readonly prompt: string | undefined; readonly wasTooLarge: boolean }
    | undefined;

  constructor(session: Session) {
    const { projection, deps } = session;
    const { settings } = deps;
    this.#session = session;
    this.#service = new CompactionService({
      settings: settings.compact,
      root: deps.root,
      counter: projection.counter,
      summarize: deps.summarize,
      summaryModel: deps.summaryModel,
      isSensitive: deps.isSensitive,
      isReadable: deps.isReadable ?? ((path) => isInside(path, deps.root)),
      lastSeqBefore: session.log.entries().at(-1)?.seq ?? -1,
      fileCache: new CacheStore(settings.cache.maxEntries, settings.cache.ttlMs),
      writer: settings.summary,
      minRetainRounds: settings.minRetainRounds ?? undefined,
      summaryCap: (window) => allocateBudget(window, settings.budget).summary,
    });
  }

  /** Resolves when no compaction is running; true if it waited for one. */
  async settled(): Promise<boolean> {
    return (await this.#running) !== undefined;
  }

  /**
   * Compacts at the trigger, while the user waits. Does nothing if the conversation has no new messages since the last
   * compaction, or has grown too little since one was refused; otherwise the model would be asked for the same summary
   * at every step.
   */
  async runAuto(
    options: RequestOptions,
    { usedTokens, windowTokens }: ContextMeasure,
    withoutModel: boolean,
  ): Promise<CompactionReport | undefined> {
    const { projection, log } = this.#session;
    if (!this.hasFreshTokens()) return undefined;
    const { limit } = projection.budget();
    const isTooLarge = usedTokens > limit;
    const prompt = log.entries().findLast(isPrompt)?.uuid;
    const last = this.#refused;
    // After another prompt different atoms can be dropped, and a request too large to send has a lower goal.
    const wasRefused =
      last !== undefined &&
      last.prompt === prompt &&
      (last.wasTooLarge || !isTooLarge) &&
      usedTokens < last.tokens + windowTokens * RETRY_GROWTH;
    if (wasRefused && !isTooLarge) {
      // The request has to grow by RETRY_GROWTH from here: from its smaller size if masking has shrunk it since.
      this.#refused = { ...last, tokens: Math.min(last.tokens, usedTokens) };
      return undefined;
    }
    const report = await this.run({
      ...options,
      trigger: 'auto',
      preTokens: usedTokens,
      withoutModel: withoutModel || wasRefused,
      ...(isTooLarge ? { mustReach: limit } : {}),
    });
    this.#refused =
      report.outcome === 'refused' ? { tokens: usedTokens, prompt, wasTooLarge: isTooLarge } : undefined;
    return report;
  }

  /** Runs the user's `/compact`; a request during a compaction waits for it and gets its report. */
  async runManual(options: CompactOptions): Promise<CompactionReport> {
    const { projection, thread } = this.#session;
    const measure = projection.measure(options.tools);
    const { usedTokens } = measure;
    const nothing = this.#nothingToCompact();
    if (this.#running === undefined && nothing !== undefined) {
      const report = refusedReport(usedTokens, nothing);
      options.emit({ type: 'compaction_ended', report });
      return report;
    }
    const { limit } = projection.budget();
    const draft = this.#draftFor(options);
    const request = {
      ...options,
      trigger: 'manual' as const,
      preTokens: usedTokens,
      ...(usedTokens > limit ? { mustReach: limit } : {}),
    };
    const report = await this.run({ ...request, draft });
    const used = await draft;
    // A draft that leaves too many tokens is no reason to refuse the user: compact again without it.
    if (used === undefined || report.outcome !== 'refused') return report;
    thread.drop(used.epoch);
    return this.run(request);
  }

  /** Computes a compaction without applying it. Keeps its summary as a draft and records the usage. */
  async preview(options: CompactOptions): Promise<CompactionOutcome> {
    await this.settled();
    const { thread, append, projection } = this.#session;
    const message = this.#nothingToCompact();
    if (message !== undefined) return { type: 'refused', message };
    const epoch = this.epoch();
    const draft = await this.#draftFor(options);
    const outcome = await this.#service.compact(this.#job({ ...options, trigger: 'manual' }, draft));
    if (outcome.type === 'cancelled' || outcome.type === 'clipped') return outcome;
    const cost = outcome.usage === undefined ? [] : [outcome.usage];
    const isModels = outcome.type === 'compacted' && outcome.fallback === undefined;
    if (!isModels || outcome.lastMessageSeq === undefined) {
      await append(cost);
      return outcome;
    }
    const { text, lastMessageSeq } = outcome;
    const { usedTokens } = projection.measure(options.tools);
    const kept = { text, epoch, lastMessageSeq, usedTokens };
    thread.set(kept);
    await append(draft === undefined ? [...cost, draftEntry(kept)] : cost);
    return outcome;
  }

  /** Identifies the conversation that a draft is written for (history/liveEntries.ts). */
  epoch(): string {
    return this.#epochOf(this.#session.log.entries());
  }

  /** The draft if it is still usable; drops a stale one. */
  usableDraft(
    { tools }: Pick<RequestOptions, 'tools'>,
    { usedTokens }: ContextMeasure,
  ): SummaryDraft | undefined {
    const { thread, projection, deps } = this.#session;
    const draft = thread.get(this.epoch());
    if (draft === undefined) return undefined;
    const tail = tailTokens(projection.budget(), deps.settings.compact, projection.fixedTokens(tools));
    if (usedTokens <= draft.usedTokens + MOST_BEHIND * tail) return draft;
    // The newest exchange always stays verbatim, so another draft could not replace it either.
    const later = projection
      .view()
      .atoms.filter(({ kind, head }) => kind === 'reply' && head.seq > draft.lastMessageSeq);
    if (later.length <= 1) return draft;
    thread.drop(draft.epoch);
    return undefined;
  }

  /**
   * The draft for a user's request: waits for one that is being written, unless the user asked for a different focus.
   */
  async #draftFor(options: CompactOptions): Promise<SummaryDraft | undefined> {
    const { thread, projection } = this.#session;
    if (options.focus !== undefined) {
      thread.stop();
      return undefined;
    }
    if (thread.state(this.epoch()) === 'running') await untilAborted(thread.settled(), options.signal);
    return this.usableDraft(options, projection.measure(options.tools));
  }

  /** Asks for a draft in the background. Never rejects. */
  async writeDraft(options: RequestOptions): Promise<DraftAttempt> {
    try {
      return await this.#service.draft(this.#job({ ...options, trigger: 'auto' }));
    } catch (error) {
      return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** True if the conversation has new messages since the last compaction. */
  hasFreshTokens(): boolean {
    const { entries, undone } = this.#session.log.live();
    const at = lastCompaction(entries, undone);
    const later = at === -1 ? entries : entries.slice(at + 2);
    return later.some(
      (entry) =>
        (isUserSide(entry) && !isRepeated(entry)) ||
        entry.type === 'assistant' ||
        entry.type === 'tool_result',
    );
  }

  /** Runs one compaction at a time; a second request gets the report of the running one. */
  run(request: RunRequest): Promise<CompactionReport> {
    this.#running ??= this.#run(request).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #nothingToCompact(): string | undefined {
    if (this.hasFreshTokens()) return undefined;
    const { entries, undone } = this.#session.log.live();
    return lastCompaction(entries, undone) === -1
      ? 'There is nothing to compact yet.'
      : 'There is nothing to compact: there are no new messages since the last compaction.';
  }

  #job(request: Omit<RunRequest, 'preTokens'>, draft?: SummaryDraft): CompactionJob {
    const { log, projection, deps } = this.#session;
    const basis = projection.basis(request.tools);
    const { trigger, focus, tools, signal, emit, mustReach, withoutModel, isLate, keepFrom } = request;
    return {
      entries: log.entries(),
      view: projection.view(),
      cwd: log.cwd,
      trigger,
      focus,
      tools,
      model: deps.model(),
      window: projection.budget(),
      policy: projection.policy(),
      blobs: log.blobs,
      signal,
      emit,
      onAsked: (asked) => this.#record({ ...basis, ...asked.by }, asked),
      // As with the record: lost if the session has been closed.
      onSpent: (usage) => void this.#session.append([usage]).catch(() => {}),
      ...(mustReach === undefined ? {} : { mustReach }),
      ...(withoutModel === undefined ? {} : { withoutModel }),
      ...(isLate === undefined ? {} : { isLate }),
      ...(keepFrom === undefined ? {} : { keepFrom }),
      ...(draft === undefined ? {} : { draft }),
    };
  }

  /** A summary request leaves no reply in the log, so its own entry records how it was made. */
  #record(basis: RequestBasis, asked: SentSummary): void {
    // If the session has been closed, the record is lost.
    void this.#session.recorder.recordSummary(basis, asked).catch(() => {});
  }

  async #run(request: RunRequest): Promise<CompactionReport> {
    const { log, projection, deps, thread } = this.#session;
    const now = deps.clock ?? Date.now;
    const started = now();
    const base = log.entries();
    const { preTokens } = request;
    request.emit({ type: 'compaction_started', trigger: request.trigger, preTokens });
    const draft = await request.draft;
    const made = await this.#service.compact(this.#job(request, draft));
    const outcome = ifStillTrue(made, base, log.entries());
    const durationMs = now() - started;
    await this.#write(outcome, base, { durationMs, wasAsked: request.withoutModel !== true });
    if (outcome.type === 'compacted') thread.drop(epochOf(base));
    const { usedTokens: postTokens } = projection.measure(request.tools);
    const report = reportOf(outcome, { trigger: request.trigger, preTokens, postTokens, durationMs });
    request.emit({ type: 'compaction_ended', report });
    return report;
  }

  /** Appends the outcome as one batch; entries newer than `base` are in no summary and stay verbatim. */
  async #write(
    outcome: CompactionOutcome,
    base: readonly JSONLEntry[],
    { durationMs, wasAsked }: { readonly durationMs: number; readonly wasAsked: boolean },
  ): Promise<void> {
    const { log, projection, append } = this.#session;
    if (outcome.type === 'cancelled') return;
    if (outcome.type === 'refused') {
      if (outcome.usage !== undefined) await append([outcome.usage]);
      return;
    }
    if (outcome.type === 'clipped') return void (await append([reductionEntry(outcome.reduction)]));
    projection.addSnippets(outcome.snippetTexts);
    const retained = retainedNow(outcome.metadata.retained, base, log.entries(), projection.view());
    const metadata = { ...outcome.metadata, durationMs, retained: namesOf(retained, log.entries()) };
    // A compaction that did not ask the model is not a failure of the model.
    const failed = outcome.fallback === undefined || !wasAsked ? [] : [failureEntry(outcome.fallback)];
    await append([
      ...failed,
      ...(outcome.reduction === undefined ? [] : [reductionEntry(outcome.reduction)]),
      ...compactionEntries(outcome.summary, metadata),
      ...(outcome.ledger === undefined ? [] : [ledgerEntry(outcome.ledger, ledgerFacts(outcome.metadata))]),
      ...repeatedSkills(
        projection.view().atoms.map(({ head }) => head),
        new Set(retained),
        projection.budget().window,
      ),
      ...(outcome.usage === undefined ? [] : [outcome.usage]),
    ]);
  }
}

/** True for entries that the program itself repeats after a summary. */
function isRepeated(entry: JSONLEntry): boolean {
  const { subtype } = entry;
  return (
    subtype === 'instructions' ||
    subtype === 'reminder' ||
    (subtype === 'skill' && entry.data?.again === true)
  );
}

/** Growth, in tails, after which a ready draft is stale. A draft starts at most one tail before the trigger. */
const MOST_BEHIND = 2;

/** Refuses the outcome if its messages were rewound, dropped or restored in the meantime. */
function ifStillTrue(
  outcome: CompactionOutcome,
  base: readonly JSONLEntry[],
  now: readonly JSONLEntry[],
): CompactionOutcome {
  if (outcome.type !== 'compacted' || epochOf(base) === epochOf(now)) return outcome;
  const { usage } = outcome;
  const message =
    'The conversation was changed while it was compacted (rewound, dropped or restored), so the summary was not used. Nothing else has changed.';
  return { type: 'refused', message, ...(usage === undefined ? {} : { usage }) };
}

/**
 * Uuids of the entries that stay verbatim, including those appended since `base`, which no summary covers, and those
 * pinned in the meantime.
 */
function retainedNow(
  retained: readonly string[],
  base: readonly JSONLEntry[],
  now: readonly JSONLEntry[],
  { atoms, pinned }: Pick<View, 'atoms' | 'pinned'>,
): string[] {
  // The newest instructions are pinned before the summary.
  const isKept = ({ subtype }: JSONLEntry): boolean => subtype !== 'instructions';
  const meanwhile = now.slice(base.length).filter(isKept);
  const pins = atoms.filter(({ head }) => pinned.has(head.uuid) && isKept(head)).flatMap(atomEntries);
  return [...new Set([...retained, ...[...pins, ...meanwhile].map(({ uuid }) => uuid)])];
}

/** The compaction already reports the gain, so its ledger reports none. */
function ledgerFacts({ preTokens, postTokens = preTokens }: CompactMetadata) {
  return { reason: 'compaction', preTokens: postTokens, postTokens };
}

/** Records that no summary could be written; counts towards the circuit breaker. */
export function failureEntry(reason: string): NewEntry {
  return {
    type: 'system',
    subtype: 'summary_failed',
    message: { role: 'system', content: reason },
    data: { reason },
  };
}
