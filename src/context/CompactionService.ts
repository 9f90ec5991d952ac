/**
 * Compaction: a summary and file snippets take the place of the older atoms, the newest stay verbatim. Decides
 * and writes nothing itself: it returns the drafts, or says why there are none. Whatever the summary model
 * does, the outcome is a session that goes on.
 */
import type { EntryDraft } from '../protocol/entries.ts';
import { usageEntry, viewAfter } from './compaction/after.ts';
import type { Choice } from './compaction/choose.ts';
import { clipResults } from './compaction/clips.ts';
import { composeSummary, droppedAtoms, lastSummarised } from './compaction/composeSummary.ts';
import { createFallbackSummary, fallbackText, simpleSummary } from './compaction/fallback.ts';
import type { CompactionDeps, CompactionJob, CompactionOutcome } from './compaction/job.ts';
import { sameLanguage } from './compaction/language.ts';
import { type LedgerPlan, planLedger, withLedger } from './compaction/ledger.ts';
import { requestSummary, type SummaryOutcome } from './compaction/requestSummary.ts';
import { Sizing } from './compaction/sizing.ts';
import { gatherSnippets, type Snippets } from './compaction/snippets.ts';
import { userText } from './compaction/verifySummary.ts';
import { atomEntries } from './history/atoms.ts';
import type { Reduction, Replacement } from './history/reductions.ts';
import type { View } from './history/view.ts';
import type { Draft } from './memory/ThreadSummary.ts';
import type { CompactionBudget } from './tokens/budgets.ts';

/** What an attempt at a draft came to. */
export type DraftAttempt =
  | { readonly type: 'draft'; readonly draft: Omit<Draft, 'epoch'>; readonly usage?: EntryDraft }
  | { readonly type: 'failed'; readonly message: string; readonly usage?: EntryDraft }
  | { readonly type: 'aborted' | 'nothing' };

export class CompactionService {
  readonly #deps: CompactionDeps;

  constructor(deps: CompactionDeps) {
    this.#deps = deps;
  }

  /** Never rejects for what a model, a file or a user's Ctrl+C can do. */
  async compact(job: CompactionJob): Promise<CompactionOutcome> {
    const preTokens = new Sizing(this.#deps, job).ofView(job.view);
    if (job.signal.aborted) return { type: 'cancelled' };
    try {
      const outcome = await this.#withSummary(job, preTokens);
      return job.signal.aborted ? { type: 'cancelled' } : outcome;
    } catch (error) {
      if (job.signal.aborted) return { type: 'cancelled' };
      // Something else than the model failed (reading a file, say): keep more, and say what happened.
      const message = error instanceof Error ? error.message : String(error);
      const sizing = new Sizing(this.#deps, job);
      const budget = sizing.budget(this.#deps.settings.fallbackRetain);
      const choice = sizing.choose(budget, noSnippets);
      if (choice === undefined) return tooShort;
      const text = fallbackText(job.view, message, budget.summary * 3);
      return this.#finish(job, { choice, budget, text, snippets: noSnippets, fallback: message, preTokens });
    }
  }

  /** Asks for the summary that a compaction would need now, and changes nothing. */
  async draft(job: CompactionJob): Promise<DraftAttempt> {
    const sizing = new Sizing(this.#deps, job);
    const budget = withTail(sizing.budget(this.#deps.settings.retain), job);
    const choice = sizing.choose(budget, noSnippets);
    const lastMessageSeq = choice === undefined ? undefined : lastSummarised(job.view, choice);
    if (choice === undefined || lastMessageSeq === undefined || choice.clips.length > 0)
      return { type: 'nothing' };
    // Around long instructions no summary could bring the request below the trigger: nobody is paid for one.
    if (sizing.leastAfter(choice) + budget.summary > sizing.bound()) return { type: 'nothing' };
    const asked = inOwnLanguage(await requestSummary(job, choice, this.#deps, budget), job);
    if (asked.type === 'aborted') return { type: 'aborted' };
    const usage = asked.reply === undefined ? undefined : usageEntry(job.model, asked.reply);
    const cost = usage === undefined ? {} : { usage };
    if (asked.type === 'failed') return { type: 'failed', message: asked.message, ...cost };
    return { type: 'draft', draft: { text: asked.text, lastMessageSeq }, ...cost };
  }

  async #withSummary(job: CompactionJob, preTokens: number): Promise<CompactionOutcome> {
    const cut = job.draft === undefined ? undefined : cutOf(job.view, job.draft);
    const sizing = new Sizing(this.#deps, job);
    const budget = withTail(sizing.budget(this.#deps.settings.retain), job);
    const snippets = await gatherSnippets(job, this.#deps, budget.snippets);
    const choice = sizing.choose(budget, snippets, cut);
    if (choice === undefined) return tooShort;
    if (!choice.plan.worthwhile) return this.#clipOnly(job, choice, preTokens);
    const least = sizing.leastAfter(choice);
    if (least > sizing.bound()) return tooLittle(least, preTokens, sizing.bound());
    const made = { choice, budget, snippets, preTokens };
    if (job.draft !== undefined) return this.#finish(job, { ...made, text: job.draft.text });
    if (this.#deps.writer === 'simple')
      return this.#finish(job, { ...made, text: this.#countedSummary(job, made), strategy: 'simple' });
    const asked: SummaryOutcome = job.withoutModel
      ? { type: 'failed', message: 'the request was still too long after a summary' }
      : inOwnLanguage(await requestSummary(job, choice, this.#deps, budget), job);
    if (asked.type === 'aborted') return { type: 'cancelled' };
    const usage = asked.reply === undefined ? undefined : usageEntry(job.model, asked.reply);
    const paid = { ...made, ...(usage === undefined ? {} : { usage }) };
    if (asked.type === 'summary') return this.#finish(job, { ...paid, text: asked.text });
    return this.#finish(job, { ...paid, text: this.#countedSummary(job, made), fallback: asked.message });
  }

  #countedSummary(job: CompactionJob, { choice, budget }: Pick<Made, 'choice' | 'budget'>): string {
    const write = this.#deps.writer === 'simple' ? simpleSummary : createFallbackSummary;
    return write(job.view, droppedAtoms(job.view, choice), budget.summary * 3);
  }

  async #finish(job: CompactionJob, made: Made): Promise<CompactionOutcome> {
    const { choice, budget, fallback, usage, preTokens } = made;
    const sizing = new Sizing(this.#deps, job);
    const clips = clipResults(choice.clips, (text) => sizing.ofText(text));
    const files = choice.withSnippets ? made.snippets.files : [];
    const summary = await composeSummary(made.text, job, { choice, budget, sizing });
    const metadata = {
      trigger: job.trigger,
      preTokens,
      success: fallback === undefined,
      strategy: made.strategy ?? (fallback === undefined ? 'summary' : 'fallback'),
      ...(job.focus === undefined ? {} : { focus: job.focus }),
      ...(fallback === undefined ? {} : { error: fallback }),
      filesIncluded: files.map(({ path }) => path),
      snippets: [...files],
      retained: choice.plan.kept.flatMap(atomEntries).map(({ uuid }) => uuid),
    };
    const ledger = this.#ledger(job, choice, sizing);
    const after = withLedger(viewAfter(job.view, choice, summary, metadata, clips), ledger);
    const texts = new Map([...(job.policy.snippets ?? []), ...made.snippets.texts]);
    const postTokens = sizing.ofView(after, { ...job.policy, snippets: texts });
    if (postTokens > sizing.bound() || postTokens > LEAST_GAIN * preTokens) {
      const refused = tooLittle(postTokens, preTokens, sizing.bound());
      return usage === undefined ? refused : { ...refused, usage };
    }
    const reduction: Reduction = {
      kind: 'clip',
      reason: 'compaction',
      preTokens,
      postTokens,
      replacements: clips,
    };
    return {
      type: 'compacted',
      summary,
      text: made.text,
      kept: choice.plan.kept,
      lastMessageSeq: lastSummarised(job.view, choice),
      metadata: { ...metadata, postTokens },
      snippetTexts: made.snippets.texts,
      ...(clips.length === 0 ? {} : { reduction }),
      ...(ledger === undefined ? {} : { ledger }),
      ...(usage === undefined ? {} : { usage }),
      ...(fallback === undefined ? {} : { fallback }),
    };
  }

  /** No summary could stand in for anything: shortening the results is all there is to do. */
  async #clipOnly(job: CompactionJob, choice: Choice, preTokens: number): Promise<CompactionOutcome> {
    const sizing = new Sizing(this.#deps, job);
    const replacements = clipResults(choice.clips, (text) => sizing.ofText(text));
    const postTokens = sizing.ofView(withReplacements(job.view, replacements));
    if (replacements.length === 0 || postTokens >= preTokens) return tooShort;
    const reason = 'results too large for the window';
    return { type: 'clipped', reduction: { kind: 'clip', reason, preTokens, postTokens, replacements } };
  }

  /** Of what a draft leaves standing before the protected tail, a line each is enough. */
  #ledger(job: CompactionJob, { plan }: Choice, sizing: Sizing): LedgerPlan | undefined {
    if (job.protectTokens === undefined) return undefined;
    return planLedger({
      view: { ...job.view, atoms: plan.kept },
      protectTokens: job.protectTokens,
      minGain: 1,
      sizeOf: (atom) => sizing.ofAtom(atom),
      sizeOfText: (text) => sizing.ofText(text),
    });
  }
}

/** With a tail of its own, a compaction keeps that, and quotes no more of files than it says itself. */
function withTail(budget: CompactionBudget, { protectTokens }: CompactionJob): CompactionBudget {
  if (protectTokens === undefined) return budget;
  const { retain, snippets, summary } = budget;
  return { ...budget, retain: Math.min(retain, protectTokens), snippets: Math.min(snippets, summary) };
}

interface Made {
  readonly choice: Choice;
  readonly budget: CompactionBudget;
  readonly text: string;
  readonly snippets: Snippets;
  readonly preTokens: number;
  readonly strategy?: string;
  /** Why the text is not the model's. */
  readonly fallback?: string;
  readonly usage?: EntryDraft;
}

/** What is left has to be at most this share of what was: less is within the error of counting. */
const LEAST_GAIN = 0.98;

const noSnippets: Snippets = { files: [], texts: new Map(), tokens: 0 };

const tooShort: CompactionOutcome = {
  type: 'refused',
  message: 'There is nothing to compact: everything so far is recent enough to stay as it is.',
};

/** A summary that the user cannot read is none. */
function inOwnLanguage(asked: SummaryOutcome, { entries }: CompactionJob): SummaryOutcome {
  if (asked.type !== 'summary' || sameLanguage(asked.text, userText(entries))) return asked;
  return {
    type: 'failed',
    message: 'the summary is not in the language of the conversation',
    reply: asked.reply,
  };
}

/** Index of the first atom that the draft does not speak for. */
function cutOf({ atoms }: View, { lastMessageSeq }: Draft): number {
  return atoms.findLastIndex((atom) => atom.head.seq <= lastMessageSeq) + 1;
}

function withReplacements(view: View, replacements: readonly Replacement[]): View {
  const added = replacements.map(({ uuid, output }) => [uuid, output] as const);
  return { ...view, replacements: new Map([...view.replacements, ...added]) };
}

function tooLittle(after: number, before: number, bound: number): CompactionOutcome & { type: 'refused' } {
  const message =
    after > bound
      ? `Even after a compaction about ${after} tokens would be left, and at most ${bound} may be.`
      : `Compaction would leave about ${after} of ${before} tokens: too little would be gained. Nothing was changed.`;
  return { type: 'refused', message };
}
