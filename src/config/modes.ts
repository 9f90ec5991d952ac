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

/** What decides which modes there are. */
export interface ModeFacts {
  /** Of all layers together. */
  readonly permissions: {
    readonly auto: { readonly enabled: boolean };
    readonly disableAutoMode?: 'disable' | undefined;
    readonly disableBypassPermissionsMode?: 'disable' | undefined;
  };
  /** `permissions` of managed settings, as written. */
  readonly managed: Readonly<Record<string, unknown>>;
  /** Where each setting comes from, by dotted key. */
  readonly sources: Readonly<Record<string, string>>;
  /** Whether the user typed `--permission-mode auto`, which enables that mode for this run. */
  readonly autoByFlag: boolean;
}

/** The modes that cannot be had, each with why and what to do: a sentence ready to show. Pure. */
export function refusedModes(facts: ModeFacts): Partial<Record<PermissionMode, string>> {
  const { permissions, managed, sources, autoByFlag } = facts;
  // What an administrator has switched off by name no flag switches on.
  const autoForbidden = (managed.auto as { readonly enabled?: unknown } | undefined)?.enabled === false;
  const off = (mode: PermissionMode, key: string): string =>
    `The mode ${mode} is switched off by "permissions.${key}" in ${sources[`permissions.${key}`] ?? 'the settings'}.`;
  const refused: Partial<Record<PermissionMode, string>> = {};
  if (permissions.disableBypassPermissionsMode === 'disable')
    refused.bypassPermissions = off('bypassPermissions', 'disableBypassPermissionsMode');
  if (permissions.disableAutoMode === 'disable') refused.auto = off('auto', 'disableAutoMode');
  else if (autoForbidden) refused.auto = off('auto', 'auto.enabled');
  else if (!permissions.auto.enabled && !autoByFlag)
    refused.auto =
      'The mode auto is off. Set "permissions.auto.enabled" to true in your own config.json, or start with --permission-mode auto.';
  return refused;
}
