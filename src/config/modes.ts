import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';

/** Other tools' names for our modes; accepted wherever a mode is written, never shown. */
export const modeAliases = {
  autoEdit: 'acceptEdits',
  auto_edit: 'acceptEdits',
  yolo: 'bypassPermissions',
  manual: 'default',
} as const satisfies Readonly<Record<string, PermissionMode>>;

export type ModeAlias = keyof typeof modeAliases;

/** Every name under which a mode may be written: the real ones first. */
export const modeNames = [
  ...permissionModes,
  ...(Object.keys(modeAliases) as ModeAlias[]),
] as const satisfies readonly string[];

/** The mode that a name means, or nothing when it means none. */
export function parsePermissionMode(name: string): PermissionMode | undefined {
  if (Object.hasOwn(modeAliases, name)) return modeAliases[name as ModeAlias];
  return permissionModes.find((mode) => mode === name);
}
