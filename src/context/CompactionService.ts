/**
 * Compaction: a summary and file snippets take the place of the older atoms, the newest stay verbatim. Decides
 * and writes nothing itself: it returns the drafts, or says why there are none. Whatever the summary model
 * does, the outcome is a session that goes on.
 */
import type { EntryDraft } from '../protocol/entries.ts';
import { renderAtom } from './ContextBuilder.ts';
import { usageEntry, viewAfter } from './compaction/after.ts';
import { type Choice, chooseCompaction } from './compaction/choose.ts';
import { clipResults, outputOf } from './compaction/clips.ts';
import { recordedFacts } from './compaction/facts.ts';
import { createFallbackSummary, fallbackText } from './compaction/fallback.ts';
import type { CompactionDeps, CompactionJob, CompactionOutcome } from './compaction/job.ts';
import { requestSummary, type SummaryOutcome } from './compaction/requestSummary.ts';
import { gatherSnippets, type Snippets } from './compaction/snippets.ts';
import { wrapSummary } from './compaction/summaryText.ts';
import { type Atom, atomEntries } from './history/atoms.ts';
import type { Reduction, View } from './history/view.ts';
import { sizeOfView } from './measure.ts';
import { type CompactionBudget, compactionBudget } from './tokens/budgets.ts';
import { HIGH } from './tokens/estimate.ts';
import { truncateToTokens } from './tokens/truncate.ts';

export class CompactionService {
  readonly #deps: CompactionDeps;

  constructor(deps: CompactionDeps) {
    this.#deps = deps;
  }

  /** Never rejects for what a model, a file or a user's Ctrl+C can do. */
  async compact(job: CompactionJob): Promise<CompactionOutcome> {
    const preTokens = this.#tokensOf(job, job.view);
    if (job.signal.aborted) return { type: 'cancelled' };
    try {
      const outcome = await this.#withSummary(job, preTokens);
      return job.signal.aborted ? { type: 'cancelled' } : outcome;
    } catch (error) {
      if (job.signal.aborted) return { type: 'cancelled' };
      // Something else than the model failed (reading a file, say): keep more, and say what happened.
      const message = error instanceof Error ? error.message : String(error);
      const budget = this.#budget(job, this.#deps.settings.fallbackRetain);
      const choice = this.#choose(job, budget, noSnippets);
      if (choice === undefined) return tooShort;
      const text = fallbackText(job.view, message, budget.summary * 3);
      return this.#finish(job, { choice, budget, text, snippets: noSnippets, fallback: message, preTokens });
    }
  }

  async #withSummary(job: CompactionJob, preTokens: number): Promise<CompactionOutcome> {
    const budget = this.#budget(job, this.#deps.settings.retain);
    const snippets = await gatherSnippets(job, this.#deps, budget.snippets);
    const choice = this.#choose(job, budget, snippets);
    if (choice === undefined) return tooShort;
    if (!choice.plan.worthwhile) return this.#clipOnly(job, choice, preTokens);
    const least = this.#leastAfter(job, choice);
    if (least > boundOf(job)) return tooLittle(least, preTokens, boundOf(job));
    const asked: SummaryOutcome = job.withoutModel
      ? { type: 'failed', message: 'the request was still too long after a summary' }
      : await requestSummary(job, choice, this.#deps, budget);
    if (asked.type === 'aborted') return { type: 'cancelled' };
    const usage = asked.reply === undefined ? undefined : usageEntry(job.model, asked.reply);
    const made = { choice, budget, snippets, preTokens, ...(usage === undefined ? {} : { usage }) };
    if (asked.type === 'summary') return this.#finish(job, { ...made, text: asked.text });
    const text = createFallbackSummary(job.view, droppedAtoms(job.view, choice), budget.summary * 3);
    return this.#finish(job, { ...made, text, fallback: asked.message });
  }

  async #finish(job: CompactionJob, made: Made): Promise<CompactionOutcome> {
    const { choice, fallback, usage, preTokens } = made;
    const replacements = await this.#clip(job, choice);
    const files = choice.withSnippets ? made.snippets.files : [];
    const summary = this.#summaryText(job, made);
    const metadata = {
      trigger: job.trigger,
      preTokens,
      success: fallback === undefined,
      strategy: fallback === undefined ? 'summary' : 'fallback',
      ...(job.focus === undefined ? {} : { focus: job.focus }),
      ...(fallback === undefined ? {} : { error: fallback }),
      filesIncluded: files.map(({ path }) => path),
      snippets: [...files],
      retained: choice.plan.kept.flatMap(atomEntries).map(({ uuid }) => uuid),
    };
    const after = viewAfter(job.view, choice, summary, metadata, replacements);
    const policy = {
      ...job.policy,
      snippets: new Map([...(job.policy.snippets ?? []), ...made.snippets.texts]),
    };
    const postTokens = this.#tokensOf({ ...job, policy }, after);
    const bound = boundOf(job);
    if (postTokens > bound || postTokens >= preTokens) {
      const refused = tooLittle(postTokens, preTokens, bound);
      return usage === undefined ? refused : { ...refused, usage };
    }
    const reduction: Reduction = { kind: 'clip', reason: 'compaction', preTokens, postTokens, replacements };
    return {
      type: 'compacted',
      summary,
      metadata: { ...metadata, postTokens },
      snippetTexts: made.snippets.texts,
      ...(replacements.length === 0 ? {} : { reduction }),
      ...(usage === undefined ? {} : { usage }),
      ...(fallback === undefined ? {} : { fallback }),
    };
  }

  /** No summary could stand in for anything: shortening the results is all there is to do. */
  async #clipOnly(job: CompactionJob, choice: Choice, preTokens: number): Promise<CompactionOutcome> {
    const replacements = await this.#clip(job, choice);
    const shown = new Map(replacements.map((one) => [one.uuid, one.output]));
    const view = { ...job.view, replacements: new Map([...job.view.replacements, ...shown]) };
    const postTokens = this.#tokensOf(job, view);
    if (replacements.length === 0 || postTokens >= preTokens) return tooShort;
    const reason = 'results too large for the window';
    return { type: 'clipped', reduction: { kind: 'clip', reason, preTokens, postTokens, replacements } };
  }

  #clip(job: CompactionJob, choice: Choice): ReturnType<typeof clipResults> {
    const ratio = this.#deps.counter.ratio(job.model.id);
    return clipResults(choice.clips, (text) => this.#deps.counter.count(text).tokens * ratio, job.blobs);
  }

  /** The text, cut to its budget and to less than what it stands for, and what the program knows better. */
  #summaryText(job: CompactionJob, { text, budget, choice }: Made): string {
    const { counter } = this.#deps;
    const dropped = droppedAtoms(job.view, choice).reduce((sum, atom) => sum + this.#sizeOf(job, atom), 0);
    const summarised = dropped + (job.view.summary === undefined ? 0 : budget.summary);
    const tokens =
      Math.min(budget.summary, Math.max(MIN_SUMMARY, 0.8 * summarised)) / counter.ratio(job.model.id);
    const facts = [leftOutNote(job.view, choice), recordedFacts(job.entries, tokens)]
      .filter((part) => part !== '')
      .join('\n\n');
    const left = Math.floor(tokens) - counter.count(facts).tokens;
    const body = truncateToTokens(text.trim(), Math.max(0, left), '\n... (cut)', HIGH);
    return wrapSummary(facts === '' ? body : `${body}\n\n${facts}`);
  }

  #choose(job: CompactionJob, budget: CompactionBudget, snippets: Snippets): Choice | undefined {
    const { counter } = this.#deps;
    const ratio = counter.ratio(job.model.id);
    const sizes = sizeOfView(job.view, job.tools, counter, job.policy);
    return chooseCompaction({
      view: job.view,
      budget,
      fixed: Math.ceil(sizes.fixed * ratio) + WRAPPER_TOKENS,
      snippetTokens: snippets.tokens,
      minDropped: job.trigger === 'manual' ? MIN_MANUAL : 0,
      mayDropNewest: job.mustReach !== undefined || job.view.atoms.at(-1)?.calls.length === 0,
      sizeOf: (atom) => this.#sizeOf(job, atom),
      sizeOfResult: (result) =>
        ratio * counter.count(job.view.replacements.get(result.uuid) ?? outputOf(result)).tokens,
    });
  }

  /** What would be left with an empty summary: known before anybody is asked for one. */
  #leastAfter(job: CompactionJob, { plan, clips }: Choice): number {
    if (clips.length > 0) return 0;
    return this.#tokensOf(job, { ...job.view, summary: undefined, atoms: plan.kept });
  }

  #sizeOf(job: CompactionJob, atom: Atom): number {
    const { counter } = this.#deps;
    const messages = renderAtom(atom, job.view.replacements, job.policy);
    return messages.reduce((sum, one) => sum + counter.countMessage(one), 0) * counter.ratio(job.model.id);
  }

  #budget(job: CompactionJob, retain: number): CompactionBudget {
    const { counter, settings } = this.#deps;
    const { fixed } = sizeOfView(job.view, job.tools, counter, job.policy);
    const fixedTokens = Math.ceil(fixed * counter.ratio(job.model.id));
    const goal = job.mustReach ?? job.window.trigger;
    // Where what cannot shrink leaves no room below the trigger, what has to be reached is the goal.
    const isFull = job.window.trigger - fixedTokens < MIN_ROOM * job.window.window;
    const trigger = isFull ? goal : Math.min(job.window.trigger, goal);
    return compactionBudget({ window: job.window.window, trigger }, settings, fixedTokens, retain);
  }

  #tokensOf(job: Pick<CompactionJob, 'tools' | 'policy' | 'model'>, view: View): number {
    const { counter } = this.#deps;
    return Math.ceil(sizeOfView(view, job.tools, counter, job.policy).total * counter.ratio(job.model.id));
  }
}

interface Made {
  readonly choice: Choice;
  readonly budget: CompactionBudget;
  readonly text: string;
  readonly snippets: Snippets;
  readonly preTokens: number;
  /** Why the text is not the model's. */
  readonly fallback?: string;
  readonly usage?: EntryDraft;
}

/** Share of the window that has to be free below the trigger for it to be worth aiming at. */
const MIN_ROOM = 0.05;
/** The wrapper, the heading and the note around a summary. */
const WRAPPER_TOKENS = 80;
/** However little a summary stands for, it may have this much. */
const MIN_SUMMARY = 60;
/** A user who compacts less than this by hand gains nothing and pays for a summary. */
const MIN_MANUAL = 200;

const noSnippets: Snippets = { files: [], texts: new Map(), tokens: 0 };

const tooShort: CompactionOutcome = {
  type: 'refused',
  message: 'There is nothing to compact: everything so far is recent enough to stay as it is.',
};

function boundOf({ mustReach, window }: CompactionJob): number {
  return mustReach ?? window.trigger - 1;
}

function tooLittle(after: number, before: number, bound: number): CompactionOutcome & { type: 'refused' } {
  const few = `Compaction would leave about ${after} of ${before} tokens`;
  const message =
    after > bound
      ? `${few}, and at most ${bound} fit.`
      : `${few}: too little would be gained. Nothing was changed.`;
  return { type: 'refused', message };
}

/** The model must not ask again for what it was never shown. */
function leftOutNote({ atoms }: View, { plan }: Choice): string {
  const newest = atoms.at(-1);
  if (newest === undefined || newest.calls.length === 0 || plan.kept.includes(newest)) return '';
  return `The results of the latest ${newest.calls.length} tool calls were too large for the context window and are not shown. Ask for less at a time: fewer calls, smaller ranges, narrower searches.`;
}

function droppedAtoms(view: View, { plan }: Choice): Atom[] {
  const kept = new Set(plan.kept);
  return view.atoms.filter((atom) => !kept.has(atom) && atom.head.subtype !== 'instructions');
}
