/**
 * Types for removal. A strategy works on items, never on entries: an item represents one atom, so no strategy can
 * separate a call from its result. All strategies are pure and use no clock.
 */

/** `CRITICAL` is never removed; the others are removed from `LOW` to `HIGH`. */
export type MessagePriority = 'LOW' | 'NORMAL' | 'HIGH' | 'CRITICAL';

export interface StrategyItem {
  /** Uuid of the atom's head; unique in its list. */
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Calibrated tokens of the whole atom with calls and results: what removing it frees. */
  readonly tokens: number;
  /** Tokens of the head's text, without calls and results; decides whether the message is long or short. */
  readonly textTokens: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** True if the text contains `?` or `？`. */
  readonly hasQuestion: boolean;
  /** True if it has tool calls. */
  readonly hasCalls: boolean;
  /** True if it has tool output that is not masked. */
  readonly hasResults: boolean;
  /** Explicit priority; the rules do not change it. */
  readonly priority?: MessagePriority;
  /** Never removed, whatever its priority. */
  readonly isPinned: boolean;
}

/** An item with a priority. */
export type RankedItem = StrategyItem & { readonly priority: MessagePriority };

export type StrategyName = 'middle-removal' | 'oldest-removal' | 'hybrid';

/** Strategies that hybrid chooses between. */
export type BaseStrategyName = Exclude<StrategyName, 'hybrid'>;

export interface RemovalOptions {
  /** Removable items that middle removal keeps at the beginning. */
  readonly preserveStart: number;
  /** The same at the end; oldest removal ranks them high. */
  readonly preserveEnd: number;
  /**
   * Minimum items that oldest removal keeps, including those that cannot be removed; an uncertain hybrid removes from
   * the ends only down to it.
   */
  readonly minMessages: number;
  /** Hybrid tries both strategies below this confidence; 0 to 1. */
  readonly confidence: number;
}

export interface RemovalResult {
  /** Ids in the order of the input; together with `removed` they are the input, each id once. */
  readonly kept: readonly string[];
  readonly removed: readonly string[];
  /** Tokens of the kept items. */
  readonly tokens: number;
  /** The strategy that was used; for hybrid the one it chose. */
  readonly strategy: BaseStrategyName;
  /** One line for the log and `/context`: why this strategy, and what else was removed for which reason. */
  readonly reason: string;
  /** Confidence of hybrid's choice, 0.5 to 1. */
  readonly confidence?: number;
  /** Efficiency of both strategies, if both were tried. */
  readonly scores?: Readonly<Record<BaseStrategyName, number>>;
}

/** A strategy and its amounts. */
export interface RemovalPlanOptions extends RemovalOptions {
  readonly strategy: StrategyName;
  /**
   * Largest request that can be sent: only above it are the ends and the minimum given up. Absent = they are always
   * kept.
   */
  readonly mustFitTokens?: number;
}

export interface RemovalStrategy {
  readonly name: StrategyName;
  /** Removes items until `targetTokens` is reached or no more may be removed; the result may miss the target. */
  remove(items: readonly StrategyItem[], targetTokens: number, options: RemovalOptions): RemovalResult;
}
