import type { PermissionMode } from '../protocol/permissions.ts';

/** What Shift+Tab goes to next; from a mode that is not in the circle, to its beginning. */
export function nextMode(mode: PermissionMode, cycle: readonly PermissionMode[]): PermissionMode {
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? 'default';
}
