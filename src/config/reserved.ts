/**
 * Settings that apply only in some layers, because a folder must not loosen them. Pure, except that it modifies
 * `values`.
 */
import type { Layer, Problem, Values } from './types.ts';

/** Removes from a layer below managed settings what does not apply there, and reports it. Modifies `values`. */
export function dropReserved(values: Values, file: string, layer: Layer): Problem[] {
  const problems: Problem[] = [];
  const drop = (holder: Values, key: string, path: string, advice: string): void => {
    const isDefault = saysNothing(holder[key]);
    delete holder[key];
    if (isDefault) return;
    problems.push({ layer, file, key: path, message: `${file}: "${path}" is ignored here: ${advice}` });
  };
  for (const key of ['allowManagedPermissionRulesOnly', 'allowManagedHooksOnly'])
    drop(values, key, key, 'it counts in managed settings only.');
  if (layer === 'user') return problems;
  const reader = 'only your own config.json, --settings or CLAWDCODE_ENABLE_TELEMETRY turns it on.';
  drop(values, 'telemetry', 'telemetry', reader);
  const permissions = values.permissions as Values | undefined;
  if (permissions === undefined) return problems;
  const own = 'only your own config.json or --permission-mode switches the mode auto on.';
  drop(permissions, 'auto', 'permissions.auto', own);
  if (permissions.defaultMode === 'auto') drop(permissions, 'defaultMode', 'permissions.defaultMode', own);
  return problems;
}

/** True if absent or equal to the defaults: a copy of the example file is not a mistake. */
function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(saysNothing);
  return value === undefined || value === false;
}

/**
 * Removes from a folder's settings the further models that the user's own settings do not name: the name decides who
 * reads the conversation. Modifies `values`.
 */
export function dropUnnamedModels(
  values: Values,
  file: string,
  layer: Layer,
  named: readonly string[],
): Problem[] {
  return ['fallbackModels', 'smallModel'].flatMap((key) => {
    const value = values[key];
    const models = [value ?? []].flat().map(String);
    const unnamed = models.filter((model) => !named.includes(model));
    if (unnamed.length === 0) return [];
    const kept = models.filter((model) => named.includes(model));
    if (kept.length > 0) values[key] = kept;
    else delete values[key];
    const names = unnamed.map((model) => JSON.stringify(model)).join(', ');
    const message = `${file}: "${key}" ignores ${names}: a folder may name only models that your own config.json names.`;
    return [{ layer, file, key, message }];
  });
}
