import { assignMessagePriorities, EDGE_MESSAGES, edgeIds, isRemovable, rankOf } from './priorities.ts';
import type {
  BaseStrategyName,
  RankedItem,
  RemovalOptions,
  RemovalPlanOptions,
  RemovalResult,
  RemovalStrategy,
  StrategyItem,
  StrategyName,
} from './types.ts';

/**
 * Keeps the beginning and the end. What lies between goes first, low priority first; where that is not
 * enough, what has low priority at the ends. More than that it never takes.
 */
export const MiddleRemovalStrategy: RemovalStrategy = {
  name: 'middle-removal',
  remove(items, targetTokens, { preserveStart, preserveEnd }) {
    const ends = edgeIds(items, { start: preserveStart, end: preserveEnd });
    const candidates = removableOf(assignMessagePriorities(items));
    const middle = inRemovalOrder(candidates.filter(({ id }) => !ends.has(id)));
    const lowAtEnds = candidates.filter(({ id, priority }) => ends.has(id) && priority === 'LOW');
    const { taken } = takeUntil([...middle, ...inRemovalOrder(lowAtEnds)], sumTokens(items) - targetTokens);
    const fromEnds = Math.max(0, taken.length - middle.length);
    const reason =
      fromEnds === 0
        ? `${taken.length} from the middle`
        : `${middle.length} from the middle and ${fromEnds} of low priority from the ends`;
    return resultWithout(items, new Set(taken), { strategy: 'middle-removal', reason });
  },
};

/**
 * Low priority first, and of the same priority the oldest first. The last `preserveEnd` count as the end of
 * the conversation, which ranks them high. At least `minMessages` items stay.
 */
export const OldestRemovalStrategy: RemovalStrategy = {
  name: 'oldest-removal',
  remove(items, targetTokens, { preserveEnd, minMessages }) {
    const ranked = assignMessagePriorities(items, { start: EDGE_MESSAGES, end: preserveEnd });
    const order = inRemovalOrder(removableOf(ranked));
    const most = Math.max(0, items.length - minMessages);
    const { taken } = takeUntil(order, sumTokens(items) - targetTokens, most);
    const reason = `${taken.length} by priority, then by age`;
    return resultWithout(items, new Set(taken), { strategy: 'oldest-removal', reason });
  },
};

/** Looks at the conversation and chooses one of the two; where it cannot tell, both are tried. */
export const HybridStrategy: RemovalStrategy = {
  name: 'hybrid',
  remove(items, targetTokens, options) {
    const features = featuresOf(items, targetTokens);
    const { strategy, confidence } = chooseByFeatures(features);
    const percent = (share: number): string => `${Math.round(share * 100)} %`;
    const seen = `${features.length} messages, ${percent(features.toolShare)} tools, ${percent(features.severity)} to go`;
    if (confidence < options.confidence) {
      const result = adaptiveCompress(items, targetTokens, options);
      return { ...result, confidence, reason: `${seen}; unsure, ${result.reason}` };
    }
    const chosen = strategy === 'middle-removal' ? MiddleRemovalStrategy : OldestRemovalStrategy;
    const result = chosen.remove(items, targetTokens, options);
    return { ...result, confidence, reason: `${seen}; ${strategy}: ${result.reason}` };
  },
};

// Tries both ways of removal and takes the better one. Where that misses the target, removal goes on past the
// ends that the middle way keeps, as the oldest way would: down to the target or to `minMessages`.

/** How much the freed tokens count against the kept messages. */
const REDUCTION_WEIGHT = 0.6;
const PRESERVATION_WEIGHT = 0.4;

/** Both ways, scored; of equal scores the middle wins. An invalid result loses to a valid one. */
export function adaptiveCompress(
  items: readonly StrategyItem[],
  targetTokens: number,
  options: RemovalOptions,
): RemovalResult {
  const middle = MiddleRemovalStrategy.remove(items, targetTokens, options);
  const oldest = OldestRemovalStrategy.remove(items, targetTokens, options);
  const before = { tokens: sumTokens(items), messages: items.length };
  const scores = {
    'middle-removal': efficiencyOf(middle, before),
    'oldest-removal': efficiencyOf(oldest, before),
  };
  const isValid = (result: RemovalResult): boolean => validateRemoval(items, result) === undefined;
  const middleWins =
    isValid(middle) === isValid(oldest)
      ? scores['middle-removal'] >= scores['oldest-removal']
      : isValid(middle);
  const winner = middleWins ? middle : oldest;
  const compared = `middle ${scores['middle-removal'].toFixed(4)}, oldest ${scores['oldest-removal'].toFixed(4)}`;
  const most = Math.max(0, items.length - options.minMessages - winner.removed.length);
  return removeFurther(items, targetTokens, {
    result: { ...winner, scores, reason: `both tried (${compared}): ${winner.reason}` },
    most,
    why: (count) => `then ${count} more to reach the target`,
  });
}

/** 0.6 × share of tokens freed + 0.4 × share of messages kept. */
export function efficiencyOf(
  result: Pick<RemovalResult, 'tokens'> & { readonly kept: { readonly length: number } },
  before: { readonly tokens: number; readonly messages: number },
): number {
  const reduction = before.tokens === 0 ? 0 : 1 - result.tokens / before.tokens;
  const preservation = before.messages === 0 ? 1 : result.kept.length / before.messages;
  return REDUCTION_WEIGHT * reduction + PRESERVATION_WEIGHT * preservation;
}

// What a conversation looks like, as far as it tells which way of removal fits, and how surely.

export interface ConversationFeatures {
  /** Items that can be removed. */
  readonly length: number;
  /** Distribution: the share of their tokens that tool calls and results hold, 0 to 1. */
  readonly toolShare: number;
  /** Severity: the share of all tokens that has to go, 0 to 1. */
  readonly severity: number;
}

export interface StrategyChoice {
  readonly strategy: BaseStrategyName;
  /** 0.5 (the features are at odds) to 1 (all of them say the same). */
  readonly confidence: number;
}

export function featuresOf(items: readonly StrategyItem[], targetTokens: number): ConversationFeatures {
  const removable = items.filter(isRemovable);
  const tokens = sumTokens(removable);
  const total = sumTokens(items);
  const toolTokens = sumTokens(
    removable.filter(({ role, hasCalls, hasResults }) => role === 'tool' || hasCalls || hasResults),
  );
  return {
    length: removable.length,
    toolShare: tokens === 0 ? 0 : toolTokens / tokens,
    severity: total === 0 ? 0 : Math.min(1, Math.max(0, (total - targetTokens) / total)),
  };
}

/**
 * Each feature votes from −1 (middle removal: a short talk whose beginning still counts and of which little
 * has to go) to +1 (oldest removal: a long run of tools of which much has to go). The confidence is
 * 0.5 + |weighted sum| / 2, so 0.6 asks for votes that outweigh each other by a fifth.
 */
function chooseByFeatures(features: ConversationFeatures): StrategyChoice {
  const sum = VOTES.reduce(
    (total, { feature, from, to, weight }) => total + weight * vote(features[feature], from, to),
    0,
  );
  return {
    strategy: sum > 0 ? 'oldest-removal' : 'middle-removal',
    confidence: 0.5 + Math.abs(sum) / 2,
  };
}

/** At `from` and below a feature votes −1, at `to` and above +1, between them in proportion. */
const VOTES: readonly {
  readonly feature: keyof ConversationFeatures;
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}[] = [
  { feature: 'length', from: 10, to: 50, weight: 0.4 },
  { feature: 'toolShare', from: 0.25, to: 0.75, weight: 0.3 },
  { feature: 'severity', from: 0.2, to: 0.6, weight: 0.3 },
];

function vote(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(-1, (2 * (value - from)) / (to - from) - 1));
}

// What all strategies share: the order in which things go, and the list that is left.

/** Tokens of a list. */
export function sumTokens(items: readonly StrategyItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Low priority first; of the same priority the oldest first, and of the same time the one that stands first. */
function inRemovalOrder(items: readonly RankedItem[]): RankedItem[] {
  return items
    .map((item, index) => ({ item, index }))
    .sort(
      (a, b) =>
        rankOf[a.item.priority] - rankOf[b.item.priority] ||
        a.item.timestamp - b.item.timestamp ||
        a.index - b.index,
    )
    .map(({ item }) => item);
}

/** Takes candidates in their order until `excess` tokens are gone or `most` items are. */
function takeUntil(
  candidates: readonly StrategyItem[],
  excess: number,
  most = Number.POSITIVE_INFINITY,
): { readonly taken: readonly string[]; readonly freed: number } {
  const taken: string[] = [];
  let freed = 0;
  for (const { id, tokens } of candidates) {
    if (freed >= excess || taken.length >= most) break;
    taken.push(id);
    freed += tokens;
  }
  return { taken, freed };
}

/** The result of removing these ids: what is kept and what is not, each in the order of the list. */
function resultWithout(
  items: readonly StrategyItem[],
  removed: ReadonlySet<string>,
  facts: Pick<RemovalResult, 'strategy' | 'reason' | 'confidence' | 'scores'>,
): RemovalResult {
  const kept = items.filter(({ id }) => !removed.has(id));
  return {
    ...facts,
    kept: kept.map(({ id }) => id),
    removed: items.filter(({ id }) => removed.has(id)).map(({ id }) => id),
    tokens: sumTokens(kept),
  };
}

export interface FurtherRemoval {
  /** What a strategy has removed so far. */
  readonly result: RemovalResult;
  /** Items that may go at most; absent = all that are removable. */
  readonly most?: number;
  /** Completes the result's reason when `count` more items were removed. */
  readonly why: (count: number) => string;
}

/** Removes more, low priority first, then the oldest, until `targetTokens` is reached or nothing more may go. */
function removeFurther(
  items: readonly StrategyItem[],
  targetTokens: number,
  { result, most, why }: FurtherRemoval,
): RemovalResult {
  if (result.tokens <= targetTokens) return result;
  const gone = new Set(result.removed);
  const rest = removableOf(assignMessagePriorities(items)).filter(({ id }) => !gone.has(id));
  const { taken } = takeUntil(inRemovalOrder(rest), result.tokens - targetTokens, most);
  if (taken.length === 0) return result;
  const { strategy, confidence, scores } = result;
  return resultWithout(items, new Set([...gone, ...taken]), {
    strategy,
    reason: `${result.reason}, ${why(taken.length)}`,
    ...(confidence === undefined ? {} : { confidence }),
    ...(scores === undefined ? {} : { scores }),
  });
}

/** Those of a ranked list that may go. */
function removableOf(items: readonly RankedItem[]): RankedItem[] {
  return items.filter(isRemovable);
}

// The one door to removal. A strategy removes down to the target as far as its own promise allows: middle removal
// keeps the ends, oldest removal keeps `minMessages`, and an unsure hybrid gives up the ends only down to
// `minMessages`. The promise is broken only for a request that could not be sent otherwise, no further than that
// needs, and the reason says so.

/**
 * Runs the chosen strategy and, where its result is not valid, the others in turn. The result may miss the target,
 * and even `mustFitTokens` where too much is pinned. The newest item always stays. Undefined when the list already
 * fits, when nothing may go, or when no strategy has a valid result: then the list is kept as it is.
 */
export function planRemoval(
  items: readonly StrategyItem[],
  targetTokens: number,
  options: RemovalPlanOptions,
  strategies: Readonly<Record<StrategyName, RemovalStrategy>> = allStrategies,
): RemovalResult | undefined {
  if (sumTokens(items) <= targetTokens) return undefined;
  const newest = items.at(-1);
  const list = items.map((item) => (item === newest ? { ...item, isPinned: true } : item));
  const first = strategies[options.strategy];
  const others = Object.values(strategies).filter((strategy) => strategy !== first);
  const refusals: string[] = [];
  for (const strategy of [first, ...others]) {
    const result = strategy.remove(list, targetTokens, options);
    const fitting = makeFit(list, result, options);
    // The ends or the minimum are all there is: no reason to ask a strategy that would take from them.
    if (isUnchanged(list, fitting)) return undefined;
    const problem = validateRemoval(list, fitting);
    if (problem === undefined) return withRefusals(fitting, refusals);
    refusals.push(`${strategy.name} was refused: ${problem}`);
  }
  return undefined;
}

export const allStrategies: Readonly<Record<StrategyName, RemovalStrategy>> = {
  'middle-removal': MiddleRemovalStrategy,
  'oldest-removal': OldestRemovalStrategy,
  hybrid: HybridStrategy,
};

/** Goes past the ends and the minimum, but only until the request can be sent. */
function makeFit(
  list: readonly StrategyItem[],
  result: RemovalResult,
  { mustFitTokens = Number.POSITIVE_INFINITY, minMessages }: RemovalPlanOptions,
): RemovalResult {
  const unlessSent = 'because the request would not have fitted otherwise';
  return removeFurther(list, mustFitTokens, {
    result,
    why: (count) =>
      result.strategy === 'oldest-removal' || result.scores !== undefined
        ? `then ${count} more, and fewer than ${minMessages} messages kept, ${unlessSent}`
        : `then ${count} more from the ends, ${unlessSent}`,
  });
}

function isUnchanged(list: readonly StrategyItem[], { kept, removed, tokens }: RemovalResult): boolean {
  return (
    removed.length === 0 &&
    tokens === sumTokens(list) &&
    kept.length === list.length &&
    list.every(({ id }, index) => id === kept[index])
  );
}

function withRefusals(result: RemovalResult, refusals: readonly string[]): RemovalResult {
  return refusals.length === 0
    ? result
    : { ...result, reason: `${refusals.join('; ')}; instead ${result.reason}` };
}

// Whether a result of a strategy may be applied.

/**
 * What is wrong with a result, in words; undefined when it may be applied. Kept and removed have to be the
 * list itself, in its order; nothing that may not go is gone; something is left; the count is right; and
 * something was gained, since a result that removes nothing scores well and is of no use.
 */
export function validateRemoval(items: readonly StrategyItem[], result: RemovalResult): string | undefined {
  const removed = new Set(result.removed);
  if (removed.size !== result.removed.length) return 'it removes something twice';
  if (result.kept.length + removed.size !== items.length) return 'it invents or loses something';
  const kept = items.filter(({ id }) => !removed.has(id));
  if (kept.some(({ id }, index) => id !== result.kept[index])) return 'it changes the order';
  if (kept.length !== result.kept.length) return 'it invents or loses something';
  const gone = items.filter(({ id }) => removed.has(id));
  if (!gone.every(isRemovable)) return 'it removes what is pinned';
  if (kept.length === 0) return 'it leaves nothing';
  if (result.tokens !== sumTokens(kept)) return 'its count is wrong';
  if (sumTokens(gone) <= 0) return 'it frees nothing';
  return undefined;
}
