/** What all sessions of the process share: the model's connection, the store, the threads, the MCP servers. */
import { PersistentStore } from '../context/index.ts';
import { createModelClient } from '../model/createModelClient.ts';
import { createDemoClient } from '../model/demo.ts';
import { environmentSend } from '../model/http/environmentSend.ts';
import type { HttpSend } from '../model/http/types.ts';
import { ownFactsOf } from '../model/ownFacts.ts';
import { createServedModels, type ServedModels } from '../model/servers/servedModels.ts';
import type { SourcedRule } from '../permissions/rules/rules.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import type { ModelClient } from '../protocol/model.ts';
import { type LiveServers, openServers } from './mcp/openServers.ts';
import { openKnownServers } from './models/knownServers.ts';
import { type LearnedWindows, openLearnedWindows } from './models/learnedWindows.ts';
import { listModels } from './models/modelChoice.ts';
import { withNearestModels } from './models/nearestModels.ts';
import type { SessionFactoryOptions } from './openContext.ts';
import { createPermissionEngine } from './permissionThread/ThreadedEngine.ts';
import { noPlugins, type SessionPlugins } from './plugins/usedPlugins.ts';
import type { AppPaths } from './process/appPaths.ts';
import { systemClock } from './process/clock.ts';
import { createTokenEncoder } from './process/threads.ts';
import { writeRedaction } from './sessions/redaction.ts';
/** Owns the connection to the endpoint, the store and the threads. */
export interface SharedParts {
  readonly redaction: ReturnType<typeof writeRedaction>;
  readonly store: PersistentStore;
  readonly encoder: ReturnType<typeof createTokenEncoder>;
  readonly engine: ReturnType<typeof createPermissionEngine>;
  readonly send: HttpSend;
  readonly served: ServedModels | undefined;
  readonly client: ModelClient;
  readonly learnedWindows: Promise<LearnedWindows>;
  /** The MCP servers, which outlive a session. */
  readonly servers: Promise<LiveServers>;
  readonly plugins: SessionPlugins;
  /** Models whose assumed context window has been reported to the user. */
  readonly toldAssumed: Set<string>;
  /** True once a session has been opened. */
  wasOpened: boolean;
  /** Rules saved by "always" in any session. */
  readonly savedRules: SourcedRule[];
  readonly onError: (error: unknown) => void;
}

export function createSharedParts(options: SessionFactoryOptions): SharedParts {
  const { place, loaded, apiKey, debug } = options;
  const { dataRoot, packageRoot } = place;
  const { baseUrl, headers } = loaded.settings;
  const { now } = systemClock;
  const redaction = writeRedaction(loaded.settings, apiKey);
  if (redaction !== undefined) debug.redactWith(redaction.text);
  const send = environmentSend(place.env);
  const onError = (error: unknown): void =>
    debug.write(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const memory = { dataRoot, baseUrl, now, onError };
  const served = options.demo
    ? undefined
    : createServedModels({ baseUrl, apiKey, headers, now, send, memory: openKnownServers(memory) });
  return {
    redaction,
    store: new PersistentStore({
      dataRoot,
      projectRoot: place.root,
      programVersion: place.version,
      redaction,
    }),
    encoder: createTokenEncoder(packageRoot),
    engine: createPermissionEngine(packageRoot, debug.write),
    send,
    served,
    client: createClient(options, send, served),
    learnedWindows: openLearnedWindows(memory),
    servers: openServers(place, serversNow(options), options.interactive, options.driver?.openHostChannel),
    plugins: options.plugins ?? noPlugins,
    toldAssumed: new Set(),
    wasOpened: false,
    savedRules: [],
    onError,
  };
}

/** The MCP servers that may be used now. */
export function serversNow({ servers = [], plugins = noPlugins }: SessionFactoryOptions): McpServerSource[] {
  return [...servers, ...plugins.current().servers];
}

/** Returns the same headers as OpenAI's own tools. */
function accountHeaders({ OPENAI_ORG_ID, OPENAI_PROJECT_ID }: AppPaths['env']): Record<string, string> {
  return {
    ...(OPENAI_ORG_ID ? { 'OpenAI-Organization': OPENAI_ORG_ID } : {}),
    ...(OPENAI_PROJECT_ID ? { 'OpenAI-Project': OPENAI_PROJECT_ID } : {}),
  };
}

function createClient(
  { place, loaded, apiKey, demo, debug }: SessionFactoryOptions,
  send: HttpSend,
  served: ServedModels | undefined,
): ModelClient {
  if (demo) return createDemoClient(systemClock.sleep);
  const { baseUrl, headers, models, wire } = loaded.settings;
  const client = createModelClient(wire, {
    apiKey,
    baseUrl,
    headers: { 'User-Agent': `clawdcode/${place.version}`, ...headers },
    account: accountHeaders(place.env),
    debug: debug.write,
    send,
    factsOf: (id) => {
      const { tools = served?.get(id)?.tools, returnsReasoning } = ownFactsOf(models, id);
      return {
        ...(tools === undefined ? {} : { callsTools: tools }),
        ...(returnsReasoning === undefined ? {} : { returnsReasoning }),
      };
    },
  });
  return withNearestModels(client, () => listModels(baseUrl, apiKey, { send, headers }));
}
