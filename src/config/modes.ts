import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';

/** Other tools' names for our modes; accepted wherever a mode is written, never displayed. */
export const modeAliases = {
  autoEdit: 'acceptEdits',
  auto_edit: 'acceptEdits',
  yolo: 'bypassPermissions',
  manual: 'default',
} as const satisfies Readonly<Record<string, PermissionMode>>;

type ModeAlias = keyof typeof modeAliases;

/** Every name under which a mode may be written: the real ones first. */
export const modeNames = [
  ...permissionModes,
  ...(Object.keys(modeAliases) as ModeAlias[]),
] as const satisfies readonly string[];

/** The mode with this name or alias, or undefined. */
export function parsePermissionMode(name: string): PermissionMode | undefined {
  if (Object.hasOwn(modeAliases, name)) return modeAliases[name as ModeAlias];
  return permissionModes.find((mode) => mode === name);
}

/** The facts that decide which modes are available. */
interface ModeFacts {
  /** Merged from all layers. */
  readonly permissions: {
    readonly auto: { readonly enabled: boolean };
    readonly disableAutoMode?: 'disable' | undefined;
    readonly disableBypassPermissionsMode?: 'disable' | undefined;
  };
  /** `permissions` of managed settings, as written. */
  readonly managed: Readonly<Record<string, unknown>>;
  /** Where each setting comes from, by dotted key. */
  readonly sources: Readonly<Record<string, string>>;
  /** True if the user passed `--permission-mode auto`, which enables that mode for this session. */
  readonly autoByFlag: boolean;
}

/** The unavailable modes, each with a displayable sentence on why and what to do. Pure. */
export function refusedModes(facts: ModeFacts): Partial<Record<PermissionMode, string>> {
  const { permissions, managed, sources, autoByFlag } = facts;
  // A flag cannot enable a mode that an administrator has switched off by name.
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
