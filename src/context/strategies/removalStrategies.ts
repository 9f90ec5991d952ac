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
 * Keeps the beginning and the end. Removes messages between them, low priority first; if that is not enough,
 * low-priority messages at the ends. Never removes more than that.
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
 * Removes low priority first, and the oldest first within a priority. The last `preserveEnd` items count as the end of
 * the conversation, which ranks them high. Keeps at least `minMessages` items.
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

/** Chooses one of the two by the features of the conversation; if the choice is uncertain, tries both. */
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

// Tries both strategies and uses the better result. If it misses the target, removal continues into the ends that
// middle removal keeps, as oldest removal would, down to the target or to `minMessages`.

/** Weight of the freed tokens compared with the kept messages. */
const REDUCTION_WEIGHT = 0.6;
const PRESERVATION_WEIGHT = 0.4;

/** Scores both strategies; middle removal wins a tie. A valid result beats an invalid one. */
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
function efficiencyOf(
  result: Pick<RemovalResult, 'tokens'> & { readonly kept: { readonly length: number } },
  before: { readonly tokens: number; readonly messages: number },
): number {
  const reduction = before.tokens === 0 ? 0 : 1 - result.tokens / before.tokens;
  const preservation = before.messages === 0 ? 1 : result.kept.length / before.messages;
  return REDUCTION_WEIGHT * reduction + PRESERVATION_WEIGHT * preservation;
}

// Features of a conversation that indicate the better strategy, and how clearly.

interface ConversationFeatures {
  /** Number of removable items. */
  readonly length: number;
  /** Share of their tokens in tool calls and results, 0 to 1. */
  readonly toolShare: number;
  /** Share of all tokens that must be removed, 0 to 1. */
  readonly severity: number;
}

interface StrategyChoice {
  readonly strategy: BaseStrategyName;
  /** 0.5 (the features disagree) to 1 (all agree). */
  readonly confidence: number;
}

function featuresOf(items: readonly StrategyItem[], targetTokens: number): ConversationFeatures {
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
 * Each feature votes from −1 (middle removal: a short conversation whose beginning still matters, where little must be
 * removed) to +1 (oldest removal: a long run of tool calls, where much must be removed). The confidence is 0.5 +
 * |weighted sum| / 2, so 0.6 requires a weighted sum of at least 0.2 either way.
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

/** A feature votes −1 up to `from`, +1 from `to` on, and linearly in between. */
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

// Shared by all strategies: removal order and results.

/** Total tokens of a list. */
function sumTokens(items: readonly StrategyItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Low priority first; within a priority the oldest first, then by position. */
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

/** Takes candidates in order until `excess` tokens are freed or `most` items are taken. */
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

/** The result of removing these ids; kept and removed ids are in list order. */
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

interface FurtherRemoval {
  /** The result of a strategy so far. */
  readonly result: RemovalResult;
  /** Maximum additional items to remove; absent = all removable ones. */
  readonly most?: number;
  /** Text to append to the reason when `count` more items were removed. */
  readonly why: (count: number) => string;
}

/**
 * Removes more items, low priority first, then the oldest, until `targetTokens` is reached or no item may be removed.
 */
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

/** The removable items of a ranked list. */
function removableOf(items: readonly RankedItem[]): RankedItem[] {
  return items.filter(isRemovable);
}

// Entry point of removal. Each strategy removes down to the target as far as its guarantees allow: middle removal keeps
// the ends, oldest removal keeps `minMessages`, and an uncertain hybrid removes from the ends only down to
// `minMessages`. A guarantee is broken only if the request could not be sent otherwise, only as far as necessary, and
// the reason says so.

/**
 * Runs the chosen strategy and, if its result is invalid, the others in turn. The result may miss the target and, if
 * too much is pinned, even `mustFitTokens`. The newest item always stays. Undefined if the list already fits, nothing
 * may be removed, or no strategy returns a valid result.
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
    // Only the ends or the minimum are left: do not try strategies that would remove from them.
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

/** Removes beyond the ends and the minimum, but only until the request can be sent. */
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

// Checks whether a strategy's result may be applied.

/**
 * Returns the problem of a result; undefined if it may be applied. Kept and removed ids must make up the list in its
 * order, only removable items may be removed, at least one item must be kept, the token count must be right, and tokens
 * must be freed, since a result that removes nothing would score well.
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
