/**
 * The words of removal. A strategy sees items, never entries: one item stands for one atom, so no strategy
 * can part a call from its result. Everything here is pure and knows no clock.
 */

/** `CRITICAL` is never removed; the others go from `LOW` to `HIGH`. */
export type MessagePriority = 'LOW' | 'NORMAL' | 'HIGH' | 'CRITICAL';

export interface StrategyItem {
  /** Uuid of the atom's head; unique in its list. */
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Of the whole atom with calls and results, calibrated: what removing it frees. */
  readonly tokens: number;
  /** Of what its head says in words, without calls and results: what the rules call long and short. */
  readonly textTokens: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** Its words contain `?` or `？`. */
  readonly hasQuestion: boolean;
  /** It asks for tools to be run. */
  readonly hasCalls: boolean;
  /** It holds the output of a tool as it came; one that was masked holds a pointer and no output. */
  readonly hasResults: boolean;
  /** Set by a caller that knows better than the rules; they keep it. */
  readonly priority?: MessagePriority;
  /** Never removed, whatever its priority. */
  readonly isPinned: boolean;
}

/** An item whose priority has been decided. */
export type RankedItem = StrategyItem & { readonly priority: MessagePriority };

export type StrategyName = 'middle-removal' | 'oldest-removal' | 'hybrid';

/** What both ways of removal reach. */
export type BaseStrategyName = Exclude<StrategyName, 'hybrid'>;

export interface RemovalOptions {
  /** Removable items at the beginning that middle removal keeps. */
  readonly preserveStart: number;
  /** The same at the end; oldest removal ranks them high. */
  readonly preserveEnd: number;
  /**
   * Items that oldest removal leaves at least, those that cannot be removed counted in; an unsure hybrid takes from
   * the ends only down to it.
   */
  readonly minMessages: number;
  /** Below this confidence hybrid tries both ways; 0 to 1. */
  readonly confidence: number;
}

export interface RemovalResult {
  /** Ids in the order of the input; with `removed` they are the input, each id once. */
  readonly kept: readonly string[];
  readonly removed: readonly string[];
  /** Of what is kept. */
  readonly tokens: number;
  /** The way that was taken: hybrid names the one it chose. */
  readonly strategy: BaseStrategyName;
  /** One line for the log and `/context`: why this way, and what else was removed for which reason. */
  readonly reason: string;
  /** Of hybrid's choice, 0.5 to 1. */
  readonly confidence?: number;
  /** Efficiency of both ways, where both were tried. */
  readonly scores?: Readonly<Record<BaseStrategyName, number>>;
}

/** Which strategy, and its amounts. */
export interface RemovalPlanOptions extends RemovalOptions {
  readonly strategy: StrategyName;
  /**
   * Above this the request could not be sent at all: only then do the ends and the minimum give way. Absent = they
   * always hold.
   */
  readonly mustFitTokens?: number;
}

export interface RemovalStrategy {
  readonly name: StrategyName;
  /** Removes until `targetTokens` is reached or nothing more may go; the result may miss the target. */
  remove(items: readonly StrategyItem[], targetTokens: number, options: RemovalOptions): RemovalResult;
}
