/** Sizes and budgets of one compaction, in tokens calibrated for the model. */

import type { Atom } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import { RequestSizer } from '../RequestSizer.ts';
import { renderAtom } from '../standardMessages.ts';
import { type CompactionBudget, compactionBudget } from '../tokens/budgets.ts';
import { outputOf } from './clips.ts';
import type { CompactionDeps, CompactionJob } from './job.ts';
import { type CompactionPlan, planCompaction } from './plan.ts';

/** Share of the window that has to be free below the trigger for it to be worth aiming at. */
const MIN_ROOM = 0.05;
/** The wrapper, the heading and the note around a summary. */
const WRAPPER_TOKENS = 80;

export class Sizing {
  readonly #deps: CompactionDeps;
  readonly #job: CompactionJob;

  constructor(deps: CompactionDeps, job: CompactionJob) {
    this.#deps = deps;
    this.#job = job;
  }

  /** Tokens of a whole request. */
  ofView(view: View, policy = this.#job.policy): number {
    const { total, features } = new RequestSizer(this.#deps.counter).of(view, this.#job.tools, policy);
    // As the projection will measure it: a summary is another mixture of scripts than what it stands for.
    return Math.ceil(total * this.#deps.counter.ratio(this.#job.model.id, features));
  }

  ofAtom(atom: Atom): number {
    const messages = renderAtom(atom, this.#job.view, this.#job.policy);
    return messages.reduce((sum, one) => sum + this.#deps.counter.countMessage(one), 0) * this.ratio();
  }

  ofText(text: string): number {
    return this.#deps.counter.count(text).tokens * this.ratio();
  }

  ratio(): number {
    return this.#deps.counter.ratio(this.#job.model.id);
  }

  /** What the request may have at most afterwards. */
  bound(): number {
    return this.#job.mustReach ?? this.#job.window.trigger - 1;
  }

  /** What would be left with an empty summary: known before anybody is asked for one. */
  leastAfter({ kept, clips }: CompactionPlan): number {
    if (clips.length > 0) return 0;
    return this.ofView({ ...this.#job.view, summary: undefined, atoms: kept });
  }

  /** `retain`: share of the conversation that stays verbatim. */
  budget(retain: number): CompactionBudget {
    const { window, mustReach, view } = this.#job;
    const fixed = this.#fixed();
    const goal = mustReach ?? window.trigger;
    // Where what cannot shrink leaves no room below the trigger, what has to be reached is the goal.
    const isFull = window.trigger - fixed < MIN_ROOM * window.window;
    const trigger = isFull ? goal : Math.min(window.trigger, goal);
    const conversation = view.atoms.reduce((sum, atom) => sum + this.ofAtom(atom), 0);
    const parts = { fixed, retain: retain * conversation };
    const budget = compactionBudget({ window: window.window, trigger }, this.#deps.settings, parts);
    return {
      ...budget,
      summary: Math.max(1, Math.min(budget.summary, this.#deps.summaryCap(window.window))),
    };
  }

  /** `covered`: how many atoms a summary that is written already speaks for. */
  plan(budget: CompactionBudget, snippetTokens: number, covered?: number): CompactionPlan | undefined {
    const { view, trigger, mustReach, keepFrom } = this.#job;
    return planCompaction({
      view,
      budget,
      fixed: this.#fixed() + WRAPPER_TOKENS,
      snippetTokens,
      isAsked: trigger === 'manual',
      mayDropNewest: mustReach !== undefined || view.atoms.at(-1)?.calls.length === 0,
      minRounds: this.#deps.minRetainRounds,
      covered,
      keepFrom,
      sizeOf: (atom) => this.ofAtom(atom),
      sizeOfResult: (result) => this.ofText(view.replacements.get(result.uuid) ?? outputOf(result)),
      sizeOfText: (text) => this.ofText(text),
    });
  }

  #fixed(): number {
    const { view, tools, policy } = this.#job;
    const { fixed } = new RequestSizer(this.#deps.counter).of(view, tools, policy);
    return Math.ceil(fixed * this.ratio());
  }
}
