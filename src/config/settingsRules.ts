import type { SettingsRule, Values } from './types.ts';

/** The permission rules of a layer. */
export function rulesOf(values: Values, source: string, base: string): SettingsRule[] {
  const permissions = (values.permissions ?? {}) as Partial<Record<SettingsRule['behavior'], string[]>>;
  return (['allow', 'ask', 'deny'] as const).flatMap((behavior) =>
    (permissions[behavior] ?? []).map((text) => ({ text, behavior, source, base })),
  );
}
