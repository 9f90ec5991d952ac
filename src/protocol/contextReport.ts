/** What `/context`, `/compact --preview`, `--diff` and JSON output tell of the context. Tokens throughout. */
import type { ModelInfo } from './model.ts';

/** One measurement of the request, shared by the status line, `/context` and JSON output. Tokens throughout. */
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

/** One reduction, or one attempt at one, as it stands in the log; newest last in every list. */
export interface ReductionRecord {
  /** Of its entry: what an undo names. */
  readonly uuid: string;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly kind: 'summary' | 'fallback' | 'mask' | 'clip' | 'remove' | 'drop' | 'restore' | 'window';
  readonly strategy?: string;
  /** Why: "trigger", "/compact", "the server found the request too long" … */
  readonly reason: string;
  readonly preTokens: number;
  readonly postTokens?: number;
  readonly durationMs?: number;
  /** Entries or results that it covers. */
  readonly covers: number;
  /** What the summary cost in tokens; absent where no model was asked. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly isUndone: boolean;
}

/** One atom of the conversation, for the list in which the user pins, drops and restores. */
export interface ContextItem {
  /** Of the atom's head. */
  readonly uuid: string;
  readonly seq: number;
  readonly kind: 'prompt' | 'reply' | 'note' | 'summary' | 'instructions';
  /** One line of it. */
  readonly title: string;
  readonly tokens: number;
  readonly state: 'sent' | 'masked' | 'removed' | 'summarised';
  readonly isPinned: boolean;
}

export interface ContextReport {
  readonly measure: ContextMeasure;
  readonly reductions: readonly ReductionRecord[];
  /** The last ten that made room. */
  readonly compactions: readonly ReductionRecord[];
  /** What will be reduced next, and at how many tokens. */
  readonly next: { readonly action: string; readonly atTokens: number };
  /** Why compaction starts below the share that the settings name. */
  readonly triggerNote?: string;
  /** Where something begins, in tokens: shortening to lines, removal without a summary; nothing larger is sent. */
  readonly marks?: { readonly maskAt?: number; readonly removeAt?: number; readonly limit?: number };
  /** What the provider's cache served of the last request; absent before the first. */
  readonly cache?: { readonly cachedTokens: number; readonly inputTokens: number };
  /** What the input of the next request costs when the cache holds; absent where the price is unknown. */
  readonly nextInputUsd?: number;
  readonly draft: 'none' | 'running' | 'ready';
  readonly breakerIsOpen: boolean;
  /** What the budgets have to say: a system prompt over its share, a window nearly filled by what is pinned. */
  readonly warnings: readonly string[];
}

/** Something that the log knows and a summary does not say; found without a model. */
export interface Loss {
  readonly kind: 'message' | 'path';
  readonly text: string;
  /** Where it can be recalled. */
  readonly seq: number;
}

export interface CompactionPreview {
  readonly outcome: 'ready' | 'refused' | 'cancelled';
  readonly preTokens: number;
  readonly postTokens: number;
  readonly summary: string;
  readonly files: readonly string[];
  /** What stays verbatim, and the user's messages that are copied into the summary message. */
  readonly kept: readonly ContextItem[];
  readonly losses: readonly Loss[];
  /** Paths in the summary that occur nowhere in the log. */
  readonly unverified: readonly string[];
  readonly message?: string;
}

/** What the last compaction did. */
export interface CompactionDiff {
  readonly record: ReductionRecord;
  readonly summary: string;
  readonly dropped: readonly ContextItem[];
  readonly kept: readonly ContextItem[];
  readonly losses: readonly Loss[];
}

/** What the user does to one item. */
export interface ItemEdit {
  readonly action: 'pin' | 'unpin' | 'drop' | 'restore';
  readonly uuid: string;
}
