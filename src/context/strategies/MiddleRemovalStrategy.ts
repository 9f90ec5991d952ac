import { assignMessagePriorities, edgeIds } from './priorities.ts';
import { inRemovalOrder, removableOf, resultWithout, sumTokens, takeUntil } from './removal.ts';
import type { RemovalStrategy } from './types.ts';

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
