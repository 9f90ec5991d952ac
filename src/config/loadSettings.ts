/**
 * Reads the settings once, at startup: defaults < user < project < local < environment < flags < managed. Claude Code's
 * files (claudeSettings.ts) are read just below ours of the same scope. A mistake disables only its own key and becomes a `Problem`; nothing here throws because of one, except in managed settings:
 * see managed.ts.
 */
import { join, relative, resolve } from 'node:path';
import type { HookSource } from '../protocol/extensions/hooks.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import { JITLESS } from '../protocol/jitless.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { type ClaudeFile, claudeRules, readClaudeFiles } from './claude/claudeSettings.ts';
import { misplacedHeaders, misreadEndpoint, readEnvironment } from './environment.ts';
import { readSettingsText } from './files.ts';
import {
  readFlags,
  readSettingsFlag,
  SETTINGS_FLAG,
  type SettingSource,
  type SettingsFlags,
} from './flags.ts';
import { type GrantingFile, grantLookup, grantsOf } from './grants.ts';
import { extractHooks, hooksThatRun, markUnapproved } from './hooks.ts';
import {
  dropReserved,
  dropUnnamedModels,
  leafPaths,
  type ManagedSource,
  managedSource,
  mergeValues,
  readManaged,
  refusal,
  withoutLoosened,
} from './managed.ts';
import {
  effectiveServers,
  extractServers,
  readServerFlags,
  readSharedServers,
  SERVERS_GRANT,
  SHARED_SERVERS_FILE,
} from './mcpServers.ts';
import { refusedModes } from './modes.ts';
import { parseSettings } from './parseSettings.ts';
import { settingsSchema } from './schema.ts';
import { withholdUntrusted } from './trust.ts';
import type {
  Grant,
  Layer,
  LoadedSettings,
  Problem,
  SettingsFile,
  SettingsRule,
  UnsupportedSettings,
  UntrustedSetting,
  Values,
} from './types.ts';

interface SettingsPlaces {
  /** The program's own directory; `config.json` in it is the user's file. */
  readonly dataRoot: string;
  readonly home: string;
  /** The project's root: absolute, resolved. */
  readonly root: string;
  /** Where managed settings are; absent = the system's location. For tests only: nothing else moves them. */
  readonly managed?: ManagedSource | undefined;
}

/** The files that settings come from, lowest precedence first. */
export function settingsFiles({ dataRoot, root }: Pick<SettingsPlaces, 'dataRoot' | 'root'>): {
  user: string;
  project: string;
  local: string;
} {
  return {
    user: join(dataRoot, 'config.json'),
    project: join(root, '.clawdcode.json'),
    local: join(root, '.clawdcode.local.json'),
  };
}

/**
 * Reads, checks and merges all layers. `trusted`: whether the project's files may do more than tighten; `granted`: what
 * exactly (absent = everything in them). Allow rules in the local file that the user saved there always apply. Rejects
 * with a `ManagedSettingsError` if managed settings exist and cannot be used.
 */
export async function loadSettings(
  options: SettingsPlaces & {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly flags: SettingsFlags;
    readonly trusted: boolean;
    readonly granted?: readonly Grant[] | undefined;
    readonly savedRules?: readonly string[];
    /** Where the program was started; absent = the root. */
    readonly cwd?: string | undefined;
    /** The value of `--settings`: a file or JSON text. */
    readonly settingsFlag?: string | undefined;
    /** The files that may count; absent = all. Managed settings always do. */
    readonly settingSources?: readonly SettingSource[] | undefined;
    readonly mcp?: { readonly configs: readonly string[]; readonly strict: boolean; readonly cwd: string };
  },
): Promise<LoadedSettings> {
  const [managed, foreignFiles] = await Promise.all([
    readManaged(options.managed ?? managedSource(process.platform), options.root),
    readClaudeFiles(options),
  ]);
  const problems: Problem[] = [];
  const files: SettingsFile[] = [];
  const untrusted: UntrustedSetting[] = [];
  const granting: GrantingFile[] = [];
  const rules: SettingsRule[] = [];
  const sources: Record<string, string> = {};
  const servers: McpServerSource[] = [];
  const heldServers: string[] = [];
  const unsupported: UnsupportedSettings[] = [];
  const hooks: HookSource[] = [];
  let merged: Values = {};
  let own: Values = {};
  const add = (values: Values, source: string): void => {
    merged = mergeValues(merged, values);
    for (const path of leafPaths(values)) sources[path] = source;
  };

  const addClaude = ({ layer, path, name, state, hash, ...file }: ClaudeFile): void => {
    files.push({ layer, path, name, state, isForeign: true });
    problems.push(...file.problems);
    let counted = file.values;
    const ownHooks = extractHooks(structuredClone(counted), layer, name);
    problems.push(...ownHooks.problems);
    if (layer === 'user') {
      delete counted.hooks;
      hooks.push(...ownHooks.hooks);
    } else {
      granting.push({ source: name, values: counted });
      // Rules that the user saved are in our own file.
      const { kept, held } = withholdUntrusted(counted, name, grantedIn('project', options));
      untrusted.push(...held);
      counted = kept;
      hooks.push(
        ...markUnapproved(ownHooks.hooks, extractHooks(counted, layer, name).hooks, options.trusted),
      );
    }
    const translated = claudeRules(
      counted,
      { name, layer },
      { home: options.home, root: options.root, cwd: options.cwd ?? options.root },
    );
    problems.push(...translated.problems);
    rules.push(...translated.rules);
    add(absoluteDirectories(translated.values, options), name);
    const names = [...file.unsupported, ...translated.unused];
    if (names.length > 0) unsupported.push({ file: name, path, hash, names });
  };
  const counts = (layer: SettingSource): boolean => options.settingSources?.includes(layer) ?? true;
  const claude = new Map([...foreignFiles].filter(([layer]) => counts(layer)));
  const disabledServers = new Set([...claude.values()].flatMap(({ servers: { disabled } }) => disabled));

  for (const [layer, path] of Object.entries(settingsFiles(options)) as [
    'user' | 'project' | 'local',
    string,
  ][]) {
    if (!counts(layer)) continue;
    const foreign = claude.get(layer);
    if (foreign !== undefined) addClaude(foreign);
    const name = shownPath(path, options);
    const { values, state, problems: found } = await readLayer(path, name, layer);
    files.push({ layer, path, name, state });
    problems.push(...found);
    let counted = values;
    problems.push(...dropReserved(counted, name, layer));
    const ownServers = extractServers(counted, layer, name);
    const ownHooks = extractHooks(structuredClone(values), layer, name);
    problems.push(...ownHooks.problems);
    if (layer === 'user') {
      own = values;
      hooks.push(...ownHooks.hooks);
      delete values.hooks;
      servers.push(...ownServers);
    } else {
      problems.push(...dropSecrets(counted, name, layer, options));
      problems.push(...dropUnnamedModels(counted, name, layer, [own, managed.values].flatMap(modelsNamedIn)));
      const shared = layer === 'project' ? await readSharedServers(options.root) : undefined;
      problems.push(...(shared?.problems ?? []));
      for (const [file, ofFile] of [
        [SHARED_SERVERS_FILE, (shared?.servers ?? []).filter((one) => !disabledServers.has(one.name))],
        [name, ownServers],
      ] as const) {
        if (ofFile.length === 0) continue;
        const granted = { source: file, values: { mcpServers: SERVERS_GRANT } };
        granting.push(granted);
        const { held } = withholdUntrusted(granted.values, file, grantedIn(layer, options));
        untrusted.push(...held);
        if (held.length === 0) servers.push(...ofFile);
        else heldServers.push(...ofFile.map((one) => one.name));
      }
      granting.push({ source: name, values: counted });
      const { kept, held } = withholdUntrusted(counted, name, grantedIn(layer, options));
      untrusted.push(...held);
      counted = kept;
      hooks.push(
        ...markUnapproved(ownHooks.hooks, extractHooks(counted, layer, name).hooks, options.trusted),
      );
      problems.push(...changedEndpoint(held, layer, options));
    }
    rules.push(...rulesOf(counted, name, options.root));
    add(absoluteDirectories(counted, options), name);
  }

  const environment = readEnvironment(options.env);
  problems.push(...environment.problems);
  merged = mergeValues(merged, environment.values);
  const given = await readSettingsFlag(options.settingsFlag, options.cwd ?? options.root);
  problems.push(...given.problems);
  rules.push(...rulesOf(given.values, SETTINGS_FLAG, options.root));
  servers.push(...given.servers);
  add(absoluteDirectories(given.values, options), SETTINGS_FLAG);
  const flags = readFlags(options.flags, options.root);
  problems.push(...flags.problems);
  rules.push(...flags.rules);
  merged = mergeValues(merged, absoluteDirectories(flags.values, options));
  Object.assign(sources, environment.sources, flags.sources);

  const flagged = await readServerFlags(options.mcp?.configs ?? [], options.mcp?.cwd ?? options.root);
  problems.push(...flagged.problems);
  servers.push(...flagged.servers);

  const ownHeaders = merged.headers;
  const managedServers = extractServers(
    managed.values,
    'managed',
    managed.sources.mcpServers ?? 'managed settings',
  );
  servers.push(...managedServers);
  const managedHooks = extractHooks(managed.values, 'managed', managedHooksSource(managed.sources));
  const [badHook] = managedHooks.mistakes;
  if (badHook !== undefined) throw refusal(badHook.message);
  problems.push(...managedHooks.problems);
  hooks.push(...managedHooks.hooks);
  files.push(...managed.files);
  problems.push(...managed.problems);
  rules.push(...managed.rules);
  merged = mergeValues(withoutLoosened(merged, managed.values), absoluteDirectories(managed.values, options));
  Object.assign(sources, managed.sources);

  const isFolders = files.some(
    ({ layer, name }) => (layer === 'project' || layer === 'local') && name === sources.baseUrl,
  );
  const user = { values: own, name: shownPath(settingsFiles(options).user, options) };
  const stray = misplacedHeaders({
    merged: { ...merged, headers: ownHeaders },
    user,
    source: sources.baseUrl,
    isFolders,
  });
  if (stray !== undefined) {
    problems.push(stray);
    merged = { ...merged, headers: managed.values.headers ?? {} };
  }

  const misread = misreadEndpoint({
    ...{ files, problems, sources, trusted: options.trusted },
    model: merged.model,
  });
  const settings = settingsSchema.parse(merged, JITLESS);
  const modes = refusedModes({
    permissions: settings.permissions,
    sources,
    autoByFlag: options.flags.permissionMode === 'auto',
    managed: (managed.values.permissions ?? {}) as Values,
  });
  const unusable = modeProblem(settings.permissions.defaultMode, modes, sources);
  if (unusable !== undefined) {
    problems.push(unusable);
    settings.permissions.defaultMode = 'default';
  }
  const counting = effectiveServers(servers, options.mcp?.strict === true);
  return {
    settings,
    rules: settings.allowManagedPermissionRulesOnly
      ? rules.filter(({ behavior, managed }) => behavior !== 'allow' || managed === true)
      : rules,
    refusedModes: modes,
    problems,
    sources,
    files,
    untrusted,
    grants: grantsOf(granting),
    hooks: hooksThatRun(hooks, settings, managed.values.disableAllHooks === true),
    servers: counting,
    enabledServers: enabledIn(counting, claude.get('user')),
    unsupported,
    ownModels: [own, given.values, managed.values].flatMap(modelsNamedIn),
    heldServers: options.mcp?.strict === true ? [] : heldServers,
    ...(misread === undefined ? {} : { misread }),
  };
}

/** The models that a layer names; a pattern in `models` could cover any. */
function modelsNamedIn({ model, fallbackModels, smallModel, models, providers }: Values): string[] {
  const ofProviders = Object.entries((providers ?? {}) as Record<string, Values>).flatMap(([name, one]) =>
    Object.keys(one.models ?? {}).map((id) => `${name}/${id}`),
  );
  const chosen = [model ?? [], fallbackModels ?? [], smallModel ?? []].flat() as string[];
  return [...chosen, ...Object.keys(models ?? {}), ...ofProviders].filter((id) => !id.includes('*'));
}

/** The servers of `.mcp.json` that the user's own Claude Code settings enable; a repository's settings enable none. */
function enabledIn(servers: readonly McpServerSource[], user: ClaudeFile | undefined): string[] {
  if (user === undefined) return [];
  const { enablesAll, enabled } = user.servers;
  return servers
    .filter(({ source, name }) => source === SHARED_SERVERS_FILE && (enablesAll || enabled.includes(name)))
    .map(({ name }) => name);
}

function managedHooksSource(sources: Readonly<Record<string, string>>): string {
  return Object.entries(sources).find(([key]) => key.startsWith('hooks.'))?.[1] ?? 'managed settings';
}

type Granted = Pick<Parameters<typeof loadSettings>[0], 'trusted' | 'granted' | 'savedRules'>;

/** Returns whether the user has approved a grant in a file of this layer. */
function grantedIn(layer: Layer, { trusted, granted, savedRules }: Granted): (grant: Grant) => boolean {
  const isAgreed = granted === undefined ? () => true : grantLookup(granted);
  const saved = new Set(layer === 'local' ? savedRules : []);
  return (grant) =>
    (grant.kind === 'permissions.allow' && saved.has(grant.text)) || (trusted && isAgreed(grant));
}

/**
 * Reports that the folder named an endpoint that the user approved, and now names another: until that is approved,
 * requests meant for the first must not go to the default.
 */
function changedEndpoint(
  held: readonly UntrustedSetting[],
  layer: Layer,
  { trusted, granted = [] }: Granted,
): Problem[] {
  if (!trusted || (granted.length > 0 && granted.every(({ kind }) => kind !== 'baseUrl'))) return [];
  return held.flatMap(({ file, key }) =>
    key !== 'baseUrl'
      ? []
      : [
          {
            layer,
            file,
            key,
            message: `${file}: "baseUrl" is not the one you agreed to, so it is ignored. Run clawdcode here to decide.`,
          },
        ],
  );
}

/** Reports a default mode that is unavailable; the session starts in `default` instead. */
function modeProblem(
  mode: PermissionMode,
  refused: LoadedSettings['refusedModes'],
  sources: LoadedSettings['sources'],
): Problem | undefined {
  const why = refused[mode];
  if (why === undefined) return undefined;
  const key = 'permissions.defaultMode';
  const file = sources[key] ?? 'settings';
  return { layer: file.startsWith('--') ? 'flag' : 'user', file, key, message: `${file}: ${why}` };
}

async function readLayer(
  path: string,
  name: string,
  layer: Layer,
): Promise<{ values: Values; state: SettingsFile['state']; problems: readonly Problem[] }> {
  try {
    const { values, problems, broken } = parseSettings(await readSettingsText(path), name, layer);
    return { values, problems, state: broken ? 'broken' : 'loaded' };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { values: {}, problems: [], state: 'missing' };
    const problem = {
      layer,
      file: name,
      message: `${name} cannot be read, so it is ignored: ${message}`,
    };
    return { values: {}, problems: [problem], state: 'broken' };
  }
}

/**
 * A key in a folder's file would be shared with the folder, or lure the user's own key away; headers contain keys too,
 * and a provider names both a key and its address.
 */
function dropSecrets(values: Values, file: string, layer: Layer, places: SettingsPlaces): Problem[] {
  const user = shownPath(settingsFiles(places).user, places);
  const advice = {
    apiKey: `a key belongs in ${user} or in OPENAI_API_KEY. Move it, and renew it if the file was shared.`,
    headers: `they belong in ${user}. Move them, and renew what is secret in them if the file was shared.`,
    providers: `they belong in ${user}, since they say where keys are sent.`,
  };
  return Object.entries(advice).flatMap(([key, where]) => {
    const value = values[key];
    delete values[key];
    if (value === undefined || value === null || Object.keys(value).length === 0) return [];
    return [{ layer, file, key, message: `${file}: "${key}" is ignored here: ${where}` }];
  });
}

function rulesOf(values: Values, source: string, base: string): SettingsRule[] {
  const permissions = (values.permissions ?? {}) as Partial<Record<SettingsRule['behavior'], string[]>>;
  return (['allow', 'ask', 'deny'] as const).flatMap((behavior) =>
    (permissions[behavior] ?? []).map((text) => ({ text, behavior, source, base })),
  );
}

/** Folders in settings may begin with `~`; others are relative to the project's root. */
function absoluteDirectories(values: Values, { home, root }: SettingsPlaces): Values {
  const absolute = (folder: string): string =>
    resolve(
      root,
      folder.replace(/^~(?=\/|$)/, () => home),
    );
  const permissions = values.permissions as { additionalDirectories?: string[] } | undefined;
  const context = values.context as { truncate?: { outputDir?: string | null } } | undefined;
  const directories = permissions?.additionalDirectories;
  const outputDir = context?.truncate?.outputDir;
  return {
    ...values,
    ...(directories === undefined
      ? {}
      : { permissions: { ...permissions, additionalDirectories: directories.map(absolute) } }),
    ...(typeof outputDir !== 'string'
      ? {}
      : { context: { ...context, truncate: { ...context?.truncate, outputDir: absolute(outputDir) } } }),
  };
}

function shownPath(path: string, { home, root }: Pick<SettingsPlaces, 'home' | 'root'>): string {
  const below = (from: string): string | undefined => {
    const rest = relative(from, path);
    return rest === '' || rest.startsWith('..') ? undefined : rest;
  };
  const inProject = below(root);
  if (inProject !== undefined && !inProject.includes('/')) return inProject;
  const inHome = below(home);
  return inHome === undefined ? path : `~/${inHome}`;
}
