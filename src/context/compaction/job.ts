/** What one compaction works on and what may come of it. */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { Reduction } from '../../protocol/entries/kinds/reduction.ts';
import type { SummaryCut } from '../../protocol/entries/kinds/request.ts';
import type { EntryDraft, JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelInfo, SentRequest } from '../../protocol/model.ts';
import type { View } from '../history/view.ts';
import type { Draft } from '../memory/ThreadSummary.ts';
import type { RequestOutcome } from '../requestRecord.ts';
import type { ProjectionPolicy } from '../standardMessages.ts';
import type { BlobStore, CacheStore } from '../storage/index.ts';
import type { TokenCounter } from '../TokenCounter.ts';
import type { WindowBudget } from '../tokens/budgets.ts';
import type { SummaryModel } from '../types.ts';
import type { LedgerPlan } from './ledger.ts';
import type { CompactionPlan } from './plan.ts';

export interface CompactionDeps {
  readonly settings: ContextSettings['compact'];
  readonly root: string;
  readonly counter: TokenCounter;
  readonly summarize: SummaryModel;
  readonly isSensitive: (path: string) => boolean;
  /** Contents of files that were quoted lately; an edit makes them read anew. */
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
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Hears how a summary was asked for, and in which bodies; for the record. */
  readonly onAsked?: (asked: AskedSummary) => void;
  /** Upper bound of the request afterwards, in tokens; absent = below the trigger. */
  readonly mustReach?: number;
  /** True when no model is to be asked: it was asked a moment ago, and the request is still too long. */
  readonly withoutModel?: boolean;
  /** The draft came late and replaces lines that were written meanwhile: it need not free anything. */
  readonly isLate?: boolean;
  /** Seq of the first entry of what stays verbatim whatever its size: the current turn. */
  readonly keepFrom?: number;
  /** A summary that was written beside the work: nobody is asked. */
  readonly draft?: Draft;
}

/** One request for a summary that went out. */
export interface AskedSummary {
  readonly cut: SummaryCut;
  readonly outcome: RequestOutcome;
  readonly sent: readonly SentRequest[];
}

export type CompactionOutcome =
  | { readonly type: 'cancelled' }
  | { readonly type: 'refused'; readonly message: string; readonly usage?: EntryDraft }
  /** Nothing to summarise, but results that were too large could be shortened. */
  | { readonly type: 'clipped'; readonly reduction: Reduction }
  | {
      readonly type: 'compacted';
      readonly summary: string;
      /** `retained` holds what was there when the job began; the caller adds what came meanwhile. */
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
      readonly usage?: EntryDraft;
      /** Present when the summary is not the model's. */
      readonly fallback?: string;
    };
