/**
 * What makes room, and when: the one place that decides it. Below the trigger nothing is reduced by default. At the
 * trigger a summary takes the place of the older part: a draft that was written beside the work, so that nobody waits.
 * Where no summary can be had, steps are shortened to lines, and from 90 % of the window on messages are removed. On
 * an endpoint that serves one request at a time the user sees the summary run, and Esc takes masking instead.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { strategyTraits } from '../protocol/contextSettings.ts';
import type { ContextMeasure } from '../protocol/events.ts';
import type { ModelError } from '../protocol/model.ts';
import { type CompactionRunner, PAUSE } from './CompactionRunner.ts';
import { learnWindow } from './compaction/learnWindow.ts';
import { type LedgerPlan, ledgerDraft, oldAtoms, planLedger } from './compaction/ledger.ts';
import { maskResults } from './compaction/masking.ts';
import { pinnedAtoms } from './compaction/plan.ts';
import type { DraftKeeper } from './DraftKeeper.ts';
import { restsUntilPrompt, turnStart } from './history/epoch.ts';
import { reductionOf } from './history/reductions.ts';
import type { Draft } from './memory/ThreadSummary.ts';
import { budgetWarnings, marksOf, nextStep, type Outlook, triggerNote } from './outlook.ts';
import type { SessionParts } from './sessionParts.ts';
import { applyWindow } from './strategies/applyWindow.ts';
import { type CheckResult, checkAndCompress } from './strategies/checkAndCompress.ts';
import { isRemovalStrategy, removalPolicyFor } from './strategies/removalPolicy.ts';
import { planAtomRemoval, removalDraft } from './strategies/removeAtoms.ts';
import type { RequestOptions } from './types.ts';

/** The longest that a request may wait for a draft (goal 7 of the engine: at most 50 ms). */
const MOMENT_MS = 40;
/** Providers keep a prompt's prefix for five minutes to an hour after its last use. */
const CACHE_LIFE_MS = 60 * 60 * 1000;
/** Tokens that masking has to free where the cache is cold anyway. */
const COLD_GAIN = 2000;
/** Tokens that a summary below the trigger speaks for at least: for less it costs more than it saves (bench/context). */
const LEAST_EARLY = 30_000;
/** Share of the window that lines have to free while the request can be sent as it is. */
const LEAST_GAIN = 0.01;
/** What one try after an overflow has to give at least. */
const SHRINK = 0.9;
/** Share of the trigger that removal brings a request below, so that it does not begin again with the next result. */
const REMOVAL_TARGET = 0.8;
/** More than the note in the place of what was removed has. */
const NOTE_TOKENS = 100;

export class ReductionLadder {
  readonly #parts: SessionParts;
  readonly #runner: CompactionRunner;
  readonly #drafts: DraftKeeper;
  /** Stops a summary that the user waits for. */
  #waiting: AbortController | undefined;
  /** A draft that freed too little in the place of the turns before a seq: at the trigger it may free enough. */
  #unfit: { readonly draft: Draft; readonly before: number } | undefined;

  constructor(parts: SessionParts, runner: CompactionRunner, drafts: DraftKeeper) {
    this.#parts = parts;
    this.#runner = runner;
    this.#drafts = drafts;
  }

  /** Before a request: makes as much room as the settings ask for. An aborted signal leaves things as they are. */
  async makeRoom(options: RequestOptions): Promise<void> {
    await this.#runner.settled();
    const { settings } = this.#parts.deps;
    // Limits that the user chose hold, whether anything is compacted by itself or not.
    await applyWindow(this.#parts, this.#used(options));
    if (settings.strategy === 'off' || !settings.compact.auto) return;
    const { log, projection } = this.#parts;
    const { limit } = this.#budget();
    if (restsUntilPrompt(log.entries(), log.live()) && this.#used(options) <= limit) return;
    if (strategyTraits[settings.strategy].masks) await this.#economise(options);
    if (projection.shouldCompact(projection.measure(options.tools))) await this.#atTrigger(options);
    else if (this.#isLate(options)) await this.#swapIn(options, { isLate: true });
    if (options.signal.aborted || !this.check(projection.measure(options.tools)).shouldCompress) return;
    if (await this.#swapInShortly(options)) return;
    if (settings.strategy !== 'mask-only' || this.#used(options) > limit) await this.#removeNow(options);
  }

  /** How full the window is, and whether messages have to be removed. */
  check({ usedTokens, windowTokens }: ContextMeasure, lastStatisticsAt?: number): CheckResult {
    const { settings, clock } = this.#parts.deps;
    const { removeAt, window } = this.#budget();
    return checkAndCompress({
      currentTokens: usedTokens,
      maxTokens: windowTokens,
      isEnabled: settings.compact.auto && settings.strategy !== 'off',
      at: removeAt / window,
      checkIntervalMs: settings.removal.checkIntervalMs,
      now: (clock ?? Date.now)(),
      isCompacted: strategyTraits[settings.strategy].summarises,
      ...(lastStatisticsAt === undefined ? {} : { lastStatisticsAt }),
    });
  }

  /** The numbers of tokens at which something is decided. */
  figures(options: Pick<RequestOptions, 'tools'>): readonly number[] {
    const { draftAt, trigger, removeAt, limit } = this.#budget();
    const { projection, deps } = this.#parts;
    const maskAt = strategyTraits[deps.settings.strategy].masks
      ? [projection.maskBudget(options.tools).at]
      : [];
    return [...maskAt, draftAt, trigger, removeAt, limit];
  }

  /** What the ladder would do next, and at how many tokens. */
  outlook({ tools }: Pick<RequestOptions, 'tools'>): Outlook {
    const { projection } = this.#parts;
    const measure = projection.measure(tools);
    const { at: maskAt, batch: maskBatch } = projection.maskBudget(tools);
    const budget = { ...this.#budget(), maskAt, maskBatch };
    const note = triggerNote(budget, this.#parts.deps.settings);
    return {
      ...(note === undefined ? {} : { triggerNote: note }),
      measure,
      next: nextStep(this.#parts.deps.settings, budget, measure.usedTokens),
      marks: marksOf(this.#parts.deps.settings, budget),
      draft: this.#drafts.state(),
      breakerIsOpen: this.#drafts.isBroken(),
      warnings: budgetWarnings(measure, this.#parts.deps.settings),
    };
  }

  /** Takes masking instead of the summary that the user waits for; false when nobody waits for one. */
  stopWaiting(): boolean {
    if (this.#waiting === undefined || this.#waiting.signal.aborted) return false;
    this.#waiting.abort();
    return true;
  }

  /**
   * After the server found a request too long: learns the true window and makes the next request at least a
   * tenth smaller, down to what is pinned and the newest prompt. False when nothing is left to give.
   */
  async afterOverflow(error: ModelError, options: RequestOptions): Promise<boolean> {
    const { deps } = this.#parts;
    await this.#runner.settled();
    await learnWindow(this.#parts, error, options.tools);
    if (deps.settings.strategy === 'off') return false;
    const start = this.#used(options);
    const goal = Math.floor(Math.min(start * SHRINK, this.#budget().limit));
    await this.#maskAll(options, 'the server found the request too long', goal, goal);
    if (this.#used(options) > goal)
      await this.#remove(options, goal, 'the server found the request too long', goal);
    if (this.#used(options) > goal)
      await this.#runner.run({ ...options, trigger: 'auto', mustReach: goal, withoutModel: true });
    return this.#used(options) <= goal;
  }

  async #atTrigger(options: RequestOptions): Promise<void> {
    const { strategy, summary } = this.#parts.deps.settings;
    if (strategy === 'mask-only') return;
    if (!strategyTraits[strategy].summarises) return this.#removeNow(options);
    if (summary === 'simple') return void (await this.#runner.runAuto(options));
    if (await this.#swapIn(options)) return;
    if (this.#drafts.isBroken()) return this.#maskAll(options, NO_SUMMARY, this.#budget().trigger - 1);
    if (this.#drafts.mayRunBeside() && !this.#isSudden(options)) return this.#drafts.begin(options);
    await this.#waitForSummary(options);
  }

  /** True for a request that outgrew its window all at once (a smaller model, an older session): no draft had a chance. */
  #isSudden(options: RequestOptions): boolean {
    return this.#used(options) >= this.#budget().removeAt && !this.#drafts.wasTried();
  }

  /** The draft takes the place of what it speaks for, if it still stands. */
  async #swapIn(options: RequestOptions, { isLate = false } = {}): Promise<boolean> {
    const draft = this.#drafts.current(options);
    if (draft === undefined) return false;
    const report = await this.#runner.run({ ...options, trigger: 'auto', draft, isLate });
    if (report.outcome === 'done') return true;
    // It leaves too much standing: a later one will do better.
    if (report.outcome === 'refused')
      this.#parts.thread.drop(draft.epoch, this.#used(options) + PAUSE * this.#budget().window);
    return false;
  }

  /** The draft takes the place of the turns before the entry with the seq `before`, and of nothing later. */
  async #swapInEarly(options: RequestOptions, before: number): Promise<boolean> {
    const draft = this.#drafts.current(options);
    if (draft === undefined || (this.#unfit?.draft === draft && this.#unfit.before === before)) return false;
    const report = await this.#runner.run({ ...options, trigger: 'auto', draft, keepFrom: before });
    if (report.outcome === 'refused') this.#unfit = { draft, before };
    return report.outcome === 'done';
  }

  /** True when steps had to be shortened because the draft was not there yet: a summary with the files does better. */
  #isLate(options: RequestOptions): boolean {
    const { log, deps } = this.#parts;
    if (strategyTraits[deps.settings.strategy].masks || this.#drafts.state() !== 'ready') return false;
    const draft = this.#drafts.current(options);
    const last = log.live().entries.findLast(({ subtype }) => subtype === 'reduction');
    const kind = last === undefined ? undefined : reductionOf(last)?.kind;
    return draft !== undefined && kind === 'mask' && (last?.seq ?? 0) > draft.lastMessageSeq;
  }

  /** A draft that is about to be there is worth a moment; nobody notices that. */
  async #swapInShortly(options: RequestOptions): Promise<boolean> {
    if (this.#drafts.state() !== 'running') return false;
    await Promise.race([
      this.#parts.thread.settled(),
      delay(MOMENT_MS, undefined, { signal: options.signal }),
    ]).catch(() => undefined);
    return !options.signal.aborted && this.#swapIn(options);
  }

  async #waitForSummary(options: RequestOptions): Promise<void> {
    const stop = new AbortController();
    this.#waiting = stop;
    try {
      const signal = AbortSignal.any([options.signal, stop.signal]);
      await this.#runner.runAuto({ ...options, signal });
    } finally {
      this.#waiting = undefined;
    }
    if (stop.signal.aborted && !options.signal.aborted) await this.#removeNow(options);
  }

  /**
   * Economy: earlier turns make room long before the window is full, many steps at a time, for a summary that was
   * written beside, or for a line each where none can be. The current turn stays.
   */
  async #economise(options: RequestOptions): Promise<void> {
    const { at, batch } = this.#parts.projection.maskBudget(options.tools);
    const isCold = this.#isCacheCold();
    const isFull = this.#used(options) >= at;
    if (!isFull && !isCold) return;
    const before = this.#turnStart();
    if (isFull && this.#mayDraft() && this.#sizeOfOld(options, before) >= Math.max(batch, LEAST_EARLY)) {
      if (await this.#swapInEarly(options, before)) return;
      // A window that shrank all at once is the trigger's to make room in; a change that is free now needs no model.
      if (!isCold && this.#isSudden(options)) return;
      if (!isCold) this.#drafts.begin(options);
      if (!isCold && this.#drafts.state() === 'running') return;
    }
    const plan = this.#planLedger(options, { minGain: isCold ? COLD_GAIN : batch, before });
    if (plan === undefined) return;
    await this.#writeLedger(options, plan, isCold ? 'the provider’s cache is cold anyway' : 'earlier turns');
  }

  #mayDraft(): boolean {
    const { strategy } = this.#parts.deps.settings;
    return strategyTraits[strategy].summarises && this.#drafts.mayRunBeside();
  }

  /** Tokens of earlier turns that a summary would speak for. */
  #sizeOfOld({ tools }: RequestOptions, before: number): number {
    const { projection, deps } = this.#parts;
    const conversation = projection.measure(tools).usedTokens - projection.fixedTokens(tools);
    const protectTokens = deps.settings.compact.retain * conversation;
    const sizeOf = projection.sizeOf.bind(projection);
    const view = projection.view();
    const stays = pinnedAtoms(view.atoms, view.pinned);
    const old = oldAtoms(view, { protectTokens, sizeOf, before });
    return old.reduce((sum, atom) => sum + (stays.has(atom) ? 0 : sizeOf(atom)), 0);
  }

  /** True when the last reply is so old that no provider has the request's prefix any more: a change costs nothing. */
  #isCacheCold(): boolean {
    const { log, deps } = this.#parts;
    const last = log.entries().findLast(({ type }) => type === 'assistant');
    return last !== undefined && (deps.clock ?? Date.now)() - Date.parse(last.timestamp) > CACHE_LIFE_MS;
  }

  /** Masks, then removes, then clips: when it cannot wait. */
  async #removeNow(options: RequestOptions): Promise<void> {
    const { removeAt, limit, trigger } = this.#budget();
    const reason = this.#removes() ? 'the window filled up' : NO_SUMMARY;
    await this.#maskAll(options, reason, Math.min(removeAt, trigger) - 1);
    // Where a summary is still to come, messages are removed for nothing less than a full window.
    const isSummarised = strategyTraits[this.#parts.deps.settings.strategy].summarises;
    if (this.#used(options) < (isSummarised ? removeAt : Math.min(removeAt, trigger))) return;
    await this.#remove(options, this.#removalTarget(), reason);
    // Nothing that is pinned was removed; a single result too large for the window is still there.
    if (this.#used(options) > limit) await this.#runner.runAuto(options, true);
  }

  /**
   * Shortens what a draft speaks for, so that it can still take its place, or earlier turns, where that reaches the
   * goal; otherwise the current turn with them. A request larger than `limit` could not be sent: then every token
   * counts.
   */
  async #maskAll(
    options: RequestOptions,
    reason: string,
    goal: number,
    limit: number = this.#budget().limit,
  ): Promise<void> {
    const { protect, batch } = this.#parts.projection.maskBudget(options.tools);
    const used = this.#used(options);
    // Where a strategy judges messages one by one, only results are shortened.
    if (this.#removes())
      return maskResults(this.#parts, { protectTokens: protect, minGain: batch, reason, preTokens: used });
    if (used <= goal) return;
    const minGain = used > limit ? 1 : LEAST_GAIN * this.#budget().window;
    const reach = this.#drafts.reach(options);
    const ends = [...(reach === undefined ? [] : [reach + 1]), this.#turnStart(), Number.POSITIVE_INFINITY];
    for (const before of ends) {
      const plan = this.#planLedger(options, { minGain, before });
      const isEnough = plan !== undefined && used - plan.gain <= goal;
      if (isEnough || (plan !== undefined && before === ends.at(-1)))
        return this.#writeLedger(options, plan, reason);
    }
  }

  #removes(): boolean {
    return isRemovalStrategy(this.#parts.deps.settings.strategy);
  }

  /** The notes for steps before the entry with the seq `before`, except the newest. */
  #planLedger(
    options: RequestOptions,
    { minGain, before }: { readonly minGain: number; readonly before: number },
  ): LedgerPlan | undefined {
    const { projection } = this.#parts;
    const sizeOf = projection.sizeOf.bind(projection);
    const view = projection.view();
    const protectTokens = projection.maskBudget(options.tools).protect;
    return planLedger({
      view,
      old: oldAtoms(view, { protectTokens, sizeOf, before }),
      minGain,
      sizeOf,
      sizeOfText: (text) => projection.sizeOfText(text),
    });
  }

  #turnStart(): number {
    return turnStart(this.#parts.log.live().entries);
  }

  async #writeLedger(options: RequestOptions, plan: LedgerPlan, reason: string): Promise<void> {
    const preTokens = this.#used(options);
    const postTokens = Math.ceil(preTokens - plan.gain);
    await this.#parts.append([ledgerDraft(plan, { reason, preTokens, postTokens })]);
  }

  #removalTarget(): number {
    const { window, trigger } = this.#budget();
    const { targetShare } = this.#policy();
    return Math.floor(Math.min(targetShare * window, REMOVAL_TARGET * trigger));
  }

  /** Ends and minimum stay, unless the request would be larger than `limit`: then it could not be sent. */
  async #remove(
    options: RequestOptions,
    targetTokens: number,
    reason: string,
    limit: number = this.#budget().limit,
  ): Promise<void> {
    const { projection, log, append } = this.#parts;
    const used = this.#used(options);
    const excess = { tokens: used + NOTE_TOKENS - targetTokens, overLimit: used + NOTE_TOKENS - limit };
    const plan = planAtomRemoval(projection.view(), excess, this.#policy(), {
      sizeOf: (atom) => projection.sizeOf(atom),
    });
    if (plan === undefined) return;
    const facts = { preTokens: used, postTokens: Math.ceil(used - plan.freedTokens) };
    await append([removalDraft({ ...plan, reason: `${reason}; ${plan.reason}` }, log.live(), facts)]);
  }

  #policy(): ReturnType<typeof removalPolicyFor> {
    const { deps } = this.#parts;
    const { id, provider } = deps.model();
    return removalPolicyFor(deps.settings, id, provider === undefined ? {} : { provider });
  }

  #budget(): ReturnType<SessionParts['projection']['budget']> {
    return this.#parts.projection.budget();
  }

  #used(options: RequestOptions): number {
    return this.#parts.projection.measure(options.tools).usedTokens;
  }
}

const NO_SUMMARY = 'no summary could make room in time';
