/** Settings that count in some layers only: what they would loosen is not a folder's to decide. Pure but for `values`. */
import type { Layer, Problem, Values } from './types.ts';

/** Takes out of a layer below managed settings what does not count there, and says so. Changes `values`. */
export function dropReserved(values: Values, file: string, layer: Layer): Problem[] {
  const problems: Problem[] = [];
  const drop = (holder: Values, key: string, path: string, advice: string): void => {
    const isDefault = saysNothing(holder[key]);
    delete holder[key];
    if (isDefault) return;
    problems.push({ layer, file, key: path, message: `${file}: "${path}" is ignored here: ${advice}` });
  };
  drop(
    values,
    'allowManagedPermissionRulesOnly',
    'allowManagedPermissionRulesOnly',
    'it counts in managed settings only.',
  );
  const permissions = values.permissions as Values | undefined;
  if (permissions === undefined || layer === 'user') return problems;
  const own = 'only your own config.json or --permission-mode switches the mode auto on.';
  drop(permissions, 'auto', 'permissions.auto', own);
  if (permissions.defaultMode === 'auto') drop(permissions, 'defaultMode', 'permissions.defaultMode', own);
  return problems;
}

/** Absent, or as the defaults are: a copy of the example file is no mistake. */
function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(saysNothing);
  return value === undefined || value === false;
}
