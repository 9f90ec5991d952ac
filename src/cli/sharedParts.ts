/** What all sessions of the process share: the model's connection, the store, the threads, the MCP servers. */

import { telemetryTarget } from '../config/environment.ts';
import { newId, PersistentStore } from '../context/index.ts';
import { temporaryFolders } from '../disk/paths.ts';
import { createDemoClient } from '../model/demo.ts';
import { environmentSend } from '../model/http/environmentSend.ts';
import type { HttpSend } from '../model/http/types.ts';
import type { ServedModels } from '../model/servers/servedModels.ts';
import type { SourcedRule } from '../permissions/rules/rules.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import type { ModelClient } from '../protocol/models/model.ts';
import { type LiveServers, openServers } from './mcp/openServers.ts';
import { createConnections } from './models/connections.ts';
import { createEndpoints, type Endpoints } from './models/endpoints.ts';
import type { LearnedWindows } from './models/learnedWindows.ts';
import type { SessionFactoryOptions } from './openContext.ts';
import { type OwnCompiledCode, ownCompiledCode, withOwnCompiledCode } from './permissions/compiledCode.ts';
import { programsIn } from './permissions/executedFiles.ts';
import { createSettingsPrograms, type LiveSettingsPrograms } from './permissions/settingsPrograms.ts';
import { createPermissionEngine } from './permissionThread/ThreadedEngine.ts';
import { noPlugins, type SessionPlugins } from './plugins/usedPlugins.ts';
import type { AppPaths } from './process/appPaths.ts';
import { systemClock } from './process/clock.ts';
import { keyVariables } from './process/commandVariables.ts';
import { createTokenEncoder } from './process/threads.ts';
import { writeRedaction } from './sessions/redaction.ts';
import type { SessionsTelemetry } from './telemetry.ts';

/** Owns the connection to the endpoint, the store and the threads. */
export interface SharedParts {
  readonly redaction: ReturnType<typeof writeRedaction>;
  readonly store: PersistentStore;
  readonly encoder: ReturnType<typeof createTokenEncoder>;
  readonly engine: ReturnType<typeof createPermissionEngine>;
  readonly send: HttpSend;
  readonly endpoints: Endpoints;
  readonly served: ServedModels | undefined;
  readonly client: ModelClient;
  readonly learnedWindows: Promise<LearnedWindows>;
  /** The MCP servers, which outlive a session. */
  readonly servers: Promise<LiveServers>;
  /** Those that the driving program has set; undefined before the first time. */
  setServers: readonly McpServerSource[] | undefined;
  readonly plugins: SessionPlugins;
  /** Decides how to start the programs named in settings: hooks, MCP servers, the status line. */
  readonly programs: LiveSettingsPrograms;
  /** For programs that start outside the sandbox. */
  readonly compiledCode: OwnCompiledCode;
  /** Undefined if nothing is exported. */
  readonly telemetry: Promise<SessionsTelemetry> | undefined;
  /** True once a session has been opened. */
  wasOpened: boolean;
  /** Rules saved by "always" in any session. */
  readonly savedRules: SourcedRule[];
  readonly onError: (error: unknown) => void;
}

export function createSharedParts(options: SessionFactoryOptions): SharedParts {
  const { place, loaded, apiKey, debug } = options;
  const { dataRoot, packageRoot, home, root, env } = place;
  const { settings } = loaded;
  const { plugins = noPlugins } = options;
  const { invalidProviders } = loaded;
  const endpoints = createEndpoints({
    ...{ settings, apiKey, env, home, root, dataRoot, invalidProviders },
    addedDirectories: loaded.added.directories,
  });
  const redaction = writeRedaction(settings, endpoints.secrets);
  if (redaction !== undefined) debug.redactWith(redaction.text);
  const send = environmentSend(place.env);
  const onError = (error: unknown): void =>
    debug.write(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const { client, served, openWindows } = createConnections({
    ...{ endpoints, dataRoot, send, onError },
    now: systemClock.now,
    userAgent: `clawdcode/${place.version}`,
    account: accountHeaders(env),
    debug: debug.write,
  });
  const isEphemeral = options.isEphemeral === true;
  const addedDirectories = loaded.added.directories;
  const { allowWrite } = settings.sandbox;
  const temporary = temporaryFolders();
  const ownPrograms = createSettingsPrograms({
    ...{ root, home, dataRoot, env, newId },
    ...{ addedDirectories, allowWrite, temporary, isEphemeral },
    now: () => Date.now(),
    excluded: loaded.ownExcludedCommands,
    declined: loaded.changedFiles,
    hasPrograms: () => programsIn(loaded).length + plugins.current().hooks.length > 0,
    isUntrusted: options.isTrusted !== true,
  });
  const compiledCode = ownCompiledCode({
    ...{ dataRoot, isEphemeral },
    workspace: () => [root, ...addedDirectories(), ...allowWrite, ...temporary],
  });
  const programs = withOwnCompiledCode(ownPrograms, compiledCode);
  return {
    programs,
    compiledCode,
    redaction,
    store: new PersistentStore({
      dataRoot,
      projectRoot: place.root,
      programVersion: place.version,
      redaction,
    }),
    encoder: options.threads?.encoder ?? createTokenEncoder(packageRoot),
    engine: options.threads?.engine ?? createPermissionEngine(place, debug.write),
    send,
    endpoints,
    served: options.demo ? undefined : served,
    client: options.demo ? createDemoClient(systemClock.sleep) : client,
    learnedWindows: openWindows(),
    servers: openServers(place, currentServers(options), {
      canAskUser: options.interactive,
      secretEnv: keyVariables(loaded),
      openHostChannel: options.driver?.openHostChannel,
      pluginProblem: plugins.problem,
      programs,
    }),
    setServers: undefined,
    plugins,
    telemetry:
      options.demo || telemetryTarget(settings, env) === undefined
        ? undefined
        : import('./telemetry.ts').then((one) => one.openTelemetry(options, endpoints, onError)),
    wasOpened: false,
    savedRules: [],
    onError,
  };
}

/** The MCP servers that may be used now; `set` are those that the driving program has set since. */
export function currentServers(
  { servers = [], plugins = noPlugins }: SessionFactoryOptions,
  set?: readonly McpServerSource[],
): McpServerSource[] {
  const all = [...servers, ...plugins.current().servers];
  if (set === undefined) return all;
  const names = new Set(set.map(({ name }) => name));
  return [...all.filter(({ name, isHosted }) => isHosted !== true && !names.has(name)), ...set];
}

/** Returns the same headers as OpenAI's own tools. */
function accountHeaders({ OPENAI_ORG_ID, OPENAI_PROJECT_ID }: AppPaths['env']): Record<string, string> {
  return {
    ...(OPENAI_ORG_ID ? { 'OpenAI-Organization': OPENAI_ORG_ID } : {}),
    ...(OPENAI_PROJECT_ID ? { 'OpenAI-Project': OPENAI_PROJECT_ID } : {}),
  };
}
