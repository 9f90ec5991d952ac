/**
 * What makes room, and when: the one place that decides it. Before each request: masks, then a summary that
 * was written beside the work, then removal; after a server's refusal whatever still gives. Nobody waits for
 * a summary but where the endpoint can serve one request at a time, and then Esc takes removal instead.
 */
import type { ModelError } from '../protocol/model.ts';
import { type CompactionRunner, PAUSE } from './CompactionRunner.ts';
import { isCacheCold } from './compaction/coldCache.ts';
import { learnWindow } from './compaction/learnWindow.ts';
import { type LedgerPlan, ledgerDraft, planLedger } from './compaction/ledger.ts';
import { maskResults } from './compaction/maskResults.ts';
import type { DraftKeeper } from './DraftKeeper.ts';
import { restsUntilPrompt } from './history/epoch.ts';
import { budgetWarnings, marksOf, nextStep, type Outlook } from './outlook.ts';
import type { SessionParts } from './sessionParts.ts';
import { applyWindow } from './strategies/applyWindow.ts';
import { isRemovalStrategy, removalPolicyFor } from './strategies/removalPolicy.ts';
import { planAtomRemoval, removalDraft } from './strategies/removeAtoms.ts';
import type { RequestOptions } from './types.ts';

/** What one try after an overflow has to give at least. */
const SHRINK = 0.9;
/** Tokens that masking has to free where the cache is cold anyway. */
const COLD_GAIN = 2000;

export class ReductionLadder {
  readonly #parts: SessionParts;
  readonly #runner: CompactionRunner;
  readonly #drafts: DraftKeeper;
  /** Stops a summary that the user waits for. */
  #waiting: AbortController | undefined;

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
    const { limit } = this.#budget();
    const { log } = this.#parts;
    if (restsUntilPrompt(log.entries(), log.live()) && this.#used(options) <= limit) return;
    await this.#maskWhenDue(options);
    if (this.#used(options) >= this.#budget().trigger) await this.#atTrigger(options);
    if (options.signal.aborted || this.#used(options) < this.#budget().removeAt) return;
    if (settings.strategy !== 'mask-only' || this.#used(options) > limit) await this.#removeNow(options);
  }

  /** The numbers of tokens at which something is decided. */
  figures(options: Pick<RequestOptions, 'tools'>): readonly number[] {
    const { draftAt, trigger, removeAt, limit } = this.#budget();
    return [this.#parts.projection.maskBudget(options.tools).at, draftAt, trigger, removeAt, limit];
  }

  /** What the ladder would do next, and at how many tokens. */
  outlook({ tools }: Pick<RequestOptions, 'tools'>): Outlook {
    const { projection } = this.#parts;
    const measure = projection.measure(tools);
    const { at: maskAt, batch: maskBatch } = projection.maskBudget(tools);
    const budget = { ...this.#budget(), maskAt, maskBatch };
    return {
      measure,
      next: nextStep(this.#parts.deps.settings, budget, measure.usedTokens),
      marks: marksOf(this.#parts.deps.settings, budget),
      draft: this.#drafts.state(),
      breakerIsOpen: this.#drafts.isBroken(),
      warnings: budgetWarnings(measure, this.#parts.deps.settings),
    };
  }

  /** Takes removal instead of the summary that the user waits for; false when nobody waits for one. */
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
    await this.#maskAll(options, 'the server found the request too long');
    if (this.#used(options) > goal)
      await this.#remove(options, goal, 'the server found the request too long', goal);
    if (this.#used(options) > goal)
      await this.#runner.run({ ...options, trigger: 'auto', mustReach: goal, withoutModel: true });
    return this.#used(options) <= goal;
  }

  async #atTrigger(options: RequestOptions): Promise<void> {
    const { strategy, summary } = this.#parts.deps.settings;
    if (strategy === 'mask-only') return;
    if (strategy !== 'auto' && strategy !== 'summary') return this.#removeNow(options);
    if (summary === 'simple') return void (await this.#runner.runAuto(options));
    if (await this.#swapIn(options)) return;
    if (this.#drafts.isBroken()) return;
    if (this.#drafts.mayRunBeside()) return this.#drafts.maintain(options);
    await this.#waitForSummary(options);
  }

  /** The draft takes the place of what it speaks for, if it still stands. */
  async #swapIn(options: RequestOptions): Promise<boolean> {
    const { thread } = this.#parts;
    const draft = this.#drafts.current();
    if (draft === undefined) return false;
    const report = await this.#runner.run({
      ...options,
      trigger: 'auto',
      draft,
      ...this.#drafts.tail(options),
    });
    if (report.outcome === 'done') return true;
    // It leaves too much standing: a later one will do better.
    if (report.outcome === 'refused')
      thread.drop(draft.epoch, this.#used(options) + PAUSE * this.#budget().window);
    return false;
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

  /** Old steps become a ledger; where too much of the past is left after that, a summary takes its place. */
  async #maskWhenDue(options: RequestOptions): Promise<void> {
    const { deps, log } = this.#parts;
    if (!this.#masks()) return;
    const { at, batch, residue } = this.#parts.projection.maskBudget(options.tools);
    const isCold = isCacheCold(log.entries(), (deps.clock ?? Date.now)());
    if (this.#used(options) < at && !isCold) return;
    const plan = this.#ledgerPlan(options, isCold ? COLD_GAIN : batch);
    if (plan === undefined) return;
    if (plan.residue > residue && (await this.#summariseEarly(options))) return;
    await this.#writeLedger(options, plan, isCold ? 'the provider’s cache is cold anyway' : 'old steps');
  }

  /** The lines alone would be too many: a summary that is there, or that costs nothing, does better. */
  async #summariseEarly(options: RequestOptions): Promise<boolean> {
    const { strategy, summary } = this.#parts.deps.settings;
    if (strategy !== 'auto') return false;
    if (summary === 'smart') return !this.#drafts.isStale(options) && this.#swapIn(options);
    const report = await this.#runner.run({ ...options, trigger: 'auto', ...this.#drafts.tail(options) });
    return report.outcome === 'done';
  }

  /** Whatever can be shortened; where a strategy judges messages one by one, only results, and enough of them. */
  async #maskAll(options: RequestOptions, reason: string, minGain = 1): Promise<void> {
    if (this.#removes()) {
      const protectTokens = this.#parts.projection.maskBudget(options.tools).protect;
      const preTokens = this.#used(options);
      return maskResults(this.#parts, { protectTokens, minGain, reason, preTokens });
    }
    const plan = this.#ledgerPlan(options, 1);
    if (plan !== undefined) await this.#writeLedger(options, plan, reason);
  }

  #removes(): boolean {
    return isRemovalStrategy(this.#parts.deps.settings.strategy);
  }

  #ledgerPlan(options: RequestOptions, minGain: number): LedgerPlan | undefined {
    const { projection } = this.#parts;
    return planLedger({
      view: projection.view(),
      protectTokens: this.#parts.projection.maskBudget(options.tools).protect,
      minGain,
      sizeOf: (atom) => projection.sizeOf(atom),
      sizeOfText: (text) => projection.sizeOfText(text),
    });
  }

  async #writeLedger(options: RequestOptions, plan: LedgerPlan, reason: string): Promise<void> {
    const preTokens = this.#used(options);
    const postTokens = Math.ceil(preTokens - plan.gain);
    await this.#parts.append([ledgerDraft(plan, { reason, preTokens, postTokens })]);
  }

  #masks(): boolean {
    const { strategy } = this.#parts.deps.settings;
    return strategy === 'auto' || strategy === 'mask-only';
  }

  /** Masks, then removes, then clips: when it cannot wait. */
  async #removeNow(options: RequestOptions): Promise<void> {
    const { removeAt, limit, trigger } = this.#budget();
    const reason = this.#removes() ? 'the window filled up' : 'no summary could be had in time';
    await this.#maskAll(options, reason, this.#parts.projection.maskBudget(options.tools).batch);
    if (this.#used(options) < Math.min(removeAt, trigger)) return;
    await this.#remove(options, this.#removalTarget(), reason);
    // Nothing that is pinned was removed; a single result too large for the window is still there.
    if (this.#used(options) > limit) await this.#runner.runAuto(options, true);
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
    const excess = { tokens: used - targetTokens, overLimit: used - limit };
    const plan = planAtomRemoval(projection.view(), excess, this.#policy(), {
      sizeOf: (atom) => projection.sizeOf(atom),
    });
    if (plan === undefined) return;
    const facts = { preTokens: used, postTokens: Math.ceil(used - plan.freedTokens) };
    await append([removalDraft({ ...plan, reason: `${reason}; ${plan.reason}` }, log.entries(), facts)]);
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

/** Share of the trigger that removal brings a request below, so that it does not begin again with the next result. */
const REMOVAL_TARGET = 0.8;
