/**
 * Reads the settings once, at startup: defaults < user < project < local < environment < flags < managed. Claude Code's
 * files (claudeSettings.ts) are read just below ours of the same scope. A mistake disables only its own key and becomes
 * a `Problem`; nothing here throws because of one, except in managed settings: see managed.ts.
 */
import { isInside, realpath } from '../disk/paths.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import { JITLESS } from '../protocol/json.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { createAddedDirectories } from './addedDirectories.ts';
import { type ClaudeFile, readClaudeFiles } from './claude/claudeSettings.ts';
import { invalidProviders, misplacedHeaders, misreadEndpoint, readEnvironment } from './environment.ts';
import { readFlags, readSettingsFlag, SETTINGS_FLAG, type SettingSource } from './flags.ts';
import { grantsOf } from './grants.ts';
import { extractHooks, hooksThatRun } from './hooks.ts';
import { managedSource, readManaged, refusal, withoutLoosened } from './managed.ts';
import { candidateServers, extractServers, readServerFlags, SHARED_SERVERS_FILE } from './mcpServers.ts';
import { refusedModes } from './modes.ts';
import { pathsToHide } from './openedPaths.ts';
import { rulesOf } from './parseSettings.ts';
import { type LoadOptions, SettingsLayers } from './SettingsLayers.ts';
import { settingsSchema } from './schema.ts';
import { modelsNamedIn, settingsFiles, shownPath } from './settingsFiles.ts';
import type { LoadedSettings, Problem, Values } from './types.ts';

const fileLayers: readonly SettingSource[] = ['user', 'project', 'local'];

/**
 * Reads, checks and merges all layers. `trusted`: whether the project's files may do more than tighten; `granted`: what
 * exactly (absent = everything in them). Allow rules in the local file that the user saved there always apply. Rejects
 * with a `ManagedSettingsError` if managed settings exist and cannot be used.
 */
export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const [managed, claudeFiles] = await Promise.all([
    readManaged(options.managed ?? managedSource(process.platform), options.root),
    readClaudeFiles(options),
  ]);
  const layers = new SettingsLayers(options);
  const applies = (layer: SettingSource): boolean => options.settingSources?.includes(layer) ?? true;
  const claude = new Map([...claudeFiles].filter(([layer]) => applies(layer)));
  const disabledServers = new Set([...claude.values()].flatMap(({ servers: { disabled } }) => disabled));
  const userClaude = claude.get('user');
  const context = {
    disabledServers,
    isEnabled: (server: McpServerSource) =>
      enabledIn([...layers.servers, server], userClaude).includes(server.name),
    managedModels: modelsNamedIn(managed.values),
  };
  for (const layer of fileLayers.filter(applies)) {
    const file = claude.get(layer);
    if (file !== undefined) layers.addClaude(file);
    await layers.addFile(layer, context);
  }
  const given = await addEnvironmentAndFlags(layers, options);
  const ownHeaders = layers.merged.headers;
  addManaged(layers, managed);
  dropMisplacedHeaders(layers, ownHeaders, managed.values, options);
  return finish(layers, options, {
    managed: managed.values,
    ownModels: [layers.own, given, managed.values].flatMap(modelsNamedIn),
    ownExcluded: [layers.own, given, managed.values].flatMap(excludedIn),
    userClaude,
  });
}

type Managed = Awaited<ReturnType<typeof readManaged>>;

/** Returns the values of `--settings`. */
async function addEnvironmentAndFlags(layers: SettingsLayers, options: LoadOptions): Promise<Values> {
  const { env, root, cwd = root, mcp } = options;
  const environment = readEnvironment(env);
  layers.problems.push(...environment.problems);
  layers.add(environment.values, environment.sources);
  const given = await readSettingsFlag(options.settingsFlag, cwd);
  layers.problems.push(...given.problems, ...layers.paths.dropRefused(given.values, SETTINGS_FLAG, 'flag'));
  layers.rules.push(...rulesOf(given.values, SETTINGS_FLAG, root));
  layers.servers.push(...given.servers);
  layers.hooks.push(...given.hooks);
  layers.add(given.values, SETTINGS_FLAG);
  const flags = readFlags(options.flags, root);
  layers.problems.push(...flags.problems, ...layers.paths.dropTyped(flags.values));
  layers.rules.push(...flags.rules);
  layers.add(flags.values, flags.sources);
  const servers = await readServerFlags(mcp?.configs ?? [], mcp?.cwd ?? root);
  layers.problems.push(...servers.problems);
  layers.servers.push(...servers.servers);
  return given.values;
}

function addManaged(layers: SettingsLayers, managed: Managed): void {
  const { values, sources } = managed;
  layers.servers.push(...extractServers(values, 'managed', sources.mcpServers ?? 'managed settings'));
  const hooks = extractHooks(values, 'managed', managedHooksSource(sources));
  const [mistake] = hooks.mistakes;
  if (mistake !== undefined) throw refusal(mistake.message);
  layers.hooks.push(...hooks.hooks);
  layers.files.push(...managed.files);
  layers.problems.push(...hooks.problems, ...managed.problems);
  layers.rules.push(...managed.rules);
  layers.merged = withoutLoosened(layers.merged, values);
  // Removed only here: an emptied list is still the whole list.
  const usable = structuredClone(values);
  layers.problems.push(...layers.paths.dropRefused(usable, sources, 'managed'));
  layers.add(usable, sources);
}

/** Headers belong to one endpoint: those that would reach another are dropped, and reported. */
function dropMisplacedHeaders(
  layers: SettingsLayers,
  ownHeaders: unknown,
  managed: Values,
  options: LoadOptions,
): void {
  const { files, sources, merged, own } = layers;
  const isFolders = files.some(
    ({ layer, name }) => (layer === 'project' || layer === 'local') && name === sources.baseUrl,
  );
  const problem = misplacedHeaders({
    merged: { ...merged, headers: ownHeaders },
    user: { values: own, name: shownPath(settingsFiles(options).user, options) },
    source: sources.baseUrl,
    isFolders,
  });
  if (problem === undefined) return;
  layers.problems.push(problem);
  layers.merged = { ...merged, headers: managed.headers ?? {} };
}

interface FinishParts {
  readonly managed: Values;
  readonly ownModels: readonly string[];
  readonly ownExcluded: readonly string[];
  readonly userClaude: ClaudeFile | undefined;
}

function finish(layers: SettingsLayers, options: LoadOptions, parts: FinishParts): LoadedSettings {
  const { problems, sources, files, rules, merged } = layers;
  const { managed, ownModels, ownExcluded, userClaude } = parts;
  const isStrict = options.mcp?.strict === true;
  const misread = misreadEndpoint({
    ...{ files, problems, sources, trusted: options.trusted },
    model: merged.model,
  });
  const settings = settingsSchema.parse(merged, JITLESS);
  const modes = refusedModes({
    permissions: settings.permissions,
    sources,
    autoByFlag: options.flags.permissionMode === 'auto',
    managed: (managed.permissions ?? {}) as Values,
  });
  const unusable = modeProblem(settings.permissions.defaultMode, modes, sources);
  if (unusable !== undefined) {
    problems.push(unusable);
    settings.permissions.defaultMode = 'default';
  }
  const servers = candidateServers(layers.servers, isStrict);
  return {
    settings,
    rules: settings.allowManagedPermissionRulesOnly
      ? rules.filter(({ behavior, managed }) => behavior !== 'allow' || managed === true)
      : rules,
    refusedModes: modes,
    problems,
    sources,
    files,
    untrusted: layers.untrusted,
    grants: grantsOf(layers.granting, layers.paths.grantText),
    managedDenyRead: pathsToHide(denyReadIn(managed), options),
    hooks: hooksThatRun(layers.hooks, settings, managed.disableAllHooks === true),
    servers,
    enabledServers: enabledIn(servers, userClaude),
    unsupported: layers.unsupported,
    ownModels: [...ownModels],
    ownExcludedCommands: settings.sandbox.excludedCommands.filter((one) => ownExcluded.includes(one)),
    heldServers: isStrict ? [] : layers.heldServers,
    ...(misread === undefined ? {} : { misread }),
    invalidProviders: invalidProviders(problems, settings.providers),
    added: createAddedDirectories(
      // What is in the project belongs to the workspace, and stays protected as part of it.
      settings.permissions.additionalDirectories.filter((path) => !isInside(path, realpath(options.root))),
    ),
  };
}

function excludedIn({ sandbox }: Values): readonly string[] {
  const { excludedCommands = [] } = (sandbox ?? {}) as { readonly excludedCommands?: readonly string[] };
  return excludedCommands;
}

const denyReadIn = ({ sandbox }: Values): readonly string[] =>
  (sandbox as { denyRead?: readonly string[] } | undefined)?.denyRead ?? [];

/**
 * The servers of `.mcp.json` that the user's own Claude Code settings enable; a repository's settings enable none. One that
 * would replace a server of the user must be named.
 */
function enabledIn(servers: readonly McpServerSource[], user: ClaudeFile | undefined): string[] {
  if (user === undefined) return [];
  const { enablesAll, enabled } = user.servers;
  const own = new Set(servers.flatMap(({ scope, name }) => (scope === 'user' ? [name] : [])));
  return servers
    .filter(({ source }) => source === SHARED_SERVERS_FILE)
    .filter(({ name }) => enabled.includes(name) || (enablesAll && !own.has(name)))
    .map(({ name }) => name);
}

function managedHooksSource(sources: Readonly<Record<string, string>>): string {
  return Object.entries(sources).find(([key]) => key.startsWith('hooks.'))?.[1] ?? 'managed settings';
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
