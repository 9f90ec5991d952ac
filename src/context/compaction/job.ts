/** What one compaction works on and what may come of it. */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { Reduction } from '../../protocol/entries/kinds/reduction.ts';
import type { SummaryCut } from '../../protocol/entries/kinds/request.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelInfo, SentRequest } from '../../protocol/model.ts';
import type { Atom } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import type { SummaryDraft } from '../memory/ThreadSummary.ts';
import { RequestSizer } from '../request/RequestSizer.ts';
import type { RequestOutcome } from '../request/requestRecord.ts';
import { type ProjectionPolicy, renderAtom } from '../request/standardMessages.ts';
import type { CacheStore } from '../storage/CacheStore.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import type { TokenCounter } from '../TokenCounter.ts';
import { type CompactionBudget, compactionBudget, type WindowBudget } from '../tokens/budgets.ts';
import type { SummaryModel } from '../types.ts';
import { outputOf } from './clips.ts';
import type { LedgerPlan } from './ledger.ts';
import { type CompactionPlan, planCompaction } from './plan.ts';

export interface CompactionDeps {
  readonly settings: ContextSettings['compact'];
  readonly root: string;
  readonly counter: TokenCounter;
  readonly summarize: SummaryModel;
  readonly isSensitive: (path: string) => boolean;
  /** Contents of files that were quoted lately; after an edit they are read again. */
  readonly fileCache: CacheStore<string>;
  /** `context.summary`. */
  readonly writer: 'smart' | 'simple';
  readonly minRetainRounds: number | undefined;
  /** Tokens that a summary may take of a window at most. */
  readonly summaryCap: (windowTokens: number) => number;
}

export interface CompactionJob {
  readonly entries: readonly JSONLEntry[];
  readonly view: View;
  /** Where the shell is: absolute. */
  readonly cwd: string;
  readonly trigger: 'auto' | 'manual';
  readonly focus: string | undefined;
  readonly tools: readonly ToolSchema[];
  readonly model: ModelInfo;
  readonly window: WindowBudget;
  readonly policy: ProjectionPolicy;
  readonly blobs: Blobs;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Hears how a summary was asked for, and in which bodies; for the record. */
  readonly onAsked?: (asked: AskedSummary) => void;
  /** Upper bound of the request afterwards, in tokens; absent = below the trigger. */
  readonly mustReach?: number;
  /** True when no model is to be asked: it was asked a moment ago, and the request is still too long. */
  readonly withoutModel?: boolean;
  /** The draft came late and replaces steps that were shortened in the meantime: it need not free anything. */
  readonly isLate?: boolean;
  /** Seq of the first entry of what stays verbatim whatever its size: the current turn. */
  readonly keepFrom?: number;
  /** A summary that was written in the background: no model is asked. */
  readonly draft?: SummaryDraft;
}

/** One request for a summary that went out. */
export interface AskedSummary {
  readonly cut: SummaryCut;
  readonly outcome: RequestOutcome;
  readonly sent: readonly SentRequest[];
}

export type CompactionOutcome =
  | { readonly type: 'cancelled' }
  | { readonly type: 'refused'; readonly message: string; readonly usage?: NewEntry }
  /** Nothing to summarise, but results that were too large could be shortened. */
  | { readonly type: 'clipped'; readonly reduction: Reduction }
  | {
      readonly type: 'compacted';
      readonly summary: string;
      /** `retained` holds what was there when the job began; the caller adds what was appended since. */
      readonly metadata: CompactMetadata & { readonly retained: readonly string[] };
      readonly reduction?: Reduction;
      /** Seq of the last entry that the summary itself speaks for. */
      readonly lastMessageSeq: number | undefined;
      /** As the model wrote it. */
      readonly text: string;
      readonly plan: CompactionPlan;
      /** Paths in the summary that occur nowhere in the log. */
      readonly unverified: readonly string[];
      /** What became of steps that came after a draft and are too old for the tail. */
      readonly ledger?: LedgerPlan;
      readonly snippetTexts: ReadonlyMap<string, string>;
      readonly usage?: NewEntry;
      /** Present when the summary is not the model's. */
      readonly fallback?: string;
    };

// Sizes and budgets of one compaction, in tokens calibrated for the model.

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

  /** What would be left with an empty summary: known before a model is asked. */
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
