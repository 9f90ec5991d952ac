/** Whether a result of a strategy may be applied. */
import { isRemovable } from './priorities.ts';
import { sumTokens } from './removal.ts';
import type { RemovalResult, StrategyItem } from './types.ts';

/**
 * What is wrong with a result, in words; undefined when it may be applied. Kept and removed have to be the
 * list itself, in its order; nothing that may not go is gone; something is left; the count is right; and
 * something was gained, since a result that removes nothing scores well and helps nobody.
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
