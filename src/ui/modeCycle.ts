import type { PermissionMode } from '../protocol/permissions.ts';

/** What Shift+Tab goes to next. `bypassPermissions` is only in the circle when the session was started with it. */
export function nextMode(mode: PermissionMode, bypassAllowed: boolean): PermissionMode {
  const circle: PermissionMode[] = ['default', 'acceptEdits', 'plan'];
  if (bypassAllowed) circle.push('bypassPermissions');
  return circle[(circle.indexOf(mode) + 1) % circle.length] ?? 'default';
}
