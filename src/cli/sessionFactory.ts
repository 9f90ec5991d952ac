/** Creates everything a session needs and opens it: the only place where all folders of `src/` are connected. */
import { join } from 'node:path';
import { createAgent } from '../agent/Agent.ts';
import type { HookDeps } from '../agent/hooks/createHooks.ts';
import { readOnlyAgent } from '../agent/readOnlyAgent.ts';
import { createSummarizer } from '../agent/reply.ts';
import type { Agent, SessionTarget } from '../agent/types.ts';
import type { ModelList } from '../commands/types.ts';
import { rememberRules } from '../config/trust.ts';
import {
  ContextManager,
  createInstructionSource,
  getProjectStoragePath,
  LongTermMemory,
  newId,
  PersistentStore,
  type SessionSummary,
} from '../context/index.ts';
import { realpath } from '../disk/realPath.ts';
import type { McpServers } from '../mcp/McpServers.ts';
import { createDemoClient, DEMO_MODEL } from '../model/demo.ts';
import { environmentSend } from '../model/http/environmentSend.ts';
import type { HttpSend } from '../model/http/types.ts';
import { createOpenAIClient } from '../model/openai.ts';
import { ownFactsOf } from '../model/ownFacts.ts';
import { createServedModels, type ServedModels } from '../model/servers/servedModels.ts';
import { isReadOnlyForCommands, protectionPlace } from '../permissions/files/protectedNames.ts';
import type { SourcedRule } from '../permissions/rules/rules.ts';
import type { ModelClient } from '../protocol/model.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { agentToolAlias, agentToolName, toolNames } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { builtinTools } from '../tools/builtinTools.ts';
import { openHooks, originOf } from './hooks.ts';
import { openServers } from './mcp/openServers.ts';
import { openKnownServers } from './models/knownServers.ts';
import { type LearnedWindows, openLearnedWindows } from './models/learnedWindows.ts';
import { createModelChoice, listModels, type ModelChoice } from './models/modelChoice.ts';
import { withNearestModels } from './models/nearestModels.ts';
import { type OpenedSession, openContext, type SessionFactoryOptions } from './openContext.ts';
import { createAutoAllow } from './permissions/autoAllow.ts';
import { delicateWord } from './permissions/delicateWords.ts';
import { createEnvSecrets } from './permissions/envSecrets.ts';
import { createPermissions, type Permissions } from './permissions/permissions.ts';
import { warmUpCommands } from './permissions/warmUpCommands.ts';
import { createPermissionEngine } from './permissionThread/ThreadedEngine.ts';
import type { AppPaths } from './process/appPaths.ts';
import { systemClock } from './process/clock.ts';
import { commandVariables } from './process/commandVariables.ts';
import { logContext } from './process/debugLog.ts';
import { createTokenEncoder } from './process/threads.ts';
import { adoptCreatedFiles, createSessionSandbox, sandboxNotices } from './sandbox.ts';
import { locateAnywhere } from './sessions/archivedSession.ts';
import { openFileCheckpoints } from './sessions/fileCheckpoints.ts';
import { resolveTarget } from './sessions/movedSession.ts';
import { writeRedaction } from './sessions/redaction.ts';
import { SessionElsewhereError } from './sessions/sessionErrors.ts';
import { storeOfTarget } from './sessions/storeOfTarget.ts';
import { startUpkeep } from './sessions/upkeep.ts';
import { openSkills, type SessionSkills } from './skills.ts';
import { sandboxByFlag } from './startup.ts';
import type { UsableAgents } from './subagents/definitions.ts';
import { createSubagentPort, type SubagentParts } from './subagents/subagentPort.ts';

const noAgents: UsableAgents = { agents: [], problems: [], held: [] };

/** Milliseconds after an interactive session has been opened. */
const SERVERS_AFTER_MS = 100;

export interface SessionFactory {
  open(target: SessionTarget): Promise<OpenedSession>;
  list(): Promise<readonly SessionSummary[]>;
  /** True if an id, the beginning of one, or a title names a session of this project. */
  has(id: string): Promise<boolean>;
  listModels(): Promise<ModelList>;
}

/** Opens sessions of one project with the settings that the program started with. */
export function createSessionFactory(options: SessionFactoryOptions): SessionFactory {
  const { place, loaded, apiKey, demo } = options;
  const { baseUrl, headers } = loaded.settings;
  const shared = createShared(options);
  const { store, send } = shared;
  return {
    list: () => store.listSessions(),
    has: (id) =>
      resolveTarget({ type: 'id', id }, place)
        .then((target) => locateAnywhere(id, storeOfTarget(target, place) ?? store, place))
        .then(
          () => true,
          // It exists: opening it reports where it is and what can be done.
          (error) => error instanceof SessionElsewhereError,
        ),
    listModels: () =>
      demo ? Promise.resolve({ ids: [DEMO_MODEL] }) : listModels(baseUrl, apiKey, { send, headers }),
    open: (target) => openSession(target, options, shared),
  };
}

/** Shared by all sessions of the process. */
interface Shared {
  readonly redaction: ReturnType<typeof writeRedaction>;
  readonly store: PersistentStore;
  readonly encoder: ReturnType<typeof createTokenEncoder>;
  readonly engine: ReturnType<typeof createPermissionEngine>;
  readonly send: HttpSend;
  readonly served: ServedModels | undefined;
  readonly client: ModelClient;
  readonly learnedWindows: Promise<LearnedWindows>;
  /** The MCP servers, which outlive a session. */
  readonly servers: Promise<McpServers | undefined>;
  /** Models whose assumed context window has been reported to the user. */
  readonly toldAssumed: Set<string>;
  /** True once a session has been opened. */
  wasOpened: boolean;
  /** Rules saved by "always" in any session. */
  readonly savedRules: SourcedRule[];
  readonly onError: (error: unknown) => void;
}

function createShared(options: SessionFactoryOptions): Shared {
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
    servers: openServers(place, options.servers ?? [], options.interactive),
    toldAssumed: new Set(),
    wasOpened: false,
    savedRules: [],
    onError,
  };
}

async function openSession(
  asked: SessionTarget,
  options: SessionFactoryOptions,
  shared: Shared,
): Promise<OpenedSession> {
  const { place, loaded, interactive } = options;
  const { settings } = loaded;
  const [target, learnedWindows, mcp] = await Promise.all([
    resolveTarget(asked, place),
    shared.learnedWindows,
    shared.servers,
  ]);
  let onLearned = (): void => {};
  const model = createModelChoice(options.model, settings, {
    served: shared.served,
    learnedWindows,
    toldAssumed: shared.toldAssumed,
    // A closed session has no entries.
    isLearnedInSession: () => context.entries().length > 0 && context.measure([]).windowSource === 'learned',
    onLearned: () => onLearned(),
    hasPrompt: !interactive,
  });
  const permissions = createPermissions(loaded, {
    ...place,
    engine: shared.engine,
    saved: shared.savedRules,
    // A rule that the user has just saved must apply tomorrow, too, without trusting the folder's other settings.
    onSaved: (rules) => rememberRules(place.dataRoot, place.root, rules),
  });
  const { isWithheld } = permissions;
  const memory = new LongTermMemory({
    folders: {
      user: join(place.dataRoot, 'memory'),
      project: join(getProjectStoragePath(place.dataRoot, place.root), 'memory'),
    },
    isSensitive: isWithheld,
    onWarning: options.debug.write,
  });
  const isFork = target.type !== 'new' && target.mode === 'fork';
  const createContext = (store: PersistentStore, { current }: Pick<ModelChoice, 'current'>) => ({
    store,
    root: place.root,
    settings: settings.context,
    model: current,
    summarize: createSummarizer(shared.client, systemClock),
    encoder: shared.encoder,
    isSensitive: isWithheld,
    onWindowLearned: learnedWindows.remember,
    instructions: createInstructionSource({ ...place, isSensitive: isWithheld }),
  });
  // A fork always belongs to this project; any other session is opened where it is stored.
  const store = (isFork ? undefined : storeOfTarget(target, place, shared.redaction)) ?? shared.store;
  const context = new ContextManager({
    ...createContext(store, model),
    memory,
    describeOpenCall: async (call, sessionId) => {
      if (call.name !== agentToolName && call.name !== agentToolAlias) return undefined;
      const { foundSoFar } = await import('./subagents/foundSoFar.ts');
      return foundSoFar(call.id, store.forAgents(sessionId));
    },
  });
  const isReading = target.type === 'id' && target.mode === 'read';
  const [agents, skills, port, { cwd, notices, ...opened }] = await Promise.all([
    options.agents?.() ?? noAgents,
    openSkills({ ...place, isSensitive: isWithheld, plugins: options.plugins }, permissions),
    openHooks(place, loaded, permissions, shared.send),
    openReportingProblems(context, target, options, shared, model),
  ]);
  const createChildContext: SubagentParts['createContext'] = (childStore, childModel) =>
    new ContextManager(createContext(childStore, childModel));
  const origin = originOf(target, opened.resumed, !shared.wasOpened);
  shared.wasOpened = true;
  const hooks = port === undefined || isReading ? undefined : { port, origin };
  const parts = { context, cwd, model, permissions, skills, agents, mcp, hooks, isReading };
  const { agent, tools } = createAgentOf(parts, options, shared, {
    createContext: createChildContext,
    storeFor: (sessionId) => store.forAgents(sessionId),
    createModel: (id) =>
      createModelChoice(id, settings, {
        ...{ served: shared.served, learnedWindows, toldAssumed: shared.toldAssumed, hasPrompt: true },
      }),
  });
  // After the first frame, and before the user has typed a prompt.
  if (interactive && !isReading) setTimeout(() => mcp?.start(), SERVERS_AFTER_MS).unref();
  // Measuring a closed session fails; ignore that.
  if (interactive) onLearned = () => void agent.measure().catch(() => undefined);
  if (opened.resumed && !isReading) endFreerMode(agent, settings.permissions.defaultMode);
  return {
    agent,
    permissions,
    file: context.filePath(),
    memory,
    tools,
    skills,
    agents,
    mcp,
    hooks: port,
    ...opened,
    // A read-only session sends no requests.
    onAssumedWindow: isReading ? () => () => {} : model.onAssumed,
    notices: [...notices, ...(isReading ? [] : sandboxNotices(place, loaded))],
  };
}

/** Opens the log; a problem while doing so becomes the first notice. */
async function openReportingProblems(
  context: ContextManager,
  target: SessionTarget,
  options: SessionFactoryOptions,
  { store }: Shared,
  model: ModelChoice,
): ReturnType<typeof openContext> {
  // If the disk rejects the very first entry, that is reported before anything listens, and only once, so it is caught
  // here. The last report is used: if nothing can be saved, a missing lock does not matter.
  let problem: string | undefined;
  const stopListening = context.onProblem(({ message }) => {
    problem = message;
  });
  const opened = await openContext(context, target, store, options, model);
  stopListening();
  return { ...opened, notices: [...(problem === undefined ? [] : [problem]), ...opened.notices] };
}

interface AgentParts {
  readonly context: ContextManager;
  /** The shell's initial directory. */
  readonly cwd: string;
  readonly model: ModelChoice;
  readonly permissions: Permissions;
  readonly skills: SessionSkills;
  readonly agents: UsableAgents;
  readonly mcp: McpServers | undefined;
  readonly hooks: HookDeps | undefined;
  readonly isReading: boolean;
}

/** What subagents are created with that only the session knows. */
type ChildParts = Pick<SubagentParts, 'createContext' | 'storeFor' | 'createModel'>;

/** Creates the agent of an open session, with its tools and their sandbox. */
function createAgentOf(
  { context, cwd, model, permissions, skills, agents, mcp, hooks, isReading }: AgentParts,
  options: SessionFactoryOptions,
  { redaction, engine, client, onError }: Shared,
  children: ChildParts,
): { agent: Agent; tools: () => readonly string[] } {
  const { place, loaded, interactive, demo, debug } = options;
  const { settings } = loaded;
  const sandbox = createSessionSandbox({
    place,
    loaded,
    permissions,
    mode: sandboxByFlag(loaded, options.sandboxMode),
  });
  const autoAllow = createAutoAllow({
    permissions,
    sandbox,
    isOn: settings.sandbox.autoAllow,
    delicateWord: delicateWordIn(place, settings.permissions.additionalDirectories, permissions),
    excluded: settings.sandbox.excludedCommands,
  });
  const isOffered = offeredBy(options.builtinTools);
  const toolDeps = {
    env: { ...place.env, ...commandVariables(loaded).env },
    home: place.home,
    isSensitive: permissions.isWithheld,
    web: settings.webFetch,
    sandbox,
    knownSecrets: createEnvSecrets(),
    isOffered,
  };
  const { tools: builtin, tasks, dispose, runningCalls } = builtinTools(toolDeps);
  const skillTools = skills.tools.filter(({ name }) => isOffered(name));
  const ownTools = [...builtin, ...skillTools];
  const { maxSessions, titles } = settings.sessions;
  const leaveServers = mcp?.retain();
  // Called before each request and each call: servers may connect or disconnect while the session runs.
  const tools = (): readonly Tool[] => (mcp === undefined ? ownTools : [...ownTools, ...mcp.tools()]);
  const stopUpkeep = startUpkeep({ place, maxSessions, interactive, onError });
  const warmUp = warmUpCommands(() => {
    engine.prepare();
    sandbox.prepare();
  });
  const waitForTools = mcp && ((signal: AbortSignal) => mcp.settle(signal));
  // Do not offer to save a rule that would have no effect.
  const suggestHost = settings.allowManagedPermissionRulesOnly ? undefined : permissions.suggestHost;
  const subagents =
    agents.agents.length === 0 || !isOffered(agentToolName)
      ? undefined
      : createSubagentPort({
          ...children,
          definitions: agents.agents,
          ...{ client, clock: systemClock, interactive, root: place.root, onError, toolDeps, skills },
          parentModel: () => model.current().id,
          settingsModels: loaded.ownModels,
          environment: options.environment,
          otherTools: () => [...skillTools, ...(mcp?.tools() ?? [])],
          ...(waitForTools && { waitForTools }),
          decide: autoAllow.decide,
          autoAllow: autoAllow.enable,
          remember: permissions.remember,
          ...(suggestHost && { suggestHost }),
          hooks: hooks?.port,
        });
  const writing = createAgent({
    id: newId(),
    context,
    client,
    onUnderway: warmUp.underway,
    model,
    tools,
    ...(waitForTools && { waitForTools }),
    attaches: { home: place.home },
    ...(mcp && { expandPrompt: (prompt, signal) => mcp.expand(prompt, signal) }),
    ...(subagents && { subagents }),
    disposeTools: async () => {
      stopUpkeep();
      await Promise.all([dispose(), leaveServers?.()]);
    },
    files: openFileCheckpoints(context, settings, place, debug.write, redaction),
    runningCalls,
    tasks,
    decide: autoAllow.decide,
    autoAllow: autoAllow.enable,
    sandbox,
    remember: permissions.remember,
    ...(suggestHost && { suggestHost }),
    root: place.root,
    cwd,
    mode: settings.permissions.defaultMode,
    refusedModes: loaded.refusedModes,
    judgeRules: settings.permissions.auto.rules,
    maxSteps: settings.maxTurns ?? undefined,
    interactive,
    demo,
    titles,
    clock: systemClock,
    newId,
    hooks,
    onError,
  });
  const agent = isReading ? readOnlyAgent(writing, onError) : writing;
  logContext(agent, debug);
  agent.subscribe(warmUp.hear);
  agent.subscribe((event) => {
    // A skill that was stopped while its commands ran comes back to the input: no turn begins that could end its rules.
    if (event.type === 'turn_ended' || event.type === 'queue_returned') permissions.endTurn();
  });
  adoptCreatedFiles(agent, sandbox);
  return { agent, tools: () => [...(subagents === undefined ? [] : [agentToolName]), ...names(tools())] };
}

/** Interprets `--tools`. Some tools make no sense without another, or have a second name. */
function offeredBy(named: readonly string[] | undefined): (name: string) => boolean {
  if (named === undefined) return () => true;
  const offered = new Set(named.map((name) => (name === agentToolAlias ? agentToolName : name)));
  if (offered.has(toolNames.bash))
    for (const name of [toolNames.bashOutput, toolNames.killBash]) offered.add(name);
  // Shortened results name it.
  if (offered.size > 0) offered.add(toolNames.recall);
  return (name) => offered.has(name);
}

const names = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);

/** Returns a function that finds the word that keeps a command from running without approval. */
function delicateWordIn(
  { home, root }: AppPaths,
  additionalDirectories: readonly string[],
  { isWithheld }: Permissions,
): (command: string, cwd: string) => string | undefined {
  const protection = protectionPlace(home, [root, ...additionalDirectories], realpath);
  const rules = {
    home,
    isWithheld,
    isReadOnlyForCommands: (path: string) => isReadOnlyForCommands(path, protection),
  };
  return (command, cwd) => delicateWord(command, cwd, rules);
}

/** Resets a mode that skips questions to the default: a resumed session must not inherit it. */
function endFreerMode(agent: Agent, defaultMode: PermissionMode): void {
  const { mode } = agent.state();
  if (mode !== defaultMode && answersQuestions.has(mode))
    agent.submit({ type: 'set_mode', mode: defaultMode });
}

/** Modes that run some or all calls without the approval that mode `default` requires. */
const answersQuestions: ReadonlySet<PermissionMode> = new Set(['acceptEdits', 'auto', 'bypassPermissions']);

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
  const { baseUrl, headers, models } = loaded.settings;
  const client = createOpenAIClient({
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
