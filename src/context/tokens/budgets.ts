/** Divides a context window. All figures are tokens; all token figures on screen come from here. */

import type { ModelInfo } from '../../protocol/models/model.ts';
import { assumedWindow } from '../../protocol/models/modelNames.ts';
import type { ContextSettings } from '../../protocol/settings/contextSettings.ts';

export interface WindowBudget {
  readonly window: number;
  /** True if the server named the window in an overflow error and it is smaller than the known one. */
  readonly isLearned: boolean;
  readonly replyReserve: number;
  /** Kept free so that a summary can still be requested when the trigger is reached. */
  readonly summaryReserve: number;
  /** A request of this size or more is compacted before it is sent. */
  readonly trigger: number;
  /** No draft of the next summary is started below this. */
  readonly draftAt: number;
  /** From here on messages are removed without waiting for a summary. */
  readonly removeAt: number;
  /** Maximum size of a request. */
  readonly limit: number;
}

/** The budget for a model's window; `learnedWindow` is the window that an overflow error revealed. */
export function windowBudget(
  model: ModelInfo,
  settings: ContextSettings,
  learnedWindow = Number.POSITIVE_INFINITY,
): WindowBudget {
  const known =
    model.windowTokens > 0 ? model.windowTokens : assumedWindow(settings.unknownWindow, model.provider);
  const window = Math.min(known, learnedWindow, settings.totalBudget ?? Number.POSITIVE_INFINITY);
  const ownReply = model.maxOutputTokens > 0 ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  const replyReserve = Math.floor(Math.min(settings.replyReserve, window / 4, ownReply));
  const summaryReserve = Math.floor(Math.min(settings.compact.summaryTokens, window / 16));
  const { systemPrompt, summary, retrieved, messages, currentInput } = settings.budget;
  const shared = systemPrompt + summary + retrieved + messages + currentInput + 1e-9;
  const trigger = Math.floor(
    Math.min(
      // Shares that a part does not use go to the messages; the unassigned share stays free.
      Math.min(1, shared) * window,
      settings.compact.threshold * window,
      window - replyReserve - summaryReserve,
      settings.compressionThreshold ?? Number.POSITIVE_INFINITY,
    ),
  );
  const limit = window - Math.floor(replyReserve / 4);
  return {
    window,
    isLearned: window === learnedWindow && learnedWindow < known,
    replyReserve,
    summaryReserve,
    trigger,
    draftAt: Math.floor(DRAFT_AT * trigger),
    removeAt: Math.floor(Math.min(Math.max(settings.removal.at * window, trigger), limit)),
    limit,
  };
}

/** Share of the trigger below which no draft is started, however fast the request grows. */
const DRAFT_AT = 0.65;

/** When and how far old steps are masked. */
export interface MaskBudget {
  /** A request of this size or more is masked if that frees `batch` tokens. */
  readonly at: number;
  /** Tokens of the newest steps that stay. */
  readonly protect: number;
  readonly batch: number;
}

/**
 * The shares are of at most 200,000 tokens, since in a larger window the cost grows with the request. With long
 * instructions (`fixed`) the share alone would leave too little room for the conversation.
 */
export function maskBudget(window: number, fixed: number, { mask }: ContextSettings): MaskBudget {
  const effective = Math.min(window, EFFECTIVE_WINDOW);
  return {
    at: Math.floor(Math.max(mask.at * effective, Math.min(fixed + LEAST_WORK, 0.7 * window))),
    protect: Math.floor(mask.protect * effective),
    batch: Math.floor(mask.batch * effective),
  };
}

/** Maximum window to which the economy strategy applies its shares. */
export const EFFECTIVE_WINDOW = 200_000;
/** Minimum tokens of conversation before masking. */
const LEAST_WORK = 16_000;

export interface CompactionBudget {
  /** Maximum size of the request after the compaction. */
  readonly target: number;
  /** Tokens of the newest atoms that stay verbatim. */
  readonly retain: number;
  readonly summary: number;
  /** Additional tokens for recorded facts. */
  readonly facts: number;
  /** Tokens for user messages from the summarized part. */
  readonly messages: number;
  /** Tokens for quoted files. */
  readonly snippets: number;
}

/**
 * Divides the tokens after a compaction. `fixed` is the part that cannot shrink (tools, system prompt, instructions),
 * `retain` the desired tail. In a window that these almost fill, everything else shrinks with the remaining room, so
 * that there is always room for new work.
 */
export function compactionBudget(
  { window, trigger }: Pick<WindowBudget, 'window' | 'trigger'>,
  settings: ContextSettings['compact'],
  { fixed, retain }: { readonly fixed: number; readonly retain: number },
): CompactionBudget {
  const room = Math.max(0, trigger - fixed);
  return {
    target: Math.floor(fixed + 0.6 * room),
    retain: Math.floor(Math.min(retain, 0.4 * room)),
    summary: Math.max(MIN_SUMMARY, Math.floor(Math.min(settings.summaryTokens, 0.3 * room))),
    facts: Math.floor(Math.min(MAX_FACTS, 0.04 * window, 0.1 * room)),
    messages: Math.floor(Math.min(MAX_MESSAGES, 0.1 * window, 0.2 * room)),
    snippets: Math.floor(Math.min(0.1 * window, 0.15 * room)),
  };
}

/** Tokens of the tail that a compaction at the trigger keeps. */
export function tailTokens(
  { trigger }: Pick<WindowBudget, 'trigger'>,
  { retain }: ContextSettings['compact'],
  fixed: number,
): number {
  return retain * Math.max(0, trigger - fixed);
}

/** About a hundred paths: as many as were seen in sessions of thousands of steps. */
const MAX_FACTS = 6000;
/** The same maximum as in Codex. */
const MAX_MESSAGES = 20_000;
/** A shorter summary is not useful. */
const MIN_SUMMARY = 200;

/** True if `tokens` has reached `share` of the window. */
export function reachesShare(tokens: number, windowTokens: number, share: number): boolean {
  // 0.8 has no exact binary value: without the tolerance, 28 of 35 would be less than 0.8.
  return tokens >= share * windowTokens - 1e-9 * windowTokens;
}

/** Division of a budget in tokens. The parts are maximums: what one does not use goes to the messages. */
export interface ContextBudget {
  readonly systemPrompt: number;
  readonly summary: number;
  readonly retrieved: number;
  readonly recentMessages: number;
  readonly currentInput: number;
}

/** Divides `total` tokens by the shares of the settings (by default 20, 10, 10, 55 and 5 percent). */
export function allocateBudget(total: number, shares: ContextSettings['budget']): ContextBudget {
  const part = (share: number): number => Math.floor(total * share + 1e-9);
  return {
    systemPrompt: part(shares.systemPrompt),
    summary: part(shares.summary),
    retrieved: part(shares.retrieved),
    recentMessages: part(shares.messages),
    currentInput: part(shares.currentInput),
  };
}

/** Tracks how much of a token budget each category has been granted. */
export class TokenBudgetTracker {
  readonly #total: number;
  readonly #granted = new Map<string, number>();
  #used = 0;

  constructor(totalTokens: number) {
    if (!isAmount(totalTokens)) throw new RangeError(`A budget of ${totalTokens} tokens makes no sense.`);
    this.#total = totalTokens;
  }

  /** Grants all of `tokens` or nothing; false if too few are left or `tokens` is not a valid amount. */
  allocate(category: string, tokens: number): boolean {
    if (!isAmount(tokens) || this.#used + tokens > this.#total) return false;
    this.#used += tokens;
    this.#granted.set(category, (this.#granted.get(category) ?? 0) + tokens);
    return true;
  }

  getRemaining(): number {
    return this.#total - this.#used;
  }

  /** Granted tokens by category, in the order of the first grant. */
  getBreakdown(): Record<string, number> {
    return Object.fromEntries(this.#granted);
  }
}

function isAmount(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens >= 0;
}
