/** Sizes of one compaction: tokens calibrated for the model, budgets, and how far it has to go. */
import { renderAtom } from '../ContextBuilder.ts';
import type { Atom } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import { RequestSizer } from '../RequestSizer.ts';
import { type CompactionBudget, compactionBudget } from '../tokens/budgets.ts';
import { type Choice, chooseCompaction } from './choose.ts';
import { outputOf } from './clips.ts';
import type { CompactionDeps, CompactionJob } from './job.ts';
import type { Snippets } from './snippets.ts';

/** Share of the window that has to be free below the trigger for it to be worth aiming at. */
const MIN_ROOM = 0.05;
/** The wrapper, the heading and the note around a summary. */
const WRAPPER_TOKENS = 80;
/** A user who compacts less than this by hand gains nothing and pays for a summary. */
const MIN_MANUAL = 200;

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
    const messages = renderAtom(atom, this.#job.view.replacements, this.#job.policy);
    return messages.reduce((sum, one) => sum + this.#deps.counter.countMessage(one), 0) * this.ratio();
  }

  ofResult(atom: Atom, index: number): number {
    const message = renderAtom(atom, this.#job.view.replacements, this.#job.policy)[index + 1];
    return message === undefined ? 0 : this.#deps.counter.countMessage(message) * this.ratio();
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
  leastAfter({ plan, clips }: Choice): number {
    if (clips.length > 0) return 0;
    return this.ofView({ ...this.#job.view, summary: undefined, atoms: plan.kept });
  }

  budget(retain: number): CompactionBudget {
    const { window, mustReach } = this.#job;
    const fixed = this.#fixed();
    const goal = mustReach ?? window.trigger;
    // Where what cannot shrink leaves no room below the trigger, what has to be reached is the goal.
    const isFull = window.trigger - fixed < MIN_ROOM * window.window;
    const trigger = isFull ? goal : Math.min(window.trigger, goal);
    const budget = compactionBudget({ window: window.window, trigger }, this.#deps.settings, fixed, retain);
    return {
      ...budget,
      summary: Math.max(1, Math.min(budget.summary, this.#deps.summaryCap(window.window))),
    };
  }

  /** `cut`: where a summary that is written already ends. */
  choose(budget: CompactionBudget, snippets: Pick<Snippets, 'tokens'>, cut?: number): Choice | undefined {
    const { view, trigger, mustReach } = this.#job;
    return chooseCompaction({
      view,
      budget,
      fixed: this.#fixed() + WRAPPER_TOKENS,
      snippetTokens: snippets.tokens,
      minDropped: trigger === 'manual' ? MIN_MANUAL : 0,
      mayDropNewest: mustReach !== undefined || view.atoms.at(-1)?.calls.length === 0,
      minRounds: this.#deps.minRetainRounds,
      cut,
      sizeOf: (atom) => this.ofAtom(atom),
      sizeOfResult: (result) => this.ofText(view.replacements.get(result.uuid) ?? outputOf(result)),
    });
  }

  #fixed(): number {
    const { view, tools, policy } = this.#job;
    return this.#calibrated(new RequestSizer(this.#deps.counter).of(view, tools, policy).fixed);
  }

  #calibrated(tokens: number): number {
    return Math.ceil(tokens * this.ratio());
  }
}
