/** Input and outcomes of one compaction. */

import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { Reduction } from '../../protocol/entries/kinds/compaction.ts';
import type { SummaryCut } from '../../protocol/entries/kinds/turn.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelInfo, SentRequest } from '../../protocol/models/model.ts';
import type { ContextSettings } from '../../protocol/settings/contextSettings.ts';
import type { Atom } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import { RequestSizer } from '../request/RequestSizer.ts';
import type { RequestBasis, RequestOutcome } from '../request/requestRecord.ts';
import { type ProjectionPolicy, renderAtom } from '../request/standardMessages.ts';
import type { CacheStore } from '../storage/CacheStore.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import type { TokenCounter } from '../TokenCounter.ts';
import { type CompactionBudget, compactionBudget, type WindowBudget } from '../tokens/budgets.ts';
import type { SummaryModel } from '../types.ts';
import { outputOf } from './clips.ts';
import type { LedgerPlan } from './ledger.ts';
import { type CompactionPlan, planCompaction } from './plan.ts';
import type { SummaryDraft } from './ThreadSummary.ts';

export interface CompactionDeps {
  readonly settings: ContextSettings['compact'];
  readonly root: string;
  readonly counter: TokenCounter;
  readonly summarize: SummaryModel;
  /** Another model that writes summaries of conversations that it can read in full. */
  readonly summaryModel?: (() => ModelInfo | undefined) | undefined;
  readonly isSensitive: (path: string) => boolean;
  /** True for files that the model may read without a question. */
  readonly isReadable: (path: string) => boolean;
  /** Entries after this seq are from this process: the user has approved what they read or changed. */
  readonly lastSeqBefore: number;
  /** Contents of recently quoted files; an edit invalidates an entry. */
  readonly fileCache: CacheStore<string>;
  /** `context.summary`. */
  readonly writer: 'smart' | 'simple';
  readonly minRetainRounds: number | undefined;
  readonly summaryCap: (windowTokens: number) => number;
}

export interface CompactionJob {
  readonly entries: readonly JSONLEntry[];
  readonly view: View;
  /** Absolute working directory of the shell. */
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
  /** Called with each summary request and the bodies that were sent; for the request log. */
  readonly onAsked?: (asked: SentSummary) => void;
  /** Called with the usage of a summary by another model that was not good enough. */
  readonly onSpent?: (usage: NewEntry) => void;
  /** Maximum tokens of the request after the compaction; absent = below the trigger. */
  readonly mustReach?: number;
  /** True to skip the model: it was asked just before, and the request is still too long. */
  readonly withoutModel?: boolean;
  /** True if the draft came late and replaces ledger lines written since: it need not free any tokens. */
  readonly isLate?: boolean;
  /** Seq of the first entry of the current turn, which stays verbatim whatever its size. */
  readonly keepFrom?: number;
  /** A summary that was written in the background; the model is not asked. */
  readonly draft?: SummaryDraft;
}

/** A summary request that was sent. */
export interface SentSummary {
  readonly cut: SummaryCut;
  readonly outcome: RequestOutcome;
  readonly sent: readonly SentRequest[];
  /** How a request to another model than the session's was built. */
  readonly by?: Pick<RequestBasis, 'model' | 'returnsReasoning' | 'imagesHiddenThrough'>;
}

export type CompactionOutcome =
  | { readonly type: 'cancelled' }
  | { readonly type: 'refused'; readonly message: string; readonly usage?: NewEntry }
  /** Nothing to summarize, but results that were too large can be clipped. */
  | { readonly type: 'clipped'; readonly reduction: Reduction }
  | {
      readonly type: 'compacted';
      readonly summary: string;
      /** `retained` lists the entries at the start of the job; the caller adds those appended since. */
      readonly metadata: CompactMetadata & { readonly retained: readonly string[] };
      readonly reduction?: Reduction;
      /** Seq of the last entry that the summary covers. */
      readonly lastMessageSeq: number | undefined;
      /** The text as the model wrote it. */
      readonly text: string;
      readonly plan: CompactionPlan;
      /** Paths in the summary that occur nowhere in the log. */
      readonly unverified: readonly string[];
      /** Ledger for steps that are newer than the draft but too old for the tail. */
      readonly ledger?: LedgerPlan;
      readonly snippetTexts: ReadonlyMap<string, string>;
      readonly usage?: NewEntry;
      /** Present if the model did not write the summary: the reason. */
      readonly fallback?: string;
    };

// Sizes and budgets of one compaction, in tokens calibrated for the model.

/** If less than this share of the window is free below the trigger, the trigger is not a useful goal. */
const MIN_ROOM = 0.05;
/** Tokens of the wrapper, heading and note around a summary. */
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
    // Calibrated like the projection: a summary has a different mix of scripts than the text that it replaces.
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

  /** Maximum tokens of the request after the compaction. */
  bound(): number {
    return this.#job.mustReach ?? this.#job.window.trigger - 1;
  }

  /** Tokens with an empty summary, known before the model is asked. 0 if results are clipped. */
  leastAfter({ kept, clips }: CompactionPlan): number {
    if (clips.length > 0) return 0;
    return this.ofView({ ...this.#job.view, summary: undefined, atoms: kept });
  }

  /** `retain`: share of the conversation that stays verbatim. */
  budget(retain: number): CompactionBudget {
    const { window, mustReach, view } = this.#job;
    const fixed = this.#fixed();
    const goal = mustReach ?? window.trigger;
    // If the fixed parts leave no room below the trigger, aim at the bound that must be reached.
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

  /** `covered`: number of atoms that an existing summary covers. */
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
