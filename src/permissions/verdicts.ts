/** Combining what was decided about the parts of one call. */
import type { PermissionDecision } from '../protocol/permissions.ts';

const weight = { allow: 0, ask: 1, deny: 2 } as const;

/** The gravest of several decisions, the first among equals; undefined when there are none. */
export function gravest<T extends PermissionDecision>(decisions: readonly T[]): T | undefined {
  return decisions.reduce<T | undefined>(
    (worst, next) => (worst === undefined || weight[next.behavior] > weight[worst.behavior] ? next : worst),
    undefined,
  );
}
