/**
 * Managed settings: what an administrator has put into a system folder, above every other layer. Users can tighten
 * them, but never loosen them. If they cannot be used exactly as written, the program does not start: a policy that is
 * silently ignored is worse than none.
 */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '../protocol/json.ts';
import { readSettingsText } from './files.ts';
import { parsePermissionMode } from './modes.ts';
import { parseSettings, rulesOf } from './parseSettings.ts';
import type { Layer, Problem, SettingsFile, SettingsRule, Values } from './types.ts';

/** Where managed settings are, and who may write them. No variable or flag moves it. */
export interface ManagedSource {
  /** Contains `managed-settings.json` and the folder `managed-settings.d`. */
  readonly folder: string;
  /** The user id that must own them: 0, root. */
  readonly ownerUid: number;
}

/** The system's location; named as in Claude Code. */
export function managedSource(platform: NodeJS.Platform): ManagedSource {
  const folder = platform === 'darwin' ? '/Library/Application Support/ClawdCode' : '/etc/clawdcode';
  return { folder, ownerUid: 0 };
}

/** Managed settings exist and cannot be used; the message names file, mistake and remedy. */
class ManagedSettingsError extends Error {
  override readonly name = 'ManagedSettingsError';
}

/** The prefix of every managed source; no file, variable or flag is displayed like this. */
const MANAGED = 'managed settings (';

/** True if a setting comes from managed settings. `sources` as in `LoadedSettings`. */
export function isManaged(sources: Readonly<Record<string, string>>, key: string): boolean {
  return sources[key]?.startsWith(MANAGED) === true;
}

interface ManagedSettings {
  readonly values: Values;
  readonly rules: readonly SettingsRule[];
  readonly files: readonly SettingsFile[];
  readonly problems: readonly Problem[];
  /** Dotted key → the source to display. */
  readonly sources: Readonly<Record<string, string>>;
}

/**
 * Reads and merges all managed files: the single file first, then those in the folder by name. Throws a
 * `ManagedSettingsError`.
 */
export async function readManaged(source: ManagedSource, base: string): Promise<ManagedSettings> {
  const files: SettingsFile[] = [];
  const problems: Problem[] = [];
  const rules: SettingsRule[] = [];
  const sources: Record<string, string> = {};
  let values: Values = {};
  for (const path of await managedFiles(source.folder)) {
    const parsed = await readStrictly(path);
    if (parsed === undefined) continue;
    const isProtected = await onlyOwnerWrites(path, source.ownerUid);
    const counted = isProtected ? parsed : tighteningOf(parsed);
    const name = `${MANAGED}${path})`;
    files.push({ layer: 'managed', path, name, state: 'loaded' });
    if (!isProtected) problems.push(unprotected(path, name, Object.keys(counted).length > 0));
    values = mergeValues(values, counted);
    for (const key of leafPaths(counted)) sources[key] = name;
    rules.push(...managedRules(counted, name, base));
  }
  return { values, rules, files, problems, sources };
}

/** Lists of sandbox settings in which every entry lets commands do more. */
const looseningLists = [
  'allowWrite',
  'allowRead',
  'allowEnv',
  'excludedCommands',
  'network.allowedDomains',
  'network.allowLocalPorts',
];

/**
 * Removes from the lower layers' settings the lists that only loosen and that managed settings also have: the managed
 * list is complete, and an empty one allows nothing. If managed settings require a sandbox, nothing else turns it off,
 * not even for a single command. Pure.
 */
export function withoutLoosened(merged: Values, managed: Values): Values {
  const result = structuredClone(merged);
  for (const list of looseningLists) {
    const keys = ['sandbox', ...list.split('.')];
    const last = keys.pop() ?? '';
    const at = (values: Values): Values | undefined =>
      keys.reduce<Values | undefined>((place, key) => place?.[key] as Values | undefined, values);
    const place = at(result);
    if (at(managed)?.[last] !== undefined && place !== undefined) delete place[last];
  }
  const { enabled, mode } = (managed.sandbox ?? {}) as Values;
  const sandbox = result.sandbox as Values | undefined;
  const isWanted = enabled === true || (mode !== undefined && mode !== 'danger-full-access');
  if (isWanted && sandbox?.enabled === false) delete sandbox.enabled;
  if (isWanted && sandbox?.mode === 'danger-full-access') delete sandbox.mode;
  if (isWanted) {
    delete sandbox?.excludedCommands;
    // For example, the Docker socket starts programs outside.
    delete (sandbox?.network as Values | undefined)?.allowUnixSockets;
  }
  return result;
}

async function managedFiles(folder: string): Promise<readonly string[]> {
  const more = join(folder, 'managed-settings.d');
  const names = (await present(more, () => readdir(more))) ?? [];
  if (names.length === 0) await present(folder, () => stat(folder));
  // Sorted by code units, so that the order does not depend on the user's locale.
  const fragments = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return [join(folder, 'managed-settings.json'), ...fragments.map((name) => join(more, name))];
}

/** Undefined if there is no such file. Any mistake is an error: a misspelt key may be the rule that matters. */
async function readStrictly(path: string): Promise<Values | undefined> {
  const text = await present(path, () => readSettingsText(path));
  if (text === undefined) return undefined;
  const { values, problems } = parseSettings(text, path, 'managed');
  const [first] = problems;
  if (first !== undefined) throw refusal(first.message);
  return values;
}

/**
 * Undefined if nothing has this name. A link without a target is not that, but a policy that is missing. Throws a
 * `ManagedSettingsError`.
 */
async function present<T>(path: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw unusable(path, error as Error);
    if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
    throw refusal(`${path} is a link to something that does not exist.`);
  }
}

function unusable(path: string, cause: Error): ManagedSettingsError {
  return refusal(`${path} cannot be read: ${cause.message}.`, cause);
}

/** The error for the user, who most likely cannot fix it. */
export function refusal(mistake: string, cause?: Error): ManagedSettingsError {
  const message = `The managed settings of this machine cannot be used, so ClawdCode does not start. ${mistake} Ask the administrator of this machine to correct that.`;
  return new ManagedSettingsError(message, { cause });
}

/** True if only the owner can change or replace the file, links included. */
async function onlyOwnerWrites(path: string, ownerUid: number): Promise<boolean> {
  const real = await realpath(path);
  const places = new Set([dirname(path), dirname(real)]);
  const checks = [
    stat(real).then((info) => isProtectedFile(info, ownerUid)),
    ...[...places].map(async (folder) => isProtectedFolder(await stat(folder), ownerUid)),
  ];
  return (await Promise.all(checks)).every(Boolean);
}

interface Owned {
  readonly uid: number;
  readonly mode: number;
}

/** Write permission of group and others. */
const OTHERS_WRITE = 0o022;
/** In a sticky folder users cannot remove or rename files of others. */
const STICKY = 0o1000;

/** True if only its owner can write a file, and that is the right one. */
export function isProtectedFile({ uid, mode }: Owned, ownerUid: number): boolean {
  return uid === ownerUid && (mode & OTHERS_WRITE) === 0;
}

/** True if a folder's permissions prevent other users from replacing its files. */
export function isProtectedFolder({ uid, mode }: Owned, ownerUid: number): boolean {
  return uid === ownerUid && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0);
}

/**
 * The settings that still apply from a file that other users can write: only those that tighten, since anything else
 * could be such a user's way to loosen the policy. An allowlist, so that new settings are excluded until they are added
 * here.
 */
export function tighteningOf(values: Values): Values {
  const permissions = (values.permissions ?? {}) as Values;
  const kept: Values = {};
  for (const key of ['ask', 'deny', 'disableAutoMode', 'disableBypassPermissionsMode'])
    if (key in permissions) kept[key] = permissions[key];
  const mode = permissions.defaultMode;
  if (typeof mode === 'string' && ['default', 'plan', 'dontAsk'].includes(parsePermissionMode(mode) ?? ''))
    kept.defaultMode = mode;
  const sandbox = tighterSandbox((values.sandbox ?? {}) as Values);
  return {
    ...(Object.keys(kept).length === 0 ? {} : { permissions: kept }),
    ...(Object.keys(sandbox).length === 0 ? {} : { sandbox }),
    ...(values.allowManagedPermissionRulesOnly === true ? { allowManagedPermissionRulesOnly: true } : {}),
  };
}

function tighterSandbox({ enabled, mode, denyRead, network }: Values): Values {
  const { deniedDomains } = (network ?? {}) as Values;
  return {
    ...(enabled === true ? { enabled } : {}),
    ...(mode === 'read-only' ? { mode } : {}),
    ...(denyRead === undefined ? {} : { denyRead }),
    ...(deniedDomains === undefined ? {} : { network: { deniedDomains } }),
  };
}

function unprotected(path: string, file: string, hasRest: boolean): Problem {
  const applies = hasRest ? 'only its settings that tighten apply' : 'nothing in it applies';
  const message = `${path}: ${applies}, because users other than root can write or replace it. Make root the owner of the file and its folder (chown root), and remove write access for others (chmod go-w).`;
  return { layer: 'managed', file, message };
}

function managedRules(values: Values, source: string, base: string): SettingsRule[] {
  return rulesOf(values, source, base).map((rule) => ({ ...rule, managed: true }));
}

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
    } else if (isRecord(value) && !ofWholes.has(prefix)) {
      merged[key] = mergeValues(isRecord(under) ? under : {}, value, `${path}.`);
    } else merged[key] = value;
  }
  return merged;
}

/** Dotted paths of all values; a list counts as one value, an empty object as none. */
export function leafPaths(values: Values, prefix = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isRecord(value) && Object.keys(value).length > 0
      ? leafPaths(value, `${prefix}${key}.`)
      : isRecord(value)
        ? []
        : [prefix + key],
  );
}

// Settings that apply only in some layers, because a folder must not loosen them. Pure, except that it modifies
// `values`.

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
    drop(values, key, key, 'it applies only in managed settings.');
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
 * Removes from a folder's settings any additional models that the user's own settings do not name: the name decides
 * who reads the conversation. Modifies `values`.
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
