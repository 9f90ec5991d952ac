/**
 * Makes room without a model: shortens steps to one line each or single results to a stub, and removes messages. Each
 * reduction is an entry of the log and can be undone. ReductionLadder.ts decides when to do which.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import { turnStart } from '../history/liveEntries.ts';
import type { Session } from '../session.ts';
import { planAtomRemoval, removalEntry } from '../strategies/removeAtoms.ts';
import { isRemovalStrategy, removalPolicyFor } from '../strategies/strategyForModel.ts';
import type { RequestOptions } from '../types.ts';
import type { DraftKeeper } from './DraftKeeper.ts';
import { type LedgerPlan, ledgerEntry, oldAtoms, planLedger } from './ledger.ts';
import { maskResults } from './masking.ts';

/** Minimum share of the window that shortening must free while the request can still be sent. */
const LEAST_GAIN = 0.01;
/** Removal goes down to this share of the trigger, so that the next result does not trigger another one. */
const REMOVAL_TARGET = 0.8;
/** Upper bound for the tokens of the note that replaces removed messages. */
const NOTE_TOKENS = 100;

/** Target size of the request in tokens, and the reason, which is recorded. */
interface PruneGoal {
  readonly reason: string;
  readonly goal: number;
  /** Largest request that can be sent; by default the model's limit. */
  readonly limit?: number;
}

export class ContextPruner {
  readonly #session: Session;
  readonly #drafts: DraftKeeper;

  constructor(session: Session, drafts: DraftKeeper) {
    this.#session = session;
    this.#drafts = drafts;
  }

  /**
   * Shortens the steps that a draft covers, so that the draft can still replace them, or earlier turns, if that reaches
   * the goal; otherwise also the current turn. If the request exceeds `limit`, it shortens even for a small gain.
   */
  async shorten(
    options: RequestOptions,
    now: ContextMeasure,
    { reason, goal, limit = this.#budget().limit }: PruneGoal,
  ): Promise<ContextMeasure> {
    const { protect, batch } = this.#session.projection.maskBudget(options.tools);
    const used = now.usedTokens;
    // Strategies that remove single messages only mask results.
    if (this.removesMessages()) {
      const masking = { protectTokens: protect, minGain: batch, reason, preTokens: used };
      return (await maskResults(this.#session, masking)) ? this.#measure(options) : now;
    }
    if (used <= goal) return now;
    const minGain = used > limit ? 1 : LEAST_GAIN * this.#budget().window;
    const reach = this.#drafts.reach(options, now);
    const ends = [
      ...(reach === undefined ? [] : [reach + 1]),
      turnStart(this.#session.log.live().entries),
      Number.POSITIVE_INFINITY,
    ];
    for (const before of ends) {
      const plan = this.#planLedger(options, { minGain, before });
      const isEnough = plan !== undefined && used - plan.gain <= goal;
      if (isEnough || (plan !== undefined && before === ends.at(-1)))
        return this.#writeLedger(options, now, plan, reason);
    }
    return now;
  }

  /**
   * Shortens the steps before the entry with seq `before`, except the newest. Returns the same measure if that would
   * free less than `minGain` tokens.
   */
  async shortenBefore(
    options: RequestOptions,
    now: ContextMeasure,
    {
      minGain,
      before,
      reason,
    }: { readonly minGain: number; readonly before: number; readonly reason: string },
  ): Promise<ContextMeasure> {
    const plan = this.#planLedger(options, { minGain, before });
    return plan === undefined ? now : this.#writeLedger(options, now, plan, reason);
  }

  /** Removes messages. Both ends and a minimum stay, unless the request would then exceed `limit`. */
  async remove(
    options: RequestOptions,
    now: ContextMeasure,
    { reason, goal, limit = this.#budget().limit }: PruneGoal,
  ): Promise<ContextMeasure> {
    const { projection, log, append } = this.#session;
    const used = now.usedTokens;
    const excess = { tokens: used + NOTE_TOKENS - goal, overLimit: used + NOTE_TOKENS - limit };
    const plan = planAtomRemoval(projection.view(), excess, this.#policy(), {
      sizeOf: (atom) => projection.sizeOf(atom),
    });
    if (plan === undefined) return now;
    const facts = { preTokens: used, postTokens: Math.ceil(used - plan.freedTokens) };
    await append([removalEntry({ ...plan, reason: `${reason}; ${plan.reason}` }, log.live(), facts)]);
    return this.#measure(options);
  }

  /** Target tokens of a removal when the window fills up. */
  removalTarget(): number {
    const { window, trigger } = this.#budget();
    const { targetShare } = this.#policy();
    return Math.floor(Math.min(targetShare * window, REMOVAL_TARGET * trigger));
  }

  /** True for strategies that remove single messages. */
  removesMessages(): boolean {
    return isRemovalStrategy(this.#session.deps.settings.strategy);
  }

  /** Plans notes for the steps before the entry with seq `before`, except the newest. */
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

  async #writeLedger(
    options: RequestOptions,
    { usedTokens: preTokens }: ContextMeasure,
    plan: LedgerPlan,
    reason: string,
  ): Promise<ContextMeasure> {
    const postTokens = Math.ceil(preTokens - plan.gain);
    await this.#session.append([ledgerEntry(plan, { reason, preTokens, postTokens })]);
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
