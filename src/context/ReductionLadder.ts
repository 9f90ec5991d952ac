/**
 * What makes room, and when: the one place that decides it. Before each request: masks, then a summary that
 * was written beside the work, then removal; after a server's refusal whatever still gives. Nobody waits for
 * a summary but where the endpoint can serve one request at a time, and then Esc takes removal instead.
 */
import type { ModelError } from '../protocol/model.ts';
import { type CompactionRunner, failureDraft, PAUSE } from './CompactionRunner.ts';
import { isCacheCold } from './compaction/coldCache.ts';
import { learnWindow } from './compaction/learnWindow.ts';
import { type LedgerPlan, ledgerDraft, planLedger, residueOf } from './compaction/ledger.ts';
import { maskResults } from './compaction/maskResults.ts';
import { epochOf, failuresInARow, restsUntilPrompt } from './history/epoch.ts';
import { isStale } from './memory/draftCoverage.ts';
import type { DraftOutcome } from './memory/ThreadSummary.ts';
import { budgetWarnings, marksOf, nextStep, type Outlook } from './outlook.ts';
import type { SessionParts } from './sessionParts.ts';
import { applyWindow } from './strategies/applyWindow.ts';
import { removalPolicyFor } from './strategies/removalPolicy.ts';
import { planAtomRemoval, removalDraft } from './strategies/removeAtoms.ts';
import { DRAFT_AT, type MaskBudget, maskBudget } from './tokens/budgets.ts';
import type { RequestOptions } from './types.ts';

/** What one try after an overflow has to give at least. */
const SHRINK = 0.9;
/** Tokens that masking has to free where the cache is cold anyway. */
const COLD_GAIN = 2000;

export class ReductionLadder {
  readonly #parts: SessionParts;
  readonly #runner: CompactionRunner;
  /** Stops a summary that the user waits for. */
  #waiting: AbortController | undefined;

  constructor(parts: SessionParts, runner: CompactionRunner) {
    this.#parts = parts;
    this.#runner = runner;
  }

  /** Before a request: makes as much room as the settings ask for. An aborted signal leaves things as they are. */
  async makeRoom(options: RequestOptions): Promise<void> {
    await this.#runner.settled();
    const { settings } = this.#parts.deps;
    // Limits that the user chose hold, whether anything is compacted by itself or not.
    await applyWindow(this.#parts, this.#used(options));
    if (settings.strategy === 'off' || !settings.compact.auto) return;
    const { limit } = this.#budget();
    if (restsUntilPrompt(this.#entries()) && this.#used(options) <= limit) return;
    await this.#maskWhenDue(options);
    if (this.#used(options) >= this.#budget().trigger) await this.#atTrigger(options);
    if (options.signal.aborted || this.#used(options) < this.#budget().removeAt) return;
    if (settings.strategy !== 'mask-only' || this.#used(options) > limit) await this.#removeNow(options);
  }

  /** Between two steps: keeps a draft of the next summary ready, unless it would be in the way. */
  maintain(options: RequestOptions): void {
    const { strategy, compact, summary } = this.#parts.deps.settings;
    const isWanted = (strategy === 'auto' || strategy === 'summary') && compact.auto && summary === 'smart';
    if (!isWanted || !this.#mayRunBeside() || this.#isBroken()) return;
    if (restsUntilPrompt(this.#entries())) return;
    const used = this.#used(options);
    if (used < this.#budget().draftAt && !this.#residueIsNear(options)) return;
    const epoch = epochOf(this.#entries());
    if (this.#draftIsStale(options)) this.#parts.thread.drop(epoch);
    this.#parts.thread.updateIfNeeded(epoch, used, PAUSE * this.#budget().window, (signal) =>
      this.#writeDraft(epoch, { ...options, signal, emit: () => {} }),
    );
  }

  /** What was written early speaks for little by now: another draft takes its place. */
  #draftIsStale(options: RequestOptions): boolean {
    const { projection, thread, deps } = this.#parts;
    const draft = thread.get(epochOf(this.#entries()));
    if (draft === undefined || deps.settings.strategy !== 'auto') return false;
    const { protect } = this.#maskBudget(options);
    return isStale(draft, projection.view().atoms, protect, (atom) => projection.sizeOf(atom));
  }

  /** Soon only a summary can make the past shorter. */
  #residueIsNear(options: RequestOptions): boolean {
    const { projection, deps } = this.#parts;
    if (deps.settings.strategy !== 'auto') return false;
    const { protect, residue } = this.#maskBudget(options);
    return residueOf(projection.view(), protect, (atom) => projection.sizeOf(atom)) > DRAFT_AT * residue;
  }

  /** The tail that a summary leaves out, where old steps become lines: no more than they do. */
  #tail(options: RequestOptions): { readonly protectTokens?: number } {
    return this.#masks() ? { protectTokens: this.#maskBudget(options).protect } : {};
  }

  /** The numbers of tokens at which something is decided. */
  figures(options: Pick<RequestOptions, 'tools'>): readonly number[] {
    const { draftAt, trigger, removeAt, limit } = this.#budget();
    return [this.#maskBudget(options).at, draftAt, trigger, removeAt, limit];
  }

  /** What the ladder would do next, and at how many tokens. */
  outlook({ tools }: Pick<RequestOptions, 'tools'>): Outlook {
    const { projection, thread } = this.#parts;
    const measure = projection.measure(tools);
    const { at: maskAt, batch: maskBatch } = this.#maskBudget({ tools });
    const budget = { ...this.#budget(), maskAt, maskBatch };
    return {
      measure,
      next: nextStep(this.#parts.deps.settings, budget, measure.usedTokens),
      marks: marksOf(this.#parts.deps.settings, budget),
      draft: thread.state(epochOf(this.#entries())),
      breakerIsOpen: this.#isBroken(),
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
      await this.#remove(options, goal, 'the server found the request too long');
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
    if (this.#isBroken()) return;
    if (this.#mayRunBeside()) return this.maintain(options);
    await this.#waitForSummary(options);
  }

  /** The draft takes the place of what it speaks for, if it still stands. */
  async #swapIn(options: RequestOptions): Promise<boolean> {
    const { thread } = this.#parts;
    const draft = thread.get(epochOf(this.#entries()));
    if (draft === undefined) return false;
    const report = await this.#runner.run({ ...options, trigger: 'auto', draft, ...this.#tail(options) });
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

  async #writeDraft(epoch: string, options: RequestOptions): Promise<DraftOutcome> {
    const { append } = this.#parts;
    const attempt = await this.#runner.writeDraft(options, this.#tail(options).protectTokens);
    if (attempt.type !== 'draft' && attempt.type !== 'failed') return attempt;
    const cost = attempt.usage === undefined ? [] : [attempt.usage];
    const failed = attempt.type === 'failed' ? [failureDraft(attempt.message)] : [];
    // A session that was closed meanwhile needs neither.
    await append([...cost, ...failed]).catch(() => []);
    return attempt.type === 'draft'
      ? { type: 'draft', draft: { ...attempt.draft, epoch } }
      : { type: 'failed' };
  }

  /** Old steps become a ledger; where too much of the past is left after that, a summary takes its place. */
  async #maskWhenDue(options: RequestOptions): Promise<void> {
    const { deps, log } = this.#parts;
    if (!this.#masks()) return;
    const { at, batch, residue } = this.#maskBudget(options);
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
    if (summary === 'smart') return !this.#draftIsStale(options) && this.#swapIn(options);
    const report = await this.#runner.run({ ...options, trigger: 'auto', ...this.#tail(options) });
    return report.outcome === 'done';
  }

  /** Whatever can be shortened; where a strategy judges messages one by one, only results, and enough of them. */
  async #maskAll(options: RequestOptions, reason: string, minGain = 1): Promise<void> {
    if (this.#removes()) {
      const protectTokens = this.#maskBudget(options).protect;
      const preTokens = this.#used(options);
      return maskResults(this.#parts, { protectTokens, minGain, reason, preTokens });
    }
    const plan = this.#ledgerPlan(options, 1);
    if (plan !== undefined) await this.#writeLedger(options, plan, reason);
  }

  #removes(): boolean {
    return removalStrategies.has(this.#parts.deps.settings.strategy);
  }

  #ledgerPlan(options: RequestOptions, minGain: number): LedgerPlan | undefined {
    const { projection } = this.#parts;
    return planLedger({
      view: projection.view(),
      protectTokens: this.#maskBudget(options).protect,
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

  #maskBudget(options: Pick<RequestOptions, 'tools'>): MaskBudget {
    const { projection, deps } = this.#parts;
    return maskBudget(this.#budget().window, projection.fixedTokens(options.tools), deps.settings);
  }

  #masks(): boolean {
    const { strategy } = this.#parts.deps.settings;
    return strategy === 'auto' || strategy === 'mask-only';
  }

  /** Masks, then removes, then clips: when it cannot wait. */
  async #removeNow(options: RequestOptions): Promise<void> {
    const { removeAt, limit, trigger } = this.#budget();
    const reason = this.#removes() ? 'the window filled up' : 'no summary could be had in time';
    await this.#maskAll(options, reason, this.#maskBudget(options).batch);
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

  async #remove(options: RequestOptions, targetTokens: number, reason: string): Promise<void> {
    const { projection, log, append } = this.#parts;
    const used = this.#used(options);
    const plan = planAtomRemoval(projection.view(), used - targetTokens, this.#policy(), {
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

  #mayRunBeside(): boolean {
    const { threadSummary } = this.#parts.deps.settings;
    return (
      threadSummary === 'on' || (threadSummary === 'auto' && this.#parts.deps.model().hasOneSlot !== true)
    );
  }

  #isBroken(): boolean {
    return failuresInARow(this.#entries()) >= this.#parts.deps.settings.compact.maxFailures;
  }

  #entries(): ReturnType<SessionParts['log']['entries']> {
    return this.#parts.log.entries();
  }

  #budget(): ReturnType<SessionParts['projection']['budget']> {
    return this.#parts.projection.budget();
  }

  #used(options: RequestOptions): number {
    return this.#parts.projection.measure(options.tools).usedTokens;
  }
}

/** Where the user chose removal. */
const removalStrategies: ReadonlySet<string> = new Set(['middle-removal', 'oldest-removal', 'hybrid']);
/** Share of the trigger that removal brings a request below, so that it does not begin again with the next result. */
const REMOVAL_TARGET = 0.8;
