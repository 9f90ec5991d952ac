/**
 * The only place that decides when and how to reduce the context, from the gentlest step to the last:
 * 1. A summary drafted in the background replaces earlier turns (SummaryDrafter.ts).
 * 2. Without a draft, old steps are shortened to one line each; from 90 % of the window on, messages are removed
 *    (ContextPruner.ts).
 * 3. If only one request can run at a time, the user waits for the summary; Esc shortens steps instead.
 * By default nothing is reduced before the trigger.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelError } from '../../protocol/models/model.ts';
import { strategyTraits } from '../../protocol/settings/contextSettings.ts';
import { budgetWarnings, type Forecast, nextStep, thresholdsOf, triggerNote } from '../contextReport.ts';
import { restsUntilPrompt, turnStart } from '../history/liveEntries.ts';
import { reductionEntry, reductionOf } from '../history/reductions.ts';
import type { Session } from '../session.ts';
import { applyWindow } from '../strategies/applyWindow.ts';
import { type CheckResult, checkAndCompress } from '../strategies/checkAndCompress.ts';
import type { RequestOptions } from '../types.ts';
import { type CompactionRunner, RETRY_GROWTH } from './CompactionRunner.ts';
import { ContextPruner } from './ContextPruner.ts';
import { oldAtoms } from './ledger.ts';
import { pinnedAtoms } from './plan.ts';
import type { SummaryDrafter } from './SummaryDrafter.ts';
import type { SummaryDraft } from './ThreadSummary.ts';

/** Maximum wait of a request for a draft in milliseconds; the design allows at most 50. */
const MOMENT_MS = 40;
/** Providers cache a prompt prefix for five minutes to an hour after its last use. */
const CACHE_LIFE_MS = 60 * 60 * 1000;
/** Minimum tokens that shortening frees if the cache is already cold. */
const COLD_GAIN = 2000;
/** Minimum tokens that a summary before the trigger replaces: for less it costs more than it saves (bench/context). */
const LEAST_EARLY = 30_000;
/** Maximum share of the request that may be left after an overflow. */
const SHRINK = 0.9;

export class ContextReducer {
  readonly #session: Session;
  readonly #runner: CompactionRunner;
  readonly #drafts: SummaryDrafter;
  readonly #pruner: ContextPruner;
  /** Aborts the summary that the user is waiting for. */
  #waiting: AbortController | undefined;
  /** A draft that freed too little for the turns before `before`; it may free enough at the trigger. */
  #unfit: { readonly draft: SummaryDraft; readonly before: number } | undefined;

  constructor(session: Session, runner: CompactionRunner, drafts: SummaryDrafter) {
    this.#session = session;
    this.#runner = runner;
    this.#drafts = drafts;
    this.#pruner = new ContextPruner(session, drafts);
  }

  /**
   * Makes as much room before a request as the settings ask for. `measure` is the measure of the current request;
   * returns the measure after the reductions, or the same one if nothing was reduced. An abort cancels a running
   * compaction.
   */
  async makeRoom(options: RequestOptions, measure: ContextMeasure): Promise<ContextMeasure> {
    const { strategy, compact } = this.#session.deps.settings;
    const { log, projection } = this.#session;
    let now = (await this.#runner.settled()) ? this.#measure(options) : measure;
    // Limits that the user set apply even when automatic compaction is off.
    if (await applyWindow(this.#session, now.usedTokens)) now = this.#measure(options);
    if (strategy === 'off' || !compact.auto) return now;
    const { limit } = this.#budget();
    if (restsUntilPrompt(log.entries(), log.live()) && now.usedTokens <= limit) return now;
    if (strategyTraits[strategy].masks) now = await this.#economise(options, now);
    if (projection.shouldCompact(now)) now = await this.#atTrigger(options, now);
    else if (this.#isLate(options, now)) now = (await this.#swapIn(options, now, { isLate: true })) ?? now;
    if (options.signal.aborted || !this.check(now).shouldCompress) return now;
    const swapped = await this.#swapInShortly(options, now);
    if (swapped !== undefined) return swapped;
    return strategy !== 'mask-only' || now.usedTokens > limit ? this.#removeNow(options, now) : now;
  }

  /** How full the window is, and whether messages have to be removed. */
  check({ usedTokens, windowTokens }: ContextMeasure, lastStatisticsAt?: number): CheckResult {
    const { settings, clock } = this.#session.deps;
    const { removeAt, window } = this.#budget();
    return checkAndCompress({
      currentTokens: usedTokens,
      maxTokens: windowTokens,
      isEnabled: settings.compact.auto && settings.strategy !== 'off',
      at: removeAt / window,
      checkIntervalMs: settings.removal.checkIntervalMs,
      now: (clock ?? Date.now)(),
      isCompacted: strategyTraits[settings.strategy].summarizes,
      ...(lastStatisticsAt === undefined ? {} : { lastStatisticsAt }),
    });
  }

  /** Token counts at which the reducer makes a decision. */
  figures(options: Pick<RequestOptions, 'tools'>): readonly number[] {
    const { draftAt, trigger, removeAt, limit } = this.#budget();
    const { projection, deps } = this.#session;
    const maskAt = strategyTraits[deps.settings.strategy].masks
      ? [projection.maskBudget(options.tools).at]
      : [];
    return [...maskAt, draftAt, trigger, removeAt, limit];
  }

  /** The next reduction and the token count at which it starts. */
  forecast({ tools }: Pick<RequestOptions, 'tools'>): Forecast {
    const { projection } = this.#session;
    const measure = projection.measure(tools);
    const { at: maskAt, batch: maskBatch } = projection.maskBudget(tools);
    const budget = { ...this.#budget(), maskAt, maskBatch };
    const note = triggerNote(budget, this.#session.deps.settings);
    return {
      ...(note === undefined ? {} : { triggerNote: note }),
      measure,
      next: nextStep(this.#session.deps.settings, budget, measure.usedTokens),
      marks: thresholdsOf(this.#session.deps.settings, budget),
      draft: this.#drafts.state(),
      breakerIsOpen: this.#drafts.isBroken(),
      warnings: budgetWarnings(measure, this.#session.deps.settings),
    };
  }

  /**
   * Shortens steps or removes messages instead of waiting for the summary; false if the user is not waiting for one.
   */
  stopWaiting(): boolean {
    if (this.#waiting === undefined || this.#waiting.signal.aborted) return false;
    this.#waiting.abort();
    return true;
  }

  /**
   * Handles an overflow error of the server: learns the true context window and makes the next request at least 10 %
   * smaller, keeping pinned entries and the newest prompt. Returns false if the request cannot shrink that much. If the
   * server limits bytes, no window is learned, and images are left out before any text.
   */
  async afterOverflow(error: ModelError, options: RequestOptions): Promise<boolean> {
    const { deps, projection } = this.#session;
    await this.#runner.settled();
    if (error.isByteLimit !== true) await learnWindow(this.#session, error, options.tools);
    else if (projection.hideOldestImages()) {
      const text = `The request was larger than ${deps.model().id} accepts. The oldest images of this session are replaced with descriptions.`;
      options.emit({ type: 'notice', level: 'warning', text });
      return true;
    }
    if (deps.settings.strategy === 'off') return false;
    const reason = 'the server found the request too long';
    let now = this.#measure(options);
    const goal = Math.floor(Math.min(now.usedTokens * SHRINK, this.#budget().limit));
    now = await this.#pruner.shorten(options, now, { reason, goal, limit: goal });
    if (now.usedTokens > goal) now = await this.#pruner.remove(options, now, { reason, goal, limit: goal });
    if (now.usedTokens <= goal) return true;
    const request = {
      trigger: 'auto',
      preTokens: now.usedTokens,
      mustReach: goal,
      withoutModel: true,
    } as const;
    await this.#runner.run({ ...options, ...request });
    return this.#measure(options).usedTokens <= goal;
  }

  async #atTrigger(options: RequestOptions, now: ContextMeasure): Promise<ContextMeasure> {
    const { strategy, summary } = this.#session.deps.settings;
    if (strategy === 'mask-only') return now;
    if (!strategyTraits[strategy].summarizes) return this.#removeNow(options, now);
    if (summary === 'simple') return this.#compact(options, now);
    const swapped = await this.#swapIn(options, now);
    if (swapped !== undefined) return swapped;
    if (this.#drafts.isBroken())
      return this.#pruner.shorten(options, now, { reason: NO_SUMMARY, goal: this.#budget().trigger - 1 });
    if (!this.#drafts.mayRunInBackground() || this.#isSudden(now)) return this.#waitForSummary(options, now);
    this.#drafts.begin(options, now);
    return now;
  }

  async #compact(
    options: RequestOptions,
    now: ContextMeasure,
    withoutModel = false,
  ): Promise<ContextMeasure> {
    const report = await this.#runner.runAuto(options, now, withoutModel);
    return report === undefined ? now : this.#measure(options);
  }

  /**
   * True if the request outgrew its window at once (a smaller model, an older session), before a draft could be
   * written.
   */
  #isSudden({ usedTokens }: ContextMeasure): boolean {
    return usedTokens >= this.#budget().removeAt && !this.#drafts.wasTried();
  }

  /** Replaces the messages that the draft covers with the draft if it is still valid; undefined if nothing changed. */
  async #swapIn(
    options: RequestOptions,
    now: ContextMeasure,
    { isLate = false } = {},
  ): Promise<ContextMeasure | undefined> {
    const draft = this.#drafts.current(options, now);
    if (draft === undefined) return undefined;
    const preTokens = now.usedTokens;
    const report = await this.#runner.run({ ...options, trigger: 'auto', preTokens, draft, isLate });
    if (report.outcome === 'done') return this.#measure(options);
    // The draft leaves too many tokens; a later draft will cover more.
    if (report.outcome === 'refused')
      this.#session.thread.drop(draft.epoch, preTokens + RETRY_GROWTH * this.#budget().window);
    return undefined;
  }

  /** Replaces the turns before the entry with seq `before`, and nothing later, with the draft. */
  async #swapInEarly(
    options: RequestOptions,
    now: ContextMeasure,
    before: number,
  ): Promise<ContextMeasure | undefined> {
    const draft = this.#drafts.current(options, now);
    if (draft === undefined || (this.#unfit?.draft === draft && this.#unfit.before === before))
      return undefined;
    const request = { trigger: 'auto', preTokens: now.usedTokens, draft, keepFrom: before } as const;
    const report = await this.#runner.run({ ...options, ...request });
    if (report.outcome === 'refused') this.#unfit = { draft, before };
    return report.outcome === 'done' ? this.#measure(options) : undefined;
  }

  /** True if steps were shortened before the draft was ready: a summary with quoted files is better. */
  #isLate(options: RequestOptions, now: ContextMeasure): boolean {
    const { log, deps } = this.#session;
    if (strategyTraits[deps.settings.strategy].masks || this.#drafts.state() !== 'ready') return false;
    const draft = this.#drafts.current(options, now);
    const last = log.live().entries.findLast(({ subtype }) => subtype === 'reduction');
    const kind = last === undefined ? undefined : reductionOf(last)?.kind;
    return draft !== undefined && kind === 'mask' && (last?.seq ?? 0) > draft.lastMessageSeq;
  }

  /** Waits briefly, too short to be noticed, for a draft that is almost ready. */
  async #swapInShortly(options: RequestOptions, now: ContextMeasure): Promise<ContextMeasure | undefined> {
    if (this.#drafts.state() !== 'running') return undefined;
    await Promise.race([
      this.#session.thread.settled(),
      delay(MOMENT_MS, undefined, { signal: options.signal }),
    ]).catch(() => undefined);
    return options.signal.aborted ? undefined : this.#swapIn(options, now);
  }

  async #waitForSummary(options: RequestOptions, now: ContextMeasure): Promise<ContextMeasure> {
    const stop = new AbortController();
    this.#waiting = stop;
    let after = now;
    try {
      const signal = AbortSignal.any([options.signal, stop.signal]);
      after = await this.#compact({ ...options, signal }, now);
    } finally {
      this.#waiting = undefined;
    }
    return stop.signal.aborted && !options.signal.aborted ? this.#removeNow(options, after) : after;
  }

  /**
   * Economy strategy: reduces earlier turns long before the window is full, many steps at a time. Replaces them with a
   * summary written in the background or, if none is possible, with one line per step. The current turn stays.
   */
  async #economise(options: RequestOptions, now: ContextMeasure): Promise<ContextMeasure> {
    const { at, batch } = this.#session.projection.maskBudget(options.tools);
    const isCold = this.#isCacheCold();
    const isFull = now.usedTokens >= at;
    if (!isFull && !isCold) return now;
    const before = turnStart(this.#session.log.live().entries);
    if (isFull && this.#mayDraft() && this.#sizeOfOld(options, now, before) >= Math.max(batch, LEAST_EARLY)) {
      const swapped = await this.#swapInEarly(options, now, before);
      if (swapped !== undefined) return swapped;
      // `#atTrigger` handles a window that shrank at once; with a cold cache shortening is free and needs no model.
      if (!isCold && this.#isSudden(now)) return now;
      if (!isCold) this.#drafts.begin(options, now);
      if (!isCold && this.#drafts.state() === 'running') return now;
    }
    const minGain = isCold ? COLD_GAIN : batch;
    const reason = isCold ? 'the provider’s cache is cold anyway' : 'earlier turns';
    return this.#pruner.shortenBefore(options, now, { minGain, before, reason });
  }

  #mayDraft(): boolean {
    const { strategy } = this.#session.deps.settings;
    return strategyTraits[strategy].summarizes && this.#drafts.mayRunInBackground();
  }

  /** Tokens of earlier turns that a summary would replace. */
  #sizeOfOld({ tools }: RequestOptions, now: ContextMeasure, before: number): number {
    const { projection, deps } = this.#session;
    const conversation = now.usedTokens - projection.fixedTokens(tools);
    const protectTokens = deps.settings.compact.retain * conversation;
    const sizeOf = projection.sizeOf.bind(projection);
    const view = projection.view();
    const stays = pinnedAtoms(view.atoms, view.pinned);
    const old = oldAtoms(view, { protectTokens, sizeOf, before });
    return old.reduce((sum, atom) => sum + (stays.has(atom) ? 0 : sizeOf(atom)), 0);
  }

  /** True if the last reply is too old for any provider to have the prefix cached: a change then costs nothing. */
  #isCacheCold(): boolean {
    const { log, deps } = this.#session;
    const last = log.entries().findLast(({ type }) => type === 'assistant');
    return last !== undefined && (deps.clock ?? Date.now)() - Date.parse(last.timestamp) > CACHE_LIFE_MS;
  }

  /** For a request that cannot wait: shortens steps, then removes messages, then clips results. */
  async #removeNow(options: RequestOptions, measure: ContextMeasure): Promise<ContextMeasure> {
    const { removeAt, limit, trigger } = this.#budget();
    const reason = this.#pruner.removesMessages() ? 'the window filled up' : NO_SUMMARY;
    let now = await this.#pruner.shorten(options, measure, { reason, goal: Math.min(removeAt, trigger) - 1 });
    // While a summary is still expected, messages are removed only when the window is nearly full.
    const isSummarized = strategyTraits[this.#session.deps.settings.strategy].summarizes;
    if (now.usedTokens < (isSummarized ? removeAt : Math.min(removeAt, trigger))) return now;
    now = await this.#pruner.remove(options, now, { reason, goal: this.#pruner.removalTarget() });
    // Removal keeps pinned messages; a single result too large for the window may still be there.
    return now.usedTokens > limit ? this.#compact(options, now, true) : now;
  }

  #budget(): ReturnType<Session['projection']['budget']> {
    return this.#session.projection.budget();
  }

  #measure({ tools }: RequestOptions): ContextMeasure {
    return this.#session.projection.measure(tools);
  }
}

const NO_SUMMARY = 'no summary could make room in time';

/** No model has a smaller window: an error that implies one was misread. */
const LEAST_WINDOW = 1000;
/** If the server names no window, this share of the rejected request is assumed to fit. */
const GUESS = 0.9;

/**
 * Records the window learned from an overflow error: the one that the server names, or an estimate from the rejected
 * request. Only a named window may exceed the assumed one, and only a named one is remembered after the session.
 */
async function learnWindow(
  { projection, deps, append }: Session,
  error: ModelError,
  tools: readonly ToolSchema[],
): Promise<void> {
  const before = projection.measure(tools);
  const preTokens = projection.lastRequest?.countedTokens ?? projection.noteRequest(tools);
  const named =
    error.windowTokens !== undefined && error.windowTokens >= LEAST_WINDOW ? error.windowTokens : undefined;
  const guess = Math.min(before.windowTokens, before.usedTokens) * GUESS;
  const { id: model, windowTokens: knownTokens, source } = deps.model();
  const most = named !== undefined && source === 'assumed' ? Number.POSITIVE_INFINITY : before.windowTokens;
  const windowTokens = Math.floor(Math.min(most, Math.max(LEAST_WINDOW, named ?? guess)));
  const { message: reason } = error;
  const guessed = named === undefined ? { isGuess: true } : {};
  const learned = { model, windowTokens, knownTokens, ...guessed };
  await append([reductionEntry({ kind: 'window', reason, preTokens, ...learned })]);
  if (named !== undefined) await deps.onWindowLearned?.(model, named);
}
