/**
 * Runs compactions for one session, one at a time: decides whether, lets CompactionService work, and writes
 * the outcome as one batch. What was appended meanwhile is kept; an abort leaves everything as it was.
 */
import type { EntryDraft, JSONLEntry } from '../protocol/entries.ts';
import type { CompactionReport } from '../protocol/events.ts';
import type { ModelError } from '../protocol/model.ts';
import { CompactionService } from './CompactionService.ts';
import type { CompactionJob, CompactionOutcome } from './compaction/job.ts';
import { isPrompt, isUserSide } from './history/atoms.ts';
import { lastCompaction, type Reduction } from './history/view.ts';
import type { Projection } from './Projection.ts';
import { compactionDrafts, type SessionLog } from './storage/index.ts';
import type { CompactOptions, ContextManagerDeps, RequestOptions } from './types.ts';

type Append = (drafts: readonly EntryDraft[]) => Promise<unknown>;
type Request = RequestOptions &
  Pick<CompactionJob, 'trigger'> &
  Partial<Pick<CompactionJob, 'focus' | 'mustReach' | 'withoutModel'>>;

/** What one try after an overflow has to give at least. */
const SHRINK = 0.9;
/** Share of the window that has to be filled before a refused compaction is tried again. */
const PAUSE = 0.05;
/** No model has a smaller window: an error that names one was misread. */
const LEAST_WINDOW = 1000;

export class CompactionRunner {
  readonly #log: SessionLog;
  readonly #projection: Projection;
  readonly #deps: ContextManagerDeps;
  readonly #append: Append;
  readonly #service: CompactionService;
  #running: Promise<CompactionReport> | undefined;
  /** The last automatic compaction, when it gained too little. */
  #refused:
    | { readonly tokens: number; readonly prompt: string | undefined; readonly wasTooLarge: boolean }
    | undefined;

  constructor(log: SessionLog, projection: Projection, deps: ContextManagerDeps, append: Append) {
    this.#log = log;
    this.#projection = projection;
    this.#deps = deps;
    this.#append = append;
    this.#service = new CompactionService({
      settings: deps.settings.compact,
      root: deps.root,
      counter: projection.counter,
      summarize: deps.summarize,
      isSensitive: deps.isSensitive,
    });
  }

  /** Resolves when no compaction runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /**
   * At the trigger. Does nothing when nothing new was said since the last compaction, or when little was
   * since one gained too little: the model is not asked for the same summary at every step.
   */
  async runAuto(options: RequestOptions): Promise<void> {
    if (!this.#hasFreshTokens()) return;
    const { usedTokens, windowTokens } = this.#projection.measure(options.tools);
    const { limit } = this.#projection.budget();
    const isTooLarge = usedTokens > limit;
    const prompt = this.#log.entries().findLast(isPrompt)?.uuid;
    const last = this.#refused;
    // Another prompt leaves other things to drop, and a request too large to send has a nearer goal.
    const wasRefused =
      last !== undefined &&
      last.prompt === prompt &&
      (last.wasTooLarge || !isTooLarge) &&
      usedTokens < last.tokens + windowTokens * PAUSE;
    if (wasRefused && !isTooLarge) return;
    const report = await this.#single({
      ...options,
      trigger: 'auto',
      withoutModel: wasRefused,
      ...(isTooLarge ? { mustReach: limit } : {}),
    });
    this.#refused =
      report.outcome === 'refused' ? { tokens: usedTokens, prompt, wasTooLarge: isTooLarge } : undefined;
  }

  /** What the user asked for; a second request waits for the first and gets its report. */
  async runManual(options: CompactOptions): Promise<CompactionReport> {
    if (this.#running === undefined && !this.#hasFreshTokens()) {
      const message =
        lastCompaction(this.#log.entries()) === -1
          ? 'There is nothing to compact yet.'
          : 'There is nothing to compact: nothing was said since the last compaction.';
      const { usedTokens } = this.#projection.measure(options.tools);
      const report = {
        outcome: 'refused',
        trigger: 'manual',
        preTokens: usedTokens,
        postTokens: usedTokens,
      } as const;
      const ended: CompactionReport = { ...report, files: [], durationMs: 0, message };
      options.emit({ type: 'compaction_ended', report: ended });
      return ended;
    }
    const { limit } = this.#projection.budget();
    const isTooLarge = this.#projection.measure(options.tools).usedTokens > limit;
    return this.#single({ ...options, ...(isTooLarge ? { mustReach: limit } : {}) });
  }

  /** Learns the window from the error, then shrinks; without a model when a summary was only just written. */
  async runAfterOverflow(error: ModelError, options: RequestOptions): Promise<boolean> {
    await this.settled();
    const before = this.#projection.measure(options.tools);
    const counted = this.#projection.lastCounted ?? this.#projection.noteRequest(options.tools);
    const named =
      error.windowTokens !== undefined && error.windowTokens >= LEAST_WINDOW ? error.windowTokens : undefined;
    const guess = Math.min(before.windowTokens, before.usedTokens) * SHRINK;
    const windowTokens = Math.floor(Math.min(before.windowTokens, named ?? guess));
    const learned: Reduction = {
      kind: 'window',
      reason: error.message,
      model: before.model,
      windowTokens,
      preTokens: counted,
    };
    await this.#append([reductionDraft(learned)]);
    const now = this.#projection.measure(options.tools).usedTokens;
    const report = await this.#single({
      ...options,
      trigger: 'auto',
      mustReach: Math.floor(Math.min(now * SHRINK, this.#projection.budget().limit)),
      withoutModel: !this.#hasFreshTokens(),
    });
    return report.outcome === 'done' || report.outcome === 'fallback';
  }

  #hasFreshTokens(): boolean {
    const entries = this.#log.entries();
    const at = lastCompaction(entries);
    const later = at === -1 ? entries : entries.slice(at + 2);
    return later.some(
      (entry) =>
        (isUserSide(entry) && entry.subtype !== 'instructions') ||
        entry.type === 'assistant' ||
        entry.type === 'tool_result',
    );
  }

  #single(request: Request): Promise<CompactionReport> {
    this.#running ??= this.#run(request).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(request: Request): Promise<CompactionReport> {
    const now = this.#deps.clock ?? Date.now;
    const started = now();
    const base = this.#log.entries();
    const { usedTokens: preTokens } = this.#projection.measure(request.tools);
    request.emit({ type: 'compaction_started', trigger: request.trigger, preTokens });
    const outcome = await this.#service.compact({
      entries: base,
      view: this.#projection.view(),
      trigger: request.trigger,
      focus: request.focus,
      tools: request.tools,
      model: this.#deps.model(),
      window: this.#projection.budget(),
      policy: this.#projection.policy(),
      blobs: this.#log.blobs,
      signal: request.signal,
      emit: request.emit,
      ...(request.mustReach === undefined ? {} : { mustReach: request.mustReach }),
      ...(request.withoutModel === undefined ? {} : { withoutModel: request.withoutModel }),
    });
    const durationMs = now() - started;
    await this.#write(outcome, base, durationMs);
    const { usedTokens: postTokens } = this.#projection.measure(request.tools);
    const report = reportOf(outcome, { trigger: request.trigger, preTokens, postTokens, durationMs });
    request.emit({ type: 'compaction_ended', report });
    return report;
  }

  /** One batch; what came after `base` is in no summary, so it stays verbatim. */
  async #write(outcome: CompactionOutcome, base: readonly JSONLEntry[], durationMs: number): Promise<void> {
    if (outcome.type === 'cancelled') return;
    if (outcome.type === 'refused') {
      if (outcome.usage !== undefined) await this.#append([outcome.usage]);
      return;
    }
    if (outcome.type === 'clipped') return void (await this.#append([reductionDraft(outcome.reduction)]));
    this.#projection.addSnippets(outcome.snippetTexts);
    const meanwhile = this.#log
      .entries()
      .slice(base.length)
      // The newest instructions are pinned before the summary.
      .filter(({ subtype }) => subtype !== 'instructions')
      .map(({ uuid }) => uuid);
    const metadata = {
      ...outcome.metadata,
      durationMs,
      retained: [...outcome.metadata.retained, ...meanwhile],
    };
    await this.#append([
      ...(outcome.reduction === undefined ? [] : [reductionDraft(outcome.reduction)]),
      ...compactionDrafts(outcome.summary, metadata),
      ...(outcome.usage === undefined ? [] : [outcome.usage]),
    ]);
  }
}

function reductionDraft(data: Reduction): EntryDraft {
  return {
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content: data.reason },
    data: { ...data },
  };
}

function reportOf(
  outcome: CompactionOutcome,
  facts: Pick<CompactionReport, 'trigger' | 'preTokens' | 'postTokens' | 'durationMs'>,
): CompactionReport {
  switch (outcome.type) {
    case 'cancelled':
      return {
        ...facts,
        outcome: 'cancelled',
        files: [],
        message: 'Compaction was stopped; nothing has changed.',
      };
    case 'refused':
      return { ...facts, outcome: 'refused', files: [], message: outcome.message };
    case 'clipped':
      return {
        ...facts,
        outcome: 'done',
        files: [],
        message: 'Large tool results were shortened; the whole is kept.',
      };
    case 'compacted': {
      const files = outcome.metadata.filesIncluded ?? [];
      if (outcome.fallback === undefined) return { ...facts, outcome: 'done', files };
      const message = `The summary could not be written (${outcome.fallback}). A plain fallback stands in for it; the newest part of the conversation is unchanged and the session goes on.`;
      return { ...facts, outcome: 'fallback', files, message };
    }
  }
}
