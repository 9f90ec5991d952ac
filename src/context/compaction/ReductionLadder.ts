/**
 * What makes room, and when: the one place that decides it. Below the trigger nothing is reduced by default. At the
 * trigger a summary replaces the older part: a draft that was written in the background, so that the user does not wait.
 * Where no summary can be had, steps are shortened to lines, and from 90 % of the window on messages are removed. On
 * an endpoint that serves one request at a time the user sees the summary run, and Esc takes masking instead.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import { strategyTraits } from '../../protocol/contextSettings.ts';
import type { ModelError } from '../../protocol/model.ts';
import { budgetWarnings, marksOf, nextStep, type Outlook, triggerNote } from '../contextReport.ts';
import { restsUntilPrompt, turnStart } from '../history/epoch.ts';
import { reductionOf } from '../history/reductions.ts';
import type { SummaryDraft } from '../memory/ThreadSummary.ts';
import type { Session } from '../session.ts';
import { applyWindow } from '../strategies/applyWindow.ts';
import { type CheckResult, checkAndCompress } from '../strategies/checkAndCompress.ts';
import { planAtomRemoval, removalDraft } from '../strategies/removeAtoms.ts';
import { isRemovalStrategy, removalPolicyFor } from '../strategies/strategyForModel.ts';
import type { RequestOptions } from '../types.ts';
import { type CompactionRunner, PAUSE } from './CompactionRunner.ts';
import type { DraftKeeper } from './DraftKeeper.ts';
import { learnWindow } from './learnWindow.ts';
import { type LedgerPlan, ledgerDraft, oldAtoms, planLedger } from './ledger.ts';
import { maskResults } from './masking.ts';
import { pinnedAtoms } from './plan.ts';

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
  readonly #session: Session;
  readonly #runner: CompactionRunner;
  readonly #drafts: DraftKeeper;
  /** Stops a summary that the user waits for. */
  #waiting: AbortController | undefined;
  /** A draft that freed too little in the place of the turns before a seq: at the trigger it may free enough. */
  #unfit: { readonly draft: SummaryDraft; readonly before: number } | undefined;

  constructor(session: Session, runner: CompactionRunner, drafts: DraftKeeper) {
    this.#session = session;
    this.#runner = runner;
    this.#drafts = drafts;
  }

  /**
   * Before a request: makes as much room as the settings ask for. `measure`: of the request as it is; returns the one of
   * the request as it is then, the same if nothing was reduced. An aborted signal leaves things as they are.
   */
  async makeRoom(options: RequestOptions, measure: ContextMeasure): Promise<ContextMeasure> {
    const { strategy, compact } = this.#session.deps.settings;
    const { log, projection } = this.#session;
    let now = (await this.#runner.settled()) ? this.#measure(options) : measure;
    // Limits that the user chose hold, whether anything is compacted automatically or not.
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
      isCompacted: strategyTraits[settings.strategy].summarises,
      ...(lastStatisticsAt === undefined ? {} : { lastStatisticsAt }),
    });
  }

  /** The numbers of tokens at which something is decided. */
  figures(options: Pick<RequestOptions, 'tools'>): readonly number[] {
    const { draftAt, trigger, removeAt, limit } = this.#budget();
    const { projection, deps } = this.#session;
    const maskAt = strategyTraits[deps.settings.strategy].masks
      ? [projection.maskBudget(options.tools).at]
      : [];
    return [...maskAt, draftAt, trigger, removeAt, limit];
  }

  /** What the ladder would do next, and at how many tokens. */
  outlook({ tools }: Pick<RequestOptions, 'tools'>): Outlook {
    const { projection } = this.#session;
    const measure = projection.measure(tools);
    const { at: maskAt, batch: maskBatch } = projection.maskBudget(tools);
    const budget = { ...this.#budget(), maskAt, maskBatch };
    const note = triggerNote(budget, this.#session.deps.settings);
    return {
      ...(note === undefined ? {} : { triggerNote: note }),
      measure,
      next: nextStep(this.#session.deps.settings, budget, measure.usedTokens),
      marks: marksOf(this.#session.deps.settings, budget),
      draft: this.#drafts.state(),
      breakerIsOpen: this.#drafts.isBroken(),
      warnings: budgetWarnings(measure, this.#session.deps.settings),
    };
  }

  /** Takes masking instead of the summary that the user waits for; false when the user waits for none. */
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
    const { deps } = this.#session;
    await this.#runner.settled();
    await learnWindow(this.#session, error, options.tools);
    if (deps.settings.strategy === 'off') return false;
    const reason = 'the server found the request too long';
    let now = this.#measure(options);
    const goal = Math.floor(Math.min(now.usedTokens * SHRINK, this.#budget().limit));
    now = await this.#maskAll(options, now, { reason, goal, limit: goal });
    if (now.usedTokens > goal) now = await this.#remove(options, now, { reason, goal, limit: goal });
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
    if (!strategyTraits[strategy].summarises) return this.#removeNow(options, now);
    if (summary === 'simple') return this.#compact(options, now);
    const swapped = await this.#swapIn(options, now);
    if (swapped !== undefined) return swapped;
    if (this.#drafts.isBroken())
      return this.#maskAll(options, now, { reason: NO_SUMMARY, goal: this.#budget().trigger - 1 });
    if (!this.#drafts.mayRunBeside() || this.#isSudden(now)) return this.#waitForSummary(options, now);
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

  /** True for a request that outgrew its window all at once (a smaller model, an older session): no draft had a chance. */
  #isSudden({ usedTokens }: ContextMeasure): boolean {
    return usedTokens >= this.#budget().removeAt && !this.#drafts.wasTried();
  }

  /** Puts the draft in the place of what it speaks for, if it still stands; undefined if nothing changed. */
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
    // It leaves too much standing: a later one will do better.
    if (report.outcome === 'refused')
      this.#session.thread.drop(draft.epoch, preTokens + PAUSE * this.#budget().window);
    return undefined;
  }

  /** The draft replaces the turns before the entry with the seq `before`, and nothing later. */
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

  /** True when steps had to be shortened because the draft was not there yet: a summary with the files does better. */
  #isLate(options: RequestOptions, now: ContextMeasure): boolean {
    const { log, deps } = this.#session;
    if (strategyTraits[deps.settings.strategy].masks || this.#drafts.state() !== 'ready') return false;
    const draft = this.#drafts.current(options, now);
    const last = log.live().entries.findLast(({ subtype }) => subtype === 'reduction');
    const kind = last === undefined ? undefined : reductionOf(last)?.kind;
    return draft !== undefined && kind === 'mask' && (last?.seq ?? 0) > draft.lastMessageSeq;
  }

  /** A draft that is about to be ready is worth a moment, which is too short to be noticed. */
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
   * Economy: earlier turns make room long before the window is full, many steps at a time, for a summary that was
   * written in the background, or for a line each if there can be none. The current turn stays.
   */
  async #economise(options: RequestOptions, now: ContextMeasure): Promise<ContextMeasure> {
    const { at, batch } = this.#session.projection.maskBudget(options.tools);
    const isCold = this.#isCacheCold();
    const isFull = now.usedTokens >= at;
    if (!isFull && !isCold) return now;
    const before = this.#turnStart();
    if (isFull && this.#mayDraft() && this.#sizeOfOld(options, now, before) >= Math.max(batch, LEAST_EARLY)) {
      const swapped = await this.#swapInEarly(options, now, before);
      if (swapped !== undefined) return swapped;
      // A window that shrank all at once is the trigger's to make room in; a change that is free now needs no model.
      if (!isCold && this.#isSudden(now)) return now;
      if (!isCold) this.#drafts.begin(options, now);
      if (!isCold && this.#drafts.state() === 'running') return now;
    }
    const plan = this.#planLedger(options, { minGain: isCold ? COLD_GAIN : batch, before });
    if (plan === undefined) return now;
    return this.#writeLedger(
      options,
      now,
      plan,
      isCold ? 'the provider’s cache is cold anyway' : 'earlier turns',
    );
  }

  #mayDraft(): boolean {
    const { strategy } = this.#session.deps.settings;
    return strategyTraits[strategy].summarises && this.#drafts.mayRunBeside();
  }

  /** Tokens of earlier turns that a summary would speak for. */
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

  /** True when the last reply is so old that no provider has the request's prefix any more: a change costs nothing. */
  #isCacheCold(): boolean {
    const { log, deps } = this.#session;
    const last = log.entries().findLast(({ type }) => type === 'assistant');
    return last !== undefined && (deps.clock ?? Date.now)() - Date.parse(last.timestamp) > CACHE_LIFE_MS;
  }

  /** Masks, then removes, then clips: when it cannot wait. */
  async #removeNow(options: RequestOptions, measure: ContextMeasure): Promise<ContextMeasure> {
    const { removeAt, limit, trigger } = this.#budget();
    const reason = this.#removes() ? 'the window filled up' : NO_SUMMARY;
    let now = await this.#maskAll(options, measure, { reason, goal: Math.min(removeAt, trigger) - 1 });
    // As long as a summary is still to come, messages are removed for nothing less than a full window.
    const isSummarised = strategyTraits[this.#session.deps.settings.strategy].summarises;
    if (now.usedTokens < (isSummarised ? removeAt : Math.min(removeAt, trigger))) return now;
    now = await this.#remove(options, now, { reason, goal: this.#removalTarget() });
    // Nothing that is pinned was removed; a single result too large for the window is still there.
    return now.usedTokens > limit ? this.#compact(options, now, true) : now;
  }

  /**
   * Shortens what a draft speaks for, so that the draft can still replace it, or earlier turns, if that reaches the
   * goal; otherwise the current turn with them. A request larger than `limit` could not be sent: then every token
   * counts.
   */
  async #maskAll(
    options: RequestOptions,
    now: ContextMeasure,
    { reason, goal, limit = this.#budget().limit }: Goal,
  ): Promise<ContextMeasure> {
    const { protect, batch } = this.#session.projection.maskBudget(options.tools);
    const used = now.usedTokens;
    // If a strategy judges messages one by one, only results are shortened.
    if (this.#removes()) {
      const masking = { protectTokens: protect, minGain: batch, reason, preTokens: used };
      return (await maskResults(this.#session, masking)) ? this.#measure(options) : now;
    }
    if (used <= goal) return now;
    const minGain = used > limit ? 1 : LEAST_GAIN * this.#budget().window;
    const reach = this.#drafts.reach(options, now);
    const ends = [...(reach === undefined ? [] : [reach + 1]), this.#turnStart(), Number.POSITIVE_INFINITY];
    for (const before of ends) {
      const plan = this.#planLedger(options, { minGain, before });
      const isEnough = plan !== undefined && used - plan.gain <= goal;
      if (isEnough || (plan !== undefined && before === ends.at(-1)))
        return this.#writeLedger(options, now, plan, reason);
    }
    return now;
  }

  #removes(): boolean {
    return isRemovalStrategy(this.#session.deps.settings.strategy);
  }

  /** The notes for steps before the entry with the seq `before`, except the newest. */
  #planLedger(
    options: RequestOptions,
    { minGain, before }: { readonly minGain: number; readonly before: number },
  ): LedgerPlan | undefined {
    const { projection } = this.#session;
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
    return turnStart(this.#session.log.live().entries);
  }

  async #writeLedger(
    options: RequestOptions,
    { usedTokens: preTokens }: ContextMeasure,
    plan: LedgerPlan,
    reason: string,
  ): Promise<ContextMeasure> {
    const postTokens = Math.ceil(preTokens - plan.gain);
    await this.#session.append([ledgerDraft(plan, { reason, preTokens, postTokens })]);
    return this.#measure(options);
  }

  #removalTarget(): number {
    const { window, trigger } = this.#budget();
    const { targetShare } = this.#policy();
    return Math.floor(Math.min(targetShare * window, REMOVAL_TARGET * trigger));
  }

  /** Ends and minimum stay, unless the request would be larger than `limit`: then it could not be sent. */
  async #remove(
    options: RequestOptions,
    now: ContextMeasure,
    { reason, goal, limit = this.#budget().limit }: Goal,
  ): Promise<ContextMeasure> {
    const { projection, log, append } = this.#session;
    const used = now.usedTokens;
    const excess = { tokens: used + NOTE_TOKENS - goal, overLimit: used + NOTE_TOKENS - limit };
    const plan = planAtomRemoval(projection.view(), excess, this.#policy(), {
      sizeOf: (atom) => projection.sizeOf(atom),
    });
    if (plan === undefined) return now;
    const facts = { preTokens: used, postTokens: Math.ceil(used - plan.freedTokens) };
    await append([removalDraft({ ...plan, reason: `${reason}; ${plan.reason}` }, log.live(), facts)]);
    return this.#measure(options);
  }

  #policy(): ReturnType<typeof removalPolicyFor> {
    const { deps } = this.#session;
    const { id, provider } = deps.model();
    return removalPolicyFor(deps.settings, id, provider === undefined ? {} : { provider });
  }

  #budget(): ReturnType<Session['projection']['budget']> {
    return this.#session.projection.budget();
  }

  #measure({ tools }: RequestOptions): ContextMeasure {
    return this.#session.projection.measure(tools);
  }
}

/** What a reduction is to reach, in tokens of the request. */
interface Goal {
  readonly reason: string;
  readonly goal: number;
  /** Largest request that could be sent; by default the model's. */
  readonly limit?: number;
}

const NO_SUMMARY = 'no summary could make room in time';
