/**
 * Every setting with its value and where it comes from, in the order of docs/settings.md: for /config and `clawdcode
 * config`. Pure.
 */
import * as z from 'zod';
import {
  type EditScope,
  type SettingInfo,
  type SettingKind,
  screenPreferences,
} from '../../protocol/settings/settings.ts';
import { settingVariables } from '../environment.ts';
import { isManaged } from '../managed.ts';
import { settingsSchema } from '../schema.ts';
import type { LoadedSettings } from '../types.ts';

/** The part of a JSON Schema that matters here. */
interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
}

const appliedAtOnce: ReadonlySet<string> = new Set(['theme', ...screenPreferences]);

/** True if a change on screen applies at once; others apply from the next start. */
export function appliesAtOnce(key: string): boolean {
  return appliedAtOnce.has(key);
}

/**
 * Lists every setting. `running`: the settings that this process uses, if they may be older. Takes some milliseconds:
 * not for the start.
 */
export function listSettings(
  loaded: Pick<LoadedSettings, 'settings' | 'sources' | 'files'>,
  running: Pick<LoadedSettings, 'settings'> = loaded,
): SettingInfo[] {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' }) as Node;
  const defaults: unknown = settingsSchema.parse({});
  const rowsOf = (key: string, node: Node): SettingInfo[] => {
    const below = Object.entries(node.properties ?? {});
    if (below.length > 0) return below.flatMap(([name, child]) => rowsOf(`${key}.${name}`, child));
    const source = sourceOf(key, loaded.sources);
    return [
      {
        ...{ key, group: key.includes('.') ? (key.split('.')[0] ?? '') : '' },
        ...{ description: node.description ?? '', kind: kindOf(key, node) },
        isPending:
          !appliesAtOnce(key) &&
          JSON.stringify(valueAt(running.settings, key)) !== JSON.stringify(valueAt(loaded.settings, key)),
        isNullable: (node.anyOf ?? []).some(({ type }) => type === 'null'),
        ...{ value: valueAt(loaded.settings, key), defaultValue: valueAt(defaults, key) },
        ...{ source, rank: rankOf(source, loaded) },
      },
    ];
  };
  const rows = Object.entries(schema.properties ?? {})
    .filter(([key]) => key !== '$schema')
    .flatMap(([key, node]) => rowsOf(key, node));
  // Single values first; groups in the order of the schema.
  return rows.toSorted((a, b) => Number(a.group !== '') - Number(b.group !== ''));
}

function kindOf(key: string, node: Node): SettingKind {
  if (key === 'apiKey') return { type: 'secret' };
  const one = node.anyOf?.find(({ type }) => type !== 'null') ?? node;
  const values = one.enum ?? (one.const === undefined ? undefined : [one.const]);
  if (values?.every((value) => typeof value === 'string') === true) return { type: 'choice', values };
  // A choice with "auto" next to numbers, such as a threshold.
  if (node.anyOf !== undefined && node.anyOf.filter(({ type }) => type !== 'null').length > 1)
    return { type: 'json' };
  if (one.type === 'boolean') return { type: 'boolean' };
  if (one.type === 'number' || one.type === 'integer') return { type: 'number' };
  return one.type === 'string' ? { type: 'text' } : { type: 'json' };
}

function valueAt(values: unknown, key: string): unknown {
  let value = values;
  for (const name of key.split('.'))
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value;
}

/** The value's own source, or those of its entries. */
function sourceOf(key: string, sources: LoadedSettings['sources']): string | undefined {
  if (sources[key] !== undefined) return sources[key];
  const inside = Object.entries(sources).filter(([path]) => path.startsWith(`${key}.`));
  return inside.length === 0 ? undefined : [...new Set(inside.map(([, source]) => source))].join(', ');
}

/** The layers, lowest first; another program's file is just below ours. */
const ranks = { default: 0, user: 2, project: 4, local: 6, environment: 7, flag: 8, managed: 9 } as const;

function rankOf(source: string | undefined, { files }: Pick<LoadedSettings, 'files'>): number {
  if (source === undefined) return ranks.default;
  if (isManaged({ source }, 'source')) return ranks.managed;
  if (source.startsWith('--')) return ranks.flag;
  if (settingVariables.some(({ name }) => name === source)) return ranks.environment;
  const file = files.findLast(({ name }) => source.split(', ').includes(name));
  return file === undefined ? ranks.default : ranks[file.layer] - (file.isForeign === true ? 1 : 0);
}

/** Settings whose values from all layers are combined, so that nothing overrides them. */
const combined =
  /^permissions\.(?:allow|ask|deny|additionalDirectories|auto\.rules)$|^sandbox\.(?:allow|deny|excluded|network\.(?:allowed|denied|allowLocal))/;

/** Why a value saved in one of the user's files has no effect now; undefined if it has. */
export function overrideOf({ key, source = '', rank }: SettingInfo, scope: EditScope): string | undefined {
  if (rank <= ranks[scope] || combined.test(key)) return undefined;
  if (rank === ranks.managed) return `An administrator has set it: ${source}. Nothing else overrides that.`;
  if (rank === ranks.flag) return `${source} overrides it in this run.`;
  if (rank === ranks.environment) return `The variable ${source} overrides it.`;
  return `${source} overrides it here.`;
}

/** True if a value that was just saved there waits until the user trusts the folder. */
export function awaitsTrust({ rank }: SettingInfo, scope: EditScope): boolean {
  return rank < ranks[scope];
}

/** True if no change can have an effect. */
export function isLocked({ rank, key }: SettingInfo): boolean {
  return rank === ranks.managed && !combined.test(key);
}

/** A value in display form. Never contains a secret. */
export function displayValue({ kind, key }: Pick<SettingInfo, 'kind' | 'key'>, value: unknown): string {
  if (value === undefined) return 'not set';
  if (kind.type === 'secret') return value === null ? 'null' : 'set';
  if (['headers', 'mcpServers', 'providers', 'env'].includes(key)) return namesOf(value);
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** Headers, variables, servers and providers may contain secrets. */
function namesOf(value: unknown): string {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return names.length === 0 ? '{}' : `{ ${names.join(', ')} }`;
}
