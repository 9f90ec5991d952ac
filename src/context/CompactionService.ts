/**
 * Compaction: replaces older atoms with a summary, the user's own messages and the most important files; the newest
 * atoms stay verbatim. Makes no decision about when to compact and writes nothing to the log: it returns the entries to
 * write, or the reason why there are none. The session stays usable whatever the summary model returns.
 */
import type { CompactMetadata } from '../protocol/entries/fields.ts';
import type { Reduction, Replacement } from '../protocol/entries/kinds/compaction.ts';
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import type { ModelInfo, Reply } from '../protocol/models/model.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { checkSummary } from './compaction/checkSummary.ts';
import { clipResults } from './compaction/clips.ts';
import { createFallbackSummary, fallbackText, simpleSummary } from './compaction/fallback.ts';
import { type CompactionDeps, type CompactionJob, type CompactionOutcome, Sizing } from './compaction/job.ts';
import { type LedgerPlan, planLedger, withLedger } from './compaction/ledger.ts';
import { type CompactionPlan, MIN_SNIPPETS } from './compaction/plan.ts';
import { smallSummaryJob } from './compaction/smallSummary.ts';
import {
  cutSnippets,
  type FileCandidate,
  findFiles,
  noSnippets,
  type Snippets,
  tokensOfFiles,
} from './compaction/snippets.ts';
import { namesOfMessages, wrapSummary } from './compaction/summaryMessage.ts';
import { requestSummary, type SummaryOutcome } from './compaction/summaryRequest.ts';
import { coveredBy, type SummaryDraft } from './compaction/ThreadSummary.ts';
import { readFacts } from './facts/knownFacts.ts';
import { recordedFacts, shellDirectoryNote } from './facts/recordedFacts.ts';
import { type Atom, atomEntries } from './history/atoms.ts';
import { liveEntries } from './history/liveEntries.ts';
import { withoutSupersededNotes } from './history/rounds.ts';
import type { View } from './history/view.ts';
import { pinnedInstructions } from './memory/instructions.ts';
import { usageOf } from './sessionEntries.ts';
import { type CompactionBudget, EFFECTIVE_WINDOW } from './tokens/budgets.ts';
import { HIGH } from './tokens/estimate.ts';
import { headOf, truncateToTokens } from './tokens/truncate.ts';

/** Outcome of an attempt to write a draft. */
export type DraftAttempt =
  | {
      readonly type: 'draft';
      readonly draft: Pick<SummaryDraft, 'text' | 'lastMessageSeq'>;
      readonly usage?: NewEntry;
    }
  | { readonly type: 'failed'; readonly message: string; readonly usage?: NewEntry }
  | { readonly type: 'aborted' | 'nothing' };

export class CompactionService {
  readonly #deps: CompactionDeps;

  constructor(deps: CompactionDeps) {
    this.#deps = deps;
  }

  /** Never rejects because of the model, a file or an interrupt by the user. */
  async compact(job: CompactionJob): Promise<CompactionOutcome> {
    const preTokens = new Sizing(this.#deps, job).ofView(job.view);
    if (job.signal.aborted) return { type: 'cancelled' };
    try {
      const outcome = await this.#withSummary(job, preTokens);
      return job.signal.aborted ? { type: 'cancelled' } : outcome;
    } catch (error) {
      if (job.signal.aborted) return { type: 'cancelled' };
      // Something other than the model failed, such as reading a file: keep more messages and report the error.
      const message = error instanceof Error ? error.message : String(error);
      const sizing = new Sizing(this.#deps, job);
      const budget = sizing.budget(this.#deps.settings.fallbackRetain);
      const planned = sizing.plan(budget, 0);
      if (planned === undefined) return tooShort;
      const plan = withNewestNote(planned, job.view);
      const text = fallbackText(job.view, message, budget.summary * 3);
      return this.#finish(job, { plan, budget, text, snippets: noSnippets, fallback: message, preTokens });
    }
  }

  /**
   * Asks for a summary of the conversation so far without changing anything. When the draft is applied, the tail is
   * chosen again, so messages may be both in the summary and in the tail, but none falls between them.
   */
  async draft(job: CompactionJob): Promise<DraftAttempt> {
    const sizing = new Sizing(this.#deps, job);
    const budget = sizing.budget(this.#deps.settings.retain);
    const files = await findFiles(job, this.#deps);
    if (job.signal.aborted) return { type: 'aborted' };
    const plan = sizing.plan(budget, tokensOfFiles(files, this.#deps, job));
    if (plan === undefined || !plan.isWorthwhile || plan.clips.length > 0) return { type: 'nothing' };
    // With very long instructions no summary can bring the request below the trigger, so do not pay for one.
    const least = sizing.leastAfter(plan) + budget.summary;
    if (least > sizing.bound() || least > mostAfter(job, sizing.ofView(job.view))) return { type: 'nothing' };
    const asked = await this.#ask(job, { leaving: job.view.atoms.length, budget, files, plan });
    if (asked.type === 'aborted') return { type: 'aborted' };
    const usage = asked.reply === undefined ? undefined : usageEntry(job.model, asked.reply);
    const cost = usage === undefined ? {} : { usage };
    if (asked.type === 'failed') return { type: 'failed', message: asked.message, ...cost };
    const lastMessageSeq = lastSeqOf(job.view.atoms) ?? 0;
    return { type: 'draft', draft: { text: asked.text, lastMessageSeq }, ...cost };
  }

  async #withSummary(job: CompactionJob, preTokens: number): Promise<CompactionOutcome> {
    const sizing = new Sizing(this.#deps, job);
    const budget = sizing.budget(this.#deps.settings.retain);
    const covered = job.draft === undefined ? undefined : coveredBy(job.draft, job.view.atoms, job.entries);
    const all = await findFiles(job, this.#deps);
    const planned = sizing.plan(budget, tokensOfFiles(all, this.#deps, job), covered);
    if (planned === undefined) return tooShort;
    const plan = withNewestNote(planned, job.view);
    if (!plan.isWorthwhile) return job.draft === undefined ? this.#clipOnly(job, plan, preTokens) : tooShort;
    const least = sizing.leastAfter(plan);
    if (least > sizing.bound()) return tooLittle(least, preTokens, sizing.bound());
    // Even an empty summary would free too little, so do not ask the model.
    if (least > mostAfter(job, preTokens)) return tooLittle(least, preTokens, sizing.bound());
    const files = await findFiles(job, this.#deps, plan);
    const snippets = await cutSnippets(files, plan.snippetTokens, this.#deps, job);
    const made = { plan, budget, snippets, files, preTokens };
    if (job.draft !== undefined) return this.#finish(job, { ...made, text: job.draft.text, covered });
    if (this.#deps.writer === 'simple')
      return this.#finish(job, { ...made, text: this.#countedSummary(job, made), strategy: 'simple' });
    const asked: SummaryOutcome = job.withoutModel
      ? { type: 'failed', message: 'the request was still too long after a summary' }
      : await this.#ask(job, { leaving: plan.cut, budget, files, plan });
    if (asked.type === 'aborted') return { type: 'cancelled' };
    const usage = asked.reply === undefined ? undefined : usageEntry(job.model, asked.reply);
    const paid = { ...made, ...(usage === undefined ? {} : { usage }) };
    if (asked.type === 'summary')
      return this.#finish(job, { ...paid, text: asked.text, covered: asked.atoms });
    return this.#finish(job, { ...paid, text: this.#countedSummary(job, made), fallback: asked.message });
  }

  /** Shows the summarizer the files at half their quoted length, since it has already read them in the conversation. */
  async #ask(
    job: CompactionJob,
    {
      leaving,
      budget,
      files,
      plan,
    }: Pick<Made, 'budget' | 'plan'> & {
      readonly leaving: number;
      readonly files: readonly FileCandidate[];
    },
  ): ReturnType<typeof requestSummary> {
    const snippets = await cutSnippets(files, plan.snippetTokens / 2, this.#deps, job);
    if (job.signal.aborted) return { type: 'aborted' };
    const question = { leaving, budget, snippets };
    const tokens = new Sizing(this.#deps, job).ofView(job.view);
    const small = smallSummaryJob(job, this.#deps.summaryModel?.(), tokens);
    if (small === undefined) return requestSummary(job, this.#deps, question);
    const asked = await requestSummary(small, this.#deps, { ...question, isWhole: true });
    if (asked.type === 'summary') {
      const { reply } = asked;
      return { ...asked, reply: { ...reply, model: reply.model ?? small.model.id } };
    }
    if (asked.type === 'aborted') return asked;
    const spent = asked.reply === undefined ? undefined : usageEntry(small.model, asked.reply);
    if (spent !== undefined) job.onSpent?.(spent);
    return requestSummary(job, this.#deps, question);
  }

  /** Cuts the file quotes to a quarter before a compaction is rejected; undefined if they cannot be cut any more. */
  async #withShorterSnippets(job: CompactionJob, made: Made): Promise<Made | undefined> {
    const tokens = Math.floor(made.plan.snippetTokens / 4);
    if (made.files === undefined || made.snippets.files.length === 0 || tokens < MIN_SNIPPETS)
      return undefined;
    const snippets = await cutSnippets(made.files, tokens, this.#deps, job);
    return { ...made, plan: { ...made.plan, snippetTokens: tokens }, snippets };
  }

  #countedSummary(job: CompactionJob, { plan, budget }: Pick<Made, 'plan' | 'budget'>): string {
    const write = this.#deps.writer === 'simple' ? simpleSummary : createFallbackSummary;
    return write(job.view, droppedAtoms(job.view, plan), budget.summary * 3);
  }

  async #finish(job: CompactionJob, made: Made): Promise<CompactionOutcome> {
    const { plan, fallback, usage, preTokens, snippets } = made;
    const sizing = new Sizing(this.#deps, job);
    const clips = clipResults(plan.clips, (text) => sizing.ofText(text));
    const { summary, unverified } = await this.#compose(job, made);
    const metadata = {
      trigger: job.trigger,
      preTokens,
      success: fallback === undefined,
      strategy: made.strategy ?? (fallback === undefined ? 'summary' : 'fallback'),
      ...(job.focus === undefined ? {} : { focus: job.focus }),
      ...(fallback === undefined ? {} : { error: fallback }),
      filesIncluded: snippets.files.map(({ path }) => path),
      snippets: [...snippets.files],
      retained: plan.kept.flatMap(atomEntries).map(({ uuid }) => uuid),
      ...(plan.userMessages.length === 0 ? {} : { userMessages: namesOfMessages(plan.userMessages) }),
    };
    const ledger = this.#ledger(job, made, sizing);
    const after = withLedger(viewAfter(job.view, plan, summary, metadata, clips), ledger);
    const texts = new Map([...(job.policy.snippets ?? []), ...snippets.texts]);
    const postTokens = sizing.ofView(after, { ...job.policy, snippets: texts });
    if (postTokens > sizing.bound() || postTokens > mostAfter(job, preTokens)) {
      const shorter = await this.#withShorterSnippets(job, made);
      if (shorter !== undefined) return this.#finish(job, shorter);
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
      plan,
      unverified,
      lastMessageSeq: lastSeqOf(job.view.atoms.slice(0, made.covered ?? plan.cut)),
      metadata: { ...metadata, postTokens },
      snippetTexts: snippets.texts,
      ...(clips.length === 0 ? {} : { reduction }),
      ...(ledger === undefined ? {} : { ledger }),
      ...(usage === undefined ? {} : { usage }),
      ...(fallback === undefined ? {} : { fallback }),
    };
  }

  /** Turns the model's text into the final summary: checks it, cuts it to its budget and adds recorded facts. */
  async #compose(
    job: CompactionJob,
    { text, plan, budget }: Made,
  ): Promise<{ readonly summary: string; readonly unverified: readonly string[] }> {
    const sizing = new Sizing(this.#deps, job);
    const dropped = droppedAtoms(job.view, plan).reduce((sum, atom) => sum + sizing.ofAtom(atom), 0);
    const summarized = dropped + (job.view.summary === undefined ? 0 : budget.summary);
    const tokens = Math.min(budget.summary, Math.max(MIN_SUMMARY, 0.8 * summarized)) / sizing.ratio();
    await readFacts(job.entries);
    const to = lastSeqOf(job.view.atoms.slice(0, plan.cut));
    const { entries } = liveEntries(job.entries);
    const shell = shellDirectoryNote(entries, job.cwd, this.#deps.root);
    const facts = recordedFacts(
      entries,
      Math.floor(
        (Math.min(budget.facts, MIN_SUMMARY + FACTS_OF_DROPPED * summarized) / sizing.ratio()) * CHARACTERS,
      ) - shell.length,
      to === undefined ? undefined : { from: 0, to },
    );
    const { text: checked, unverified } = await checkSummary(withinReach(text.trim(), tokens), job.entries);
    const body = truncateToTokens(checked, Math.floor(tokens), '\n... (cut)', HIGH);
    const parts = [body, leftOutNote(job.view, plan), facts, shell].filter((part) => part !== '');
    return { summary: wrapSummary(parts.join('\n\n')), unverified };
  }

  /** Nothing can be summarized, so only shortens results that are too large. */
  async #clipOnly(job: CompactionJob, plan: CompactionPlan, preTokens: number): Promise<CompactionOutcome> {
    const sizing = new Sizing(this.#deps, job);
    const replacements = clipResults(plan.clips, (text) => sizing.ofText(text));
    const postTokens = sizing.ofView(withReplacements(job.view, replacements));
    if (replacements.length === 0 || postTokens >= preTokens) return tooShort;
    const reason = 'results too large for the window';
    return { type: 'clipped', reduction: { kind: 'clip', reason, preTokens, postTokens, replacements } };
  }

  /** Steps newer than the draft but too old for the tail: one line each, since no summary covers them. */
  #ledger(job: CompactionJob, { plan }: Made, sizing: Sizing): LedgerPlan | undefined {
    return planLedger({
      view: { ...job.view, atoms: plan.kept },
      old: plan.uncovered,
      minGain: 1,
      sizeOf: (atom) => sizing.ofAtom(atom),
      sizeOfText: (text) => sizing.ofText(text),
    });
  }
}

interface Made {
  readonly plan: CompactionPlan;
  readonly budget: CompactionBudget;
  readonly text: string;
  /** Number of atoms, from the first, that the text covers; absent = those that the plan drops. */
  readonly covered?: number | undefined;
  readonly snippets: Snippets;
  /** Files from which the snippets were cut; without them the snippets cannot be cut again. */
  readonly files?: readonly FileCandidate[];
  readonly preTokens: number;
  readonly strategy?: string;
  /** Reason why the text was not written by the model. */
  readonly fallback?: string;
  readonly usage?: NewEntry;
}

/**
 * A compaction must shrink the request to at most this share of its size; smaller gains are within the counting error.
 */
const LEAST_GAIN = 0.98;
/**
 * Minimum share of the window that a compaction at the trigger frees; with less, the next one would follow immediately.
 */
const LEAST_FREED = 0.05;

/** Maximum tokens after a compaction for it to be worthwhile. */
function mostAfter(
  { trigger, mustReach, isLate, keepFrom, window }: CompactionJob,
  preTokens: number,
): number {
  if (isLate) return window.trigger - 1;
  const isByItself = trigger === 'auto' && mustReach === undefined;
  // For very large windows a share of the full window would be more than earlier turns alone can free.
  const whole = keepFrom === undefined ? window.window : Math.min(window.window, EFFECTIVE_WINDOW);
  return Math.min(LEAST_GAIN * preTokens, isByItself ? preTokens - LEAST_FREED * whole : preTokens);
}

/** Minimum tokens for a summary, however little it replaces. */
const MIN_SUMMARY = 60;
/** Maximum size of the recorded facts, as a share of the tokens that the summary replaces. */
const FACTS_OF_DROPPED = 0.2;
/** Characters per token of text such as a list of paths; a low estimate. */
const CHARACTERS = 3;
/** Characters per token of any text; a high estimate. */
const MOST_CHARACTERS = 12;

const tooShort: CompactionOutcome = {
  type: 'refused',
  message: 'There is nothing to compact: everything so far is recent enough to stay as it is.',
};

/** Cuts a text far beyond its budget first, to avoid checking text that is dropped anyway. */
function withinReach(text: string, tokens: number): string {
  const most = Math.ceil(tokens * MOST_CHARACTERS);
  return text.length <= most ? text : `${headOf(text, most)}\n... (cut)`;
}

/** Keeps only the newest of several environment notes in the tail: it supersedes the others. */
function withNewestNote(plan: CompactionPlan, { pinned }: View): CompactionPlan {
  const kept = withoutSupersededNotes(plan.kept, pinned);
  return { ...plan, kept, uncovered: plan.uncovered.filter((atom) => kept.includes(atom)) };
}

/** The atoms that the summary replaces. */
function droppedAtoms({ atoms }: View, plan: CompactionPlan): Atom[] {
  const kept = new Set(plan.kept);
  return atoms.filter((atom) => !kept.has(atom) && atom.head.subtype !== 'instructions');
}

/** Seq of the last entry of these atoms; undefined if there are none. */
function lastSeqOf(atoms: readonly Atom[]): number | undefined {
  const entries = atoms.flatMap(atomEntries);
  return entries.reduce<number | undefined>((last, { seq }) => Math.max(last ?? seq, seq), undefined);
}

/** Notes to the model that results were left out, so that it does not make the same calls again. */
function leftOutNote({ atoms }: View, { kept }: CompactionPlan): string {
  const newest = atoms.at(-1);
  if (newest === undefined || newest.calls.length === 0 || kept.includes(newest)) return '';
  return `The results of the latest ${newest.calls.length} tool calls were too large for the context window and are not shown. Ask for less at a time: fewer calls, smaller ranges, narrower searches.`;
}

/** The view after the compaction, to measure it before anything is written. */
function viewAfter(
  view: View,
  { kept, userMessages }: CompactionPlan,
  summary: string,
  metadata: CompactMetadata,
  clips: readonly Replacement[],
): View {
  const riding = view.atoms.map(({ head }) => head).filter(({ subtype }) => subtype === 'instructions');
  return {
    ...withReplacements(view, clips),
    instructions: pinnedInstructions([...view.instructions, ...riding]),
    summary: summaryEntry(summary, metadata),
    userMessages,
    atoms: kept,
  };
}

function summaryEntry(content: string, compactMetadata: CompactMetadata): JSONLEntry {
  const identity = {
    v: 1,
    seq: 0,
    uuid: '',
    parentUuid: null,
    sessionId: '',
    timestamp: '',
    cwd: '',
    version: '',
  };
  return {
    ...identity,
    type: 'user',
    message: { role: 'user', content },
    isCompactSummary: true,
    compactMetadata,
  };
}

function withReplacements(view: View, replacements: readonly Replacement[]): View {
  const added = replacements.map(({ uuid, output }) => [uuid, output] as const);
  return { ...view, replacements: new Map([...view.replacements, ...added]) };
}

/** The usage of a summary request as an entry; undefined if the server reported none. */
function usageEntry(model: ModelInfo, { usage, model: named }: Reply): NewEntry | undefined {
  if (usage === undefined) return undefined;
  return {
    type: 'system',
    subtype: 'usage',
    message: { role: 'system', content: '', model: named ?? model.id, usage: usageOf(usage) },
    data: { purpose: 'summary' },
  };
}

function tooLittle(after: number, before: number, bound: number): CompactionOutcome & { type: 'refused' } {
  const message =
    after > bound
      ? `Even after a compaction about ${grouped(after)} tokens would be left; at most ${grouped(bound)} fit.`
      : `A compaction would free too little (${grouped(before)} → about ${grouped(after)} tokens). Nothing was changed.`;
  return { type: 'refused', message };
}
