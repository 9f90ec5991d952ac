import { dirname, join } from 'node:path';
import type { AgentState } from '../agent/types.ts';
import { allCommands } from '../commands/allCommands.ts';
import { mcpPromptCommands } from '../commands/extensions/mcp.ts';
import { skillCommands } from '../commands/extensions/skills.ts';
import type { Command, CommandHost, ConfigPort, MemoryPort, StatusInfo } from '../commands/types.ts';
import { telemetryTarget } from '../config/environment.ts';
import { type FolderTrust, forgetConfined } from '../config/trust.ts';
import type { LoadedSettings } from '../config/types.ts';
import { BlobStore, type LongTermMemory } from '../context/index.ts';
import { shownUrl } from '../model/errors.ts';
import { explainedIn } from '../protocol/explainedCall.ts';
import type { McpPromptInfo } from '../protocol/extensions/mcp.ts';
import type { RunningProgram } from '../protocol/settingsPrograms.ts';
import { toolNames } from '../protocol/toolNames.ts';
import { summaryModel } from './models/modelChoice.ts';
import type { OpenedSession } from './openContext.ts';
import { createPluginPort } from './plugins/pluginPort.ts';
import type { AppPaths } from './process/appPaths.ts';
import type { DebugLog } from './process/debugLog.ts';
import { ownEnvironment } from './process/lookUp.ts';
import type { SessionFactory } from './sessionFactory.ts';
import { createExportPort, writeTextFile } from './sessions/exportPort.ts';
import { worktreePort } from './subagents/worktrees.ts';
import { copyToClipboard } from './terminal/clipboard.ts';
import { keybindingsFile, readKeysInfo } from './terminal/keybindings.ts';
import { isDumbTerminal } from './terminal/screenKind.ts';

interface CommandHostParts {
  readonly opened: OpenedSession;
  readonly factory: SessionFactory;
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly trust: Pick<FolderTrust, 'isTrusted'>;
  readonly debug: DebugLog;
  readonly config: ConfigPort;
  /** Standard output is a terminal that belongs to this session. */
  readonly isTerminal: boolean;
}

/** Creates the services that slash commands may use, for one session. */
export function createCommandHost({
  opened: {
    agent,
    permissions,
    file,
    memory,
    skills,
    agents,
    mcp,
    languageServers,
    directories,
    hooks,
    refreshPlugins,
    modelInfo,
  },
  factory,
  place,
  loaded,
  debug,
  config,
  isTerminal,
  trust: { isTrusted },
}: CommandHostParts): CommandHost {
  let prompts: readonly McpPromptInfo[] = [];
  let { found } = skills;
  const commandsOf = (): readonly Command[] => {
    const port = mcp();
    return [
      ...allCommands,
      ...skillCommands(found.skills, allCommands),
      ...(port === undefined ? [] : mcpPromptCommands(port)),
    ];
  };
  let commands = commandsOf();
  return {
    agent,
    // Prompts of MCP servers may change at any time, and skills with the plugins.
    get commands() {
      const now = mcp()?.prompts() ?? prompts;
      const isSame = now === prompts && found === skills.found;
      [prompts, found] = [now, skills.found];
      if (!isSame) commands = commandsOf();
      return commands;
    },
    get mcp() {
      return mcp();
    },
    languageServers,
    directories,
    hooks: hooks.list,
    askAboutFolder: () => forgetConfined(place.dataRoot, place.root),
    unapprovedChanges: {
      ...factory.programs.review,
      running: async () => [...underway(agent.state()), ...(await factory.programs.review.running())],
    },
    get agents() {
      return agents();
    },
    worktrees: () => worktreePort(place),
    config,
    plugins: createPluginPort(place, refreshPlugins),
    skills: {
      list: skills.list,
      shownPath: (path) =>
        path.startsWith(`${place.root}/`) ? path.slice(place.root.length + 1) : withTilde(path, place.home),
      async prepare(skill, args) {
        const prepared = await skills.prepare(skill, args, agent.state().sessionId);
        if (!('problem' in prepared)) skills.allow(prepared.skill);
        return prepared;
      },
    },
    memory: memoryPort(memory, loaded.settings.context.memory),
    settings: () => loaded.settings.context,
    rules: permissions.rules,
    explainPermission: async (command) => {
      const { mode, cwd = place.cwd, sandbox } = agent.state();
      const call =
        command === undefined
          ? undefined
          : ({ tool: toolNames.bash, access: { type: 'command', command, cwd } } as const);
      const explanation = await permissions.explain(call, mode);
      return explanation && sandbox ? explainedIn(explanation, sandbox) : explanation;
    },
    listModels: factory.listModels,
    modelInfo,
    summaryModel: () => summaryModel(loaded.settings, modelInfo),
    keys: () =>
      readKeysInfo(keybindingsFile(place.dataRoot), withTilde(keybindingsFile(place.dataRoot), place.home)),
    readBlob: blobReader(file),
    copyText: (text) =>
      copyToClipboard(text, {
        platform: process.platform,
        env: ownEnvironment(place),
        // A terminal without escape sequences would print it.
        write:
          isTerminal && !isDumbTerminal(place.env.TERM)
            ? (sequence) => void process.stdout.write(sequence)
            : undefined,
      }),
    writeText: (text, to) => writeTextFile(text, to, place),
    exportSession: createExportPort({ agent, file }, place, factory.secrets),
    doctor: () =>
      import('./doctor/diagnose.ts').then(({ sessionReport }) =>
        sessionReport(place, loaded, isTrusted, agent.state()),
      ),
    projectFacts: () =>
      import('./onboarding/projectFacts.ts').then(({ readProjectFacts }) => readProjectFacts(place)),
    findSession: async (id) => ((await factory.has(id)) ? 'found' : 'unknown'),
    status: () => ({
      version: place.version,
      cwd: place.cwd,
      ...endpointFacts(agent.state(), factory, loaded),
      sessionFile: file,
      settingsFiles: loaded.files,
      trusted: isTrusted,
      heldSettings: [...new Set(loaded.untrusted.map(({ key }) => key))],
      debugFile: debug.file,
      telemetry: agent.state().demo ? undefined : telemetryFacts(loaded, place),
    }),
  };
}

/** What the model is doing: the calls of its turn, and its subagents in the background. */
function underway({ busy, tasks }: AgentState): readonly RunningProgram[] {
  const subagents = tasks.filter(({ kind, end }) => kind === 'subagent' && end === undefined);
  return [
    ...(busy ? [{ role: 'the turn of the model', command: '' }] : []),
    ...subagents.map(({ command }) => ({ role: 'subagent', command })),
  ];
}

function telemetryFacts({ settings }: LoadedSettings, { env }: AppPaths): StatusInfo['telemetry'] {
  const target = telemetryTarget(settings, env);
  return target && { ...target, url: shownUrl(target.url) };
}

/** The endpoint of the model in use, and where its key comes from. */
function endpointFacts(
  { demo, model }: AgentState,
  { endpointOf }: SessionFactory,
  { settings, sources }: LoadedSettings,
): { readonly baseUrl: string; readonly keySource: string | undefined } {
  const { name, baseUrl, key } = endpointOf(model.id);
  if (demo) return { baseUrl: 'none (built-in demo model)', keySource: undefined };
  if (name !== undefined) return { baseUrl: `${name}, ${shownUrl(baseUrl)}`, keySource: key.source };
  return { baseUrl: shownUrl(baseUrl), keySource: settings.apiKey === null ? undefined : sources.apiKey };
}

/** Blobs are stored next to the session's file; without a file, nothing is stored. */
function blobReader(file: string | undefined): CommandHost['readBlob'] {
  if (file === undefined) return () => Promise.resolve(undefined);
  const blobs = new BlobStore(join(dirname(file), 'blobs'));
  return (ref, range) => blobs.read(ref, range);
}

/** Abbreviates the home directory in a path to `~`. */
function withTilde(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** A manual search returns more results than automatic recall, and may take longer. */
const SEARCH_BY_HAND = { limit: 10, minSimilarity: Number.MIN_VALUE, timeoutMs: 10_000 };

function memoryPort(memory: LongTermMemory, settings: MemoryPort['settings']): MemoryPort {
  return {
    folders: memory.folders,
    settings,
    list: () => memory.list(),
    add: (text, scope, category) => memory.remember(text, scope, category),
    search: (words, category) =>
      memory.search(words, { ...SEARCH_BY_HAND, ...(category === undefined ? {} : { category }) }),
  };
}
