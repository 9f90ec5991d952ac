/** The data behind `/context`, `/compact --preview`, `--diff` and JSON output. All sizes are in tokens. */
import type { ModelInfo } from './models/model.ts';

/** One measurement of the request, shared by the status line, `/context` and JSON output. All sizes are in tokens. */
export interface ContextMeasure {
  readonly model: string;
  readonly windowTokens: number;
  /** Where the next compaction starts: min(0.8 × window, window − reply reserve − summary reserve). */
  readonly triggerTokens: number;
  readonly usedTokens: number;
  readonly replyReserveTokens: number;
  /** The parts, in request order; they sum to `usedTokens`. */
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
  readonly exact: boolean;
  readonly windowSource: ModelInfo['source'];
}

/** The parts of a request, in the order in which `/context` shows them. */
export const requestParts = [
  'tools',
  'system',
  'instructions',
  'summary',
  'memories',
  'masked',
  'history',
  'input',
  'reminder',
] as const;
export type RequestPart = (typeof requestParts)[number];

/** One reduction, or a failed attempt, as recorded in the log; lists are ordered with the newest last. */
export interface ReductionRecord {
  /** Uuid of its entry, which an undo names. */
  readonly uuid: string;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly kind: 'summary' | 'fallback' | 'mask' | 'clip' | 'remove' | 'drop' | 'restore' | 'window';
  readonly strategy?: string;
  /** The reason: "trigger", "/compact", "the server found the request too long" … */
  readonly reason: string;
  readonly preTokens: number;
  readonly postTokens?: number;
  readonly durationMs?: number;
  /** Number of entries or results that it covers. */
  readonly covers: number;
  /** Tokens used for the summary; absent if no model was asked. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly isUndone: boolean;
}

/** One atom of the conversation, for the list in which the user pins, drops and restores items. */
export interface ContextItem {
  /** Uuid of the atom's first entry. */
  readonly uuid: string;
  readonly seq: number;
  readonly kind: 'prompt' | 'reply' | 'note' | 'summary' | 'instructions';
  /** Its first words, on one line. */
  readonly title: string;
  readonly tokens: number;
  readonly state: 'sent' | 'masked' | 'removed' | 'summarized';
  readonly isPinned: boolean;
}

export interface ContextReport {
  readonly measure: ContextMeasure;
  readonly reductions: readonly ReductionRecord[];
  /** The last ten reductions that freed tokens. */
  readonly compactions: readonly ReductionRecord[];
  /** The next reduction, and the number of tokens at which it happens. */
  readonly next: { readonly action: string; readonly atTokens: number };
  /** Why compaction starts below the share in the settings. */
  readonly triggerNote?: string;
  /**
   * Token counts at which a measure starts: shortening results to lines, removal without a summary, and the maximum
   * request.
   */
  readonly marks?: { readonly maskAt?: number; readonly removeAt?: number; readonly limit?: number };
  /** Cached tokens of the last request; absent before the first. */
  readonly cache?: { readonly cachedTokens: number; readonly inputTokens: number };
  /** Input cost of the next request if the cache holds; absent if the price is unknown. */
  readonly nextInputUsd?: number;
  readonly draft: 'none' | 'running' | 'ready';
  readonly breakerIsOpen: boolean;
  /** Warnings of the budgets: a system prompt above its share, a window nearly filled by pinned items. */
  readonly warnings: readonly string[];
}

/** A detail that is in the log but not in a summary; found without a model. */
export interface Loss {
  readonly kind: 'message' | 'path';
  readonly text: string;
  /** Position at which it can be recalled. */
  readonly seq: number;
}

export interface CompactionPreview {
  readonly outcome: 'ready' | 'refused' | 'cancelled';
  readonly preTokens: number;
  readonly postTokens: number;
  readonly summary: string;
  readonly files: readonly string[];
  /** Items kept verbatim, and user messages copied into the summary message. */
  readonly kept: readonly ContextItem[];
  readonly losses: readonly Loss[];
  /** Paths in the summary that occur nowhere in the log. */
  readonly unverified: readonly string[];
  readonly message?: string;
}

/** The result of the last compaction. */
export interface CompactionDiff {
  readonly record: ReductionRecord;
  readonly summary: string;
  readonly dropped: readonly ContextItem[];
  readonly kept: readonly ContextItem[];
  readonly losses: readonly Loss[];
}

/** The user's edit of one item. */
export interface ItemEdit {
  readonly action: 'pin' | 'unpin' | 'drop' | 'restore';
  readonly uuid: string;
}
