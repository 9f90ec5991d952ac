/** Combines the decisions about the parts of one call. */
import type { PermissionDecision } from '../protocol/permissions.ts';

const weight = { allow: 0, ask: 1, deny: 2 } as const;

/** The most severe of several decisions, the first among equals; undefined if there are none. */
export function gravest<T extends PermissionDecision>(decisions: readonly T[]): T | undefined {
  return decisions.reduce<T | undefined>(
    (worst, next) => (worst === undefined || weight[next.behavior] > weight[worst.behavior] ? next : worst),
    undefined,
  );
}

/** Maximum number of reasons in an approval prompt. */
const MAX_REASONS = 5;

/** The reasons of all decisions with this result, one per line, up to a limit. */
export function reasonOf(
  decisions: readonly PermissionDecision[],
  behavior: PermissionDecision['behavior'],
): string {
  const reasons = [
    ...new Set(decisions.filter((one) => one.behavior === behavior).map(({ reason }) => reason)),
  ];
  if (behavior === 'allow') return reasons[0] ?? '';
  const shown = reasons.slice(0, MAX_REASONS);
  const more = reasons.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
