import type { Values } from './types.ts';

/** Lists that every layer extends instead of replacing. */
const joined: ReadonlySet<string> = new Set([
  'permissions.allow',
  'permissions.ask',
  'permissions.deny',
  'permissions.additionalDirectories',
  'sandbox.allowWrite',
  'sandbox.denyRead',
  'sandbox.allowRead',
  'sandbox.allowEnv',
  'sandbox.excludedCommands',
  'sandbox.network.allowedDomains',
  'sandbox.network.deniedDomains',
  'sandbox.network.allowLocalPorts',
  'permissions.auto.rules',
]);

/** Objects whose entries are replaced as a whole: half of one provider would send its key to the other's address. */
const ofWholes: ReadonlySet<string> = new Set(['providers.']);

/**
 * Merges one layer onto another: objects key by key, lists in `joined` are concatenated, everything else is replaced.
 */
export function mergeValues(below: Values, above: Values, prefix = ''): Values {
  const merged: Values = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const path = prefix + key;
    const under = merged[key];
    const isJoined = joined.has(path) || path.startsWith('hooks.');
    if (isJoined && Array.isArray(under) && Array.isArray(value)) {
      merged[key] = [...new Set([...under, ...value])];
    } else if (isObject(value) && !ofWholes.has(prefix)) {
      merged[key] = mergeValues(isObject(under) ? under : {}, value, `${path}.`);
    } else merged[key] = value;
  }
  return merged;
}

/** Dotted paths of all values; a list counts as one value, an empty object as none. */
export function leafPaths(values: Values, prefix = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? leafPaths(value, `${prefix}${key}.`)
      : isObject(value)
        ? []
        : [prefix + key],
  );
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
