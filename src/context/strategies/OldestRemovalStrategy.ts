import { assignMessagePriorities, EDGE_MESSAGES } from './priorities.ts';
import { inRemovalOrder, removableOf, resultWithout, sumTokens, takeUntil } from './removal.ts';
import type { RemovalStrategy } from './types.ts';

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
