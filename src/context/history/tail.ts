/** The one way in which a tail is chosen: newest first, until the budget is used up. */

export interface TailBudget<T> {
  readonly tokens: number;
  readonly sizeOf: (item: T) => number;
  /** True for what stays though the budget is used up. The newest item always does. */
  readonly isRequired?: (item: T, index: number) => boolean;
}

/**
 * Index from which the newest items fit into the budget, in one piece. The newest stays whatever its size:
 * it is to be shortened, not left out.
 */
export function tailStart<T>(
  items: readonly T[],
  { tokens, sizeOf, isRequired = () => false }: TailBudget<T>,
): number {
  let used = 0;
  const tail = items.findLastIndex((item, index) => {
    used += sizeOf(item);
    return used > tokens && index !== items.length - 1 && !isRequired(item, index);
  });
  return tail + 1;
}
