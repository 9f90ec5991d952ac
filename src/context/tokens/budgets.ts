/** How a context window is divided. All figures are tokens; every number on screen comes from here. */

import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { ModelInfo } from '../../protocol/model.ts';
import { assumedWindow } from '../../protocol/modelDefaults.ts';

export interface WindowBudget {
  readonly window: number;
  /** The server named it in an overflow error, and it is smaller than what is known of the model. */
  readonly isLearned: boolean;
  readonly replyReserve: number;
  /** Kept free so that a summary can still be asked for when the trigger is reached. */
  readonly summaryReserve: number;
  /** A request of this size or more is compacted before it is sent. */
  readonly trigger: number;
  /** A draft of the next summary is never begun below this. */
  readonly draftAt: number;
  /** From here on nothing is waited for: messages are removed. */
  readonly removeAt: number;
  /** Nothing larger is ever sent. */
  readonly limit: number;
}

/** The budget of a model's window; `learnedWindow` is what an error of the server revealed. */
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
      // What the parts do not use goes to the messages; what no part is given stays free.
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

/** Share of the trigger below which no draft is begun, however fast the request grows (S2's thread summary). */
const DRAFT_AT = 0.65;

/** When and how far old steps are shortened to pointers. */
export interface MaskBudget {
  /** A request of this size or more is shortened, when that frees `batch`. */
  readonly at: number;
  /** What stays as it is, newest first. */
  readonly protect: number;
  readonly batch: number;
}

/**
 * The shares are of the window up to 200,000 tokens: in a larger one the bill grows with the request as well.
 * Around long instructions (`fixed`) the share alone would leave too little to work with.
 */
export function maskBudget(window: number, fixed: number, { mask }: ContextSettings): MaskBudget {
  const effective = Math.min(window, EFFECTIVE_WINDOW);
  return {
    at: Math.floor(Math.max(mask.at * effective, Math.min(fixed + LEAST_WORK, 0.7 * window))),
    protect: Math.floor(mask.protect * effective),
    batch: Math.floor(mask.batch * effective),
  };
}

/** Of a larger window, economy takes its shares of this much. */
export const EFFECTIVE_WINDOW = 200_000;
/** Tokens of conversation that are never too much. */
const LEAST_WORK = 16_000;

export interface CompactionBudget {
  /** What the request should be at most afterwards. */
  readonly target: number;
  /** Atoms that stay verbatim, newest first. */
  readonly retain: number;
  readonly summary: number;
  /** What recorded facts may take in addition. */
  readonly facts: number;
  /** The user's own words from what is summarised. */
  readonly messages: number;
  /** Files that are quoted. */
  readonly snippets: number;
}

/**
 * How much of what a compaction leaves behind. `fixed` is what no compaction can shrink (tools, system,
 * instructions), `retain` the tail that is wished for. In a window that these nearly fill, everything else shrinks
 * with the room that is left, so that there is always room for new work afterwards.
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

/** Tokens of the tail that a compaction at the trigger leaves. */
export function tailTokens(
  { trigger }: Pick<WindowBudget, 'trigger'>,
  { retain }: ContextSettings['compact'],
  fixed: number,
): number {
  return retain * Math.max(0, trigger - fixed);
}

/** Some hundred paths: as many as a session of thousands of steps was seen to have. */
const MAX_FACTS = 6000;
/** Codex keeps as much of the user's messages. */
const MAX_MESSAGES = 20_000;
/** Below this a summary says nothing. */
const MIN_SUMMARY = 200;

/** True from exactly `share` of the window on. */
export function reachesShare(tokens: number, windowTokens: number, share: number): boolean {
  // 0.8 is no binary fraction: without the last part 28 of 35 would be less than 0.8 of it.
  return tokens >= share * windowTokens - 1e-9 * windowTokens;
}

/** S2's division of a budget, in tokens. The shares are caps: what a part does not use goes to the messages. */
export interface ContextBudget {
  readonly systemPrompt: number;
  readonly summary: number;
  readonly retrieved: number;
  readonly recentMessages: number;
  readonly currentInput: number;
}

/** Divides `total` tokens by the shares of the settings (S2: 20, 10, 10, 55 and 5 percent). */
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

/** A budget of tokens and what has been granted of it, by category. */
export class TokenBudgetTracker {
  readonly #total: number;
  readonly #granted = new Map<string, number>();
  #used = 0;

  constructor(totalTokens: number) {
    if (!isAmount(totalTokens)) throw new RangeError(`A budget of ${totalTokens} tokens makes no sense.`);
    this.#total = totalTokens;
  }

  /** Grants all of `tokens` or nothing; false for more than is left, and for what is no amount. */
  allocate(category: string, tokens: number): boolean {
    if (!isAmount(tokens) || this.#used + tokens > this.#total) return false;
    this.#used += tokens;
    this.#granted.set(category, (this.#granted.get(category) ?? 0) + tokens);
    return true;
  }

  /** Gives back what a category was granted. */
  release(category: string): void {
    this.#used -= this.#granted.get(category) ?? 0;
    this.#granted.delete(category);
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
