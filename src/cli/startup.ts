/** From flags to the session factory: settings, trust, API key and model; shared by the screen and headless mode. */
import { resolve } from 'node:path';
import type { ModelList } from '../commands/types.ts';
import { grantLookup } from '../config/grants.ts';
import { loadSettings } from '../config/loadSettings.ts';
import { isManaged, refusal } from '../config/managed.ts';
import { isFolderServer, serverHash } from '../config/mcpServers.ts';
import type { Settings } from '../config/schema.ts';
import { asSettings, type FolderTrust, readTrust, recordIdentity } from '../config/trust.ts';
import type { LoadedSettings, Problem, SettingsRule } from '../config/types.ts';
import { DEMO_MODEL } from '../model/demo.ts';
import { hasAuthorization } from '../model/http/customHeaders.ts';
import { parseRule } from '../permissions/rules/rules.ts';
import { OFFICIAL_MODEL, OFFICIAL_URL, parseModelName } from '../protocol/models/modelNames.ts';
import type { SandboxMode } from '../protocol/sandbox.ts';
import { usableServers } from './mcp/approval.ts';
import type { SessionFactoryOptions } from './openContext.ts';
import type { CliOptions } from './options.ts';
import { directoryRefusal } from './permissions/addedDirectories.ts';
import type { ApprovedRecords } from './permissions/approvedRecords.ts';
import { ownPrograms, runningFolderCode } from './permissions/programCode.ts';
import { noPlugins, openPlugins, type SessionPlugins, type UsedPlugins } from './plugins/usedPlugins.ts';
import type { AppPaths } from './process/appPaths.ts';
import { allowedToolsOf } from './skills.ts';
import { usableAgents } from './subagents/definitions.ts';

/**
 * Reads all settings layers. The folder's own settings apply only if the user has approved them and the files that they
 * run. Rejects with `ManagedSettingsError` if managed settings cannot be used.
 */
export async function readSettings(
  place: AppPaths,
  options: CliOptions,
  trust: GivenTrust,
): Promise<LoadedSettings> {
  const read = await readLayers(place, options, trust);
  if (!trust.isTrusted) return read;
  const { withApprovedFiles } = await import('./permissions/approvedFiles.ts');
  return withApprovedFiles(place, read, trust.granted);
}

/** The files that pending settings run, as they are now: the user approves them together with the settings. */
export async function filesToApprove(
  place: AppPaths,
  options: CliOptions,
  trust: GivenTrust,
  grants: LoadedSettings['grants'],
): Promise<ApprovedRecords> {
  const [before, after, { newlyRun }] = await Promise.all([
    readLayers(place, options, trust),
    readLayers(place, options, { ...trust, isTrusted: true, granted: grants }),
    import('./permissions/approvedFiles.ts'),
  ]);
  return newlyRun(place, before, after);
}

async function readLayers(place: AppPaths, options: CliOptions, trust: GivenTrust): Promise<LoadedSettings> {
  const loaded = await withStoredKey(
    place,
    await loadSettings({
      dataRoot: place.dataRoot,
      home: place.home,
      root: place.root,
      cwd: place.cwd,
      managed: place.managed,
      env: place.env,
      ...savedTrust(trust),
      flags: {
        model: options.model,
        effort: options.effort,
        fallbackModels: options.fallbackModel,
        baseUrl: options.baseUrl,
        permissionMode: options.permissionMode,
        maxTurns: options.maxTurns,
        contextWindow: options.contextWindow,
        appendSystemPrompt: options.appendSystemPrompt,
        allowedTools: options.allowedTools,
        disallowedTools: options.disallowedTools,
        addDirs: options.addDirs.map((directory) => resolve(place.cwd, directory)),
      },
      settingsFlag: options.settings,
      settingSources: options.settingSources,
      directoryRefusal: (directory) => directoryRefusal(directory, place),
      mcp: { configs: options.mcpConfig, strict: options.strictMcpConfig, cwd: place.cwd },
    }),
  );
  const problems = [
    ...loaded.rules.flatMap(ruleProblem),
    ...sandboxProblem(loaded, options.sandbox),
    ...(await agentsProblem(options.agents)),
  ];
  const policy = problems.find(({ layer }) => layer === 'managed');
  if (policy !== undefined) throw refusal(policy.message);
  const [{ agentGrants }, { skillGrants }] = await Promise.all([
    import('./subagents/definitions.ts'),
    import('./skills.ts'),
  ]);
  const found = options.safeMode ? [] : (await Promise.all([agentGrants(place), skillGrants(place)])).flat();
  const isGranted = grantLookup(trust.isTrusted ? (trust.granted ?? []) : []);
  return {
    ...(options.safeMode ? withoutExtras(loaded) : loaded),
    grants: [...loaded.grants, ...found],
    untrusted: [
      ...loaded.untrusted,
      ...asSettings(
        found.filter((grant) => !isGranted(grant)),
        trust.isTrusted ? trust.granted : [],
      ),
    ],
    problems: [...loaded.problems, ...problems],
  };
}

/** The key that the user has stored for the default endpoint, if no other is set. */
async function withStoredKey({ dataRoot }: AppPaths, loaded: LoadedSettings): Promise<LoadedSettings> {
  const { settings, sources } = loaded;
  if (settings.apiKey !== null || hasAuthorization(settings.headers)) return loaded;
  const { storedKeyOf } = await import('./models/storedKeys.ts');
  const stored = storedKeyOf(dataRoot, { name: undefined, baseUrl: settings.baseUrl });
  if (stored === undefined) return loaded;
  const { keychainKey, STORED } = await import('./models/endpointKey.ts');
  const { systemKeychain } = await import('./models/keychain.ts');
  const answer = stored.place === 'file' ? stored : await keychainKey(stored.account, systemKeychain).get();
  if (!('key' in answer) || answer.key === undefined) return loaded;
  return {
    ...loaded,
    settings: { ...settings, apiKey: answer.key },
    sources: { ...sources, apiKey: STORED },
  };
}

/** With `--safe-mode`: no hooks and MCP servers but those of managed settings and of flags. */
function withoutExtras(loaded: LoadedSettings): LoadedSettings {
  const stays = ({ scope }: { readonly scope: string }): boolean => scope === 'managed' || scope === 'flag';
  return {
    ...loaded,
    hooks: loaded.hooks.filter(stays),
    servers: loaded.servers.filter(stays),
    heldServers: [],
  };
}

async function agentsProblem(json: string | undefined): Promise<Problem[]> {
  if (json === undefined) return [];
  const { parseAgents } = await import('../extensions/findAgents.ts');
  const parsed = parseAgents(json);
  if (!('error' in parsed)) return [];
  return [{ layer: 'flag', file: '--agents', message: `--agents is ignored: ${parsed.error}` }];
}

/** Returns the sandbox mode of `-s`, unless managed settings decide the sandbox. */
export function sandboxByFlag(
  { sources }: Pick<LoadedSettings, 'sources'>,
  mode: SandboxMode | undefined,
): SandboxMode | undefined {
  const isDecided = ['sandbox.mode', 'sandbox.enabled'].some((key) => isManaged(sources, key));
  return isDecided ? undefined : mode;
}

function sandboxProblem(loaded: LoadedSettings, mode: SandboxMode | undefined): Problem[] {
  if (mode === undefined || sandboxByFlag(loaded, mode) === mode) return [];
  const message = `--sandbox ${mode} is ignored: managed settings determine how commands are confined.`;
  return [{ layer: 'flag', file: '--sandbox', key: 'sandbox.mode', message }];
}

/** Reports an invalid rule, so that it does not appear to protect anything. */
function ruleProblem({ text, behavior, source, managed }: SettingsRule): Problem[] {
  const parsed = parseRule(text);
  if (!('error' in parsed)) return [];
  const layer = managed === true ? 'managed' : source.startsWith('--') ? 'flag' : 'project';
  return [
    {
      layer,
      file: source,
      key: `permissions.${behavior}`,
      message: `${source}: the rule "${text}" is ignored: ${parsed.error}`,
    },
  ];
}

export function trustIn({ dataRoot, root }: AppPaths): Promise<FolderTrust> {
  return readTrust(dataRoot, root);
}

/**
 * Records which folder the approvals of an earlier version are for, if nothing in it has changed since; otherwise the user
 * is asked first. Never rejects.
 */
export async function identifyFolder(
  { dataRoot, root }: AppPaths,
  { untrusted, changedFiles = [], servers }: LoadedSettings,
  { isUnidentified = false, serversAnswered, serverAnswer }: FolderTrust,
): Promise<void> {
  const hasChanged = servers.some(
    (one) =>
      isFolderServer(one) &&
      serversAnswered.includes(one.name) &&
      serverAnswer(one.name, serverHash(one)) === undefined,
  );
  if (!isUnidentified || untrusted.length + changedFiles.length > 0 || hasChanged) return;
  // Without it, the next start tries again.
  await recordIdentity(dataRoot, root).catch(() => undefined);
}

/** The parts of trust that affect settings. */
type GivenTrust = Pick<FolderTrust, 'isTrusted' | 'granted' | 'savedRules'>;

/** Folders trusted before the trusted settings were recorded count as trusting none: the user is asked once more. */
export function savedTrust({ isTrusted, granted = [], savedRules }: GivenTrust) {
  return { trusted: isTrusted, granted, savedRules };
}

/** Returns a notice for headless runs, which cannot ask; undefined if all settings apply. */
export function untrustedSettingsNotice(
  { untrusted }: LoadedSettings,
  { isTrusted, other }: FolderTrust,
): string | undefined {
  if (untrusted.length === 0) return undefined;
  if (other?.wasTrusted === true)
    return 'this is not the folder that you trusted at this path, so its settings are ignored; run clawdcode here once to decide.';
  if (!isTrusted)
    return 'this folder is not trusted, so its settings are ignored; run clawdcode here once to decide.';
  const settings = [...new Set(untrusted.map(({ file, key }) => `${key} in ${file}`))].join(', ');
  return `settings of this folder have changed since you trusted it, and the changes are ignored (${settings}); run clawdcode here once to decide.`;
}

/** The model and key to use, or the reason why there is no model yet. */
export type ModelAccess =
  | { readonly type: 'ready'; readonly model: string; readonly apiKey: string | undefined }
  | {
      readonly type: 'missing';
      readonly message: string;
      /** The mistake in the settings that caused it. */
      readonly problem?: Problem;
    };

/**
 * Returns the model and key. A key is required only at the hosted default endpoint: other endpoints may work without.
 */
export async function findModelAccess(
  loaded: LoadedSettings,
  demo: boolean,
  listModels: (settings: Settings) => Promise<ModelList>,
): Promise<ModelAccess> {
  if (demo) return { type: 'ready', model: DEMO_MODEL, apiKey: undefined };
  const { settings, misread } = loaded;
  const apiKey = settings.apiKey ?? undefined;
  const isNamed = namesProvider(settings);
  if (isNamed && settings.model !== null) return { type: 'ready', model: settings.model, apiKey };
  if (misread !== undefined) return { type: 'missing', message: misreadAdvice(misread), problem: misread };
  const hosted = settings.baseUrl === OFFICIAL_URL;
  if (hosted && apiKey === undefined && !hasAuthorization(settings.headers)) {
    const [provider] = Object.keys(settings.providers);
    if (provider !== undefined)
      return {
        type: 'missing',
        message: `No model is set up. Choose one of your provider "${provider}": clawdcode --model ${provider}/…, or "model" in your config.json; "clawdcode models" lists them.`,
      };
    return {
      type: 'missing',
      message:
        'No model is set up. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, or run "clawdcode" and enter them; "clawdcode --demo" needs neither.',
    };
  }
  if (settings.model !== null) return { type: 'ready', model: settings.model, apiKey };
  if (hosted) return { type: 'ready', model: OFFICIAL_MODEL, apiKey };
  const { ids, problem } = await listModels(settings);
  const [first] = ids;
  if (first !== undefined) return { type: 'ready', model: first, apiKey };
  return {
    type: 'missing',
    message: problem ?? 'No model found.',
  };
}

/** True if the model belongs to a named provider, so that nothing is sent to the default endpoint. */
function namesProvider({ model, providers }: Settings): boolean {
  const { provider } = parseModelName(model ?? '', (part) => Object.hasOwn(providers, part));
  return provider !== undefined;
}

/** Returns advice for a mistake that hides the intended endpoint; the mistake's own message is shown separately. */
function misreadAdvice({ file, key }: Problem): string {
  const what =
    key === undefined
      ? `${file} may name the endpoint`
      : key.startsWith('providers')
        ? 'A provider is invalid'
        : 'The base URL is invalid';
  return `${what}, so nothing was sent: correct it, or name the endpoint for this run with --base-url or OPENAI_BASE_URL.`;
}

interface Settled {
  readonly place: AppPaths;
  readonly options: CliOptions;
  readonly trust: FolderTrust;
  readonly loaded: LoadedSettings;
  readonly access: { readonly apiKey: string | undefined; readonly model: string };
}

/** The same place, with the directories that the settings add to the workspace. */
export function inWorkspace(place: AppPaths, { added }: Pick<LoadedSettings, 'added'>): AppPaths {
  return { ...place, addedDirectories: added.directories };
}

function pluginsFor(place: AppPaths, options: CliOptions, loaded: LoadedSettings): Promise<SessionPlugins> {
  if (options.safeMode) return Promise.resolve(noPlugins);
  const folders = [
    ...options.pluginDir.map((folder) => ({ folder: resolve(place.cwd, folder), hasServers: true })),
    ...options.pluginDirNoMcp.map((folder) => ({ folder: resolve(place.cwd, folder), hasServers: false })),
  ];
  return openPlugins(place, loaded, { strictServers: options.strictMcpConfig, folders });
}

/** The user's own programs that may run code of the folder, if they have not trusted it: see `runningFolderCode`. */
export async function programsToConfine(
  place: AppPaths,
  options: CliOptions,
  loaded: LoadedSettings,
  { isTrusted }: FolderTrust,
  onProblem: (text: string) => void,
): Promise<ReadonlyMap<string, string>> {
  if (isTrusted || loaded.settings.permissions.defaultMode === 'bypassPermissions') return new Map();
  const { hooks } = (await pluginsFor(place, options, loaded)).current();
  const programs = ownPrograms(loaded, hooks);
  return programs.length === 0 ? new Map() : runningFolderCode(programs, place, loaded, onProblem);
}

/** What the command line, the settings and trust decide about sessions, with a screen or without; opens the plugins. */
export async function sessionOptions({
  place: found,
  options,
  trust,
  loaded: given,
  access: { apiKey, model },
}: Settled) {
  const { withScriptsOfWorkspace } = await import('./permissions/workspaceScripts.ts');
  const loaded = await withScriptsOfWorkspace(found, given);
  const place = inWorkspace(found, loaded);
  const { safeMode: isSafe, demo, thinking, sandbox, systemPrompt, tools, agents: flag } = options;
  const servers = usableServers(loaded, trust);
  const plugins = await pluginsFor(place, options, { ...loaded, servers });
  return {
    ...{ place, loaded, plugins, apiKey, model, thinking, demo, systemPrompt, isSafe },
    modelForced: options.model !== undefined,
    sandboxMode: sandbox,
    builtinTools: tools,
    hiddenTools: options.disallowedTools,
    skills: options.skills,
    isTrusted: trust.isTrusted,
    servers,
    allowedTools: allowedToolsOf(place, trust),
    agents: (ofPlugins: UsedPlugins['agents']) =>
      usableAgents({ place, trust, flag, plugins: ofPlugins, isSafe }),
  } satisfies Partial<SessionFactoryOptions>;
}
