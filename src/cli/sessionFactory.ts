/** Creates everything a session needs and opens it: the only place where all folders of `src/` are connected. */
import { join } from 'node:path';
import { createSummarizer } from '../agent/reply.ts';
import type { Agent, SessionChoices, SessionTarget } from '../agent/types.ts';
import { resumeForecast } from '../commands/cost/forecast.ts';
import type { ModelList } from '../commands/types.ts';
import type { Settings } from '../config/schema.ts';
import { rememberRules } from '../config/trust.ts';
import {
  ContextManager,
  createInstructionSource,
  getProjectStoragePath,
  isOtherFolder,
  LongTermMemory,
  MemorySessionStore,
  type OpenCallResult,
  type PersistentStore,
  recordProjectFolder,
  type SessionStore,
} from '../context/index.ts';
import { unmoved } from '../disk/settingsPaths.ts';
import { DEMO_MODEL } from '../model/demo.ts';
import type { HookSource, JudgeHook } from '../protocol/extensions/hooks.ts';
import { thinkingOptions } from '../protocol/models/wires.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import type { SettingsPrograms } from '../protocol/settingsPrograms.ts';
import { agentToolAlias, agentToolName } from '../protocol/toolNames.ts';
import { openHooks, originOf } from './hooks.ts';
import type { Endpoint } from './models/endpoints.ts';
import type { LearnedWindows } from './models/learnedWindows.ts';
import { listAllModels } from './models/listAllModels.ts';
import { createModelChoice, type ModelChoice, summaryModel } from './models/modelChoice.ts';
import { type OpenedSession, openContext, type SessionFactoryOptions } from './openContext.ts';
import { createDirectoryPort } from './permissions/addedDirectories.ts';
import { createPermissions, type Permissions } from './permissions/permissions.ts';
import type { LiveSettingsPrograms } from './permissions/settingsPrograms.ts';
import type { AppPaths } from './process/appPaths.ts';
import { systemClock } from './process/clock.ts';
import { keyVariables } from './process/commandVariables.ts';
import { sandboxNotices } from './sandbox.ts';
import { createSessionAgent } from './sessionAgent.ts';
import { locateTarget, resolveTarget, storeOfTarget } from './sessions/locateTarget.ts';
import { SessionElsewhereError } from './sessions/sessionErrors.ts';
import { createSharedParts, currentServers, type SharedParts } from './sharedParts.ts';
import { openSkills } from './skills.ts';
import type { UsableAgents } from './subagents/definitions.ts';

const noAgents: UsableAgents = { agents: [], problems: [], held: [] };

/** Milliseconds after an interactive session has been opened. */
const SERVERS_AFTER_MS = 100;

export interface SessionFactory {
  open(target: SessionTarget): Promise<OpenedSession>;
  /** True if an id, the beginning of one, or a title names a session of this project. */
  has(id: string): Promise<boolean>;
  listModels(): Promise<ModelList>;
  endpointOf(model: string): Endpoint;
  /** Decides how to start the programs named in settings that the screen needs. */
  readonly programs: SettingsPrograms & Pick<LiveSettingsPrograms, 'review'>;
  /** Everything to redact from an export. */
  secrets(): readonly string[];
}

const otherFolderNotice = (root: string): string =>
  `This session was started in another folder, which used to be at ${root}; /new starts a new one.`;

/** Opens sessions of one project with the settings that the program started with. */
export function createSessionFactory(options: SessionFactoryOptions): SessionFactory {
  const { place, demo } = options;
  const shared = createSharedParts(options);
  const { store, send, endpoints } = shared;
  return {
    has: (id) =>
      resolveTarget({ type: 'id', id }, place)
        .then(async (target) => target.type === 'id' && (await locateTarget(target, place, store)))
        .then(
          () => true,
          // It exists: opening it reports where it is and what can be done.
          (error) => error instanceof SessionElsewhereError,
        ),
    listModels: () => (demo ? Promise.resolve({ ids: [DEMO_MODEL] }) : listAllModels(endpoints, send)),
    endpointOf: (model) => endpoints.find(model).endpoint,
    secrets: endpoints.secrets,
    programs: shared.programs,
    open: (target) => openSession(target, options, shared),
  };
}

async function openSession(
  asked: SessionTarget,
  given: SessionFactoryOptions,
  shared: SharedParts,
): Promise<OpenedSession> {
  const choices = asked.type === 'new' ? asked.choices : undefined;
  const options = choices === undefined ? given : { ...given, model: choices.model };
  const { place, loaded, interactive } = options;
  const { settings } = loaded;
  const { plugins } = shared;
  const [target, isOther, learnedWindows, servers] = await Promise.all([
    resolveTarget(asked, place),
    // Before the session is opened, which records the folder.
    asked.type === 'latest' && isOtherFolder(place.dataRoot, place.root),
    shared.learnedWindows,
    shared.servers,
  ]);
  let onLearned = (): void => {};
  const model = createModelChoice(options.model, settings, {
    ...modelParts(shared, learnedWindows),
    effort: loaded.sources.effort === '--effort' ? (settings.effort ?? undefined) : undefined,
    ...(options.thinking && { thinking: options.thinking }),
    // A closed session has no entries.
    isLearnedInSession: () => context.entries().length > 0 && context.measure([]).windowSource === 'learned',
    onLearned: () => onLearned(),
    hasPrompt: !interactive,
  });
  const permissions = permissionsOf(options, shared);
  const { isWithheld, isReadable } = permissions;
  const isSafe = options.isSafe === true;
  const memory = memoryOf(options, isWithheld);
  const isFork = target.type !== 'new' && target.mode === 'fork';
  const createContext = contextParts(options, shared, { model, learnedWindows, isWithheld, isReadable });
  // A fork always belongs to this project; any other session is opened where it is stored.
  const store = (isFork ? undefined : storeOfTarget(target, place, shared.redaction)) ?? shared.store;
  const inMemory = options.isEphemeral === true ? memoryStores(place, shared) : undefined;
  const context = new ContextManager({
    ...createContext(inMemory?.own ?? store, model),
    ...(isSafe ? {} : { memory }),
    describeOpenCall: async (call, sessionId) =>
      inMemory === undefined ? resultOfInterrupted(call, () => store.forAgents(sessionId)) : undefined,
  });
  const isReading = target.type === 'id' && target.mode === 'read';
  const findAgents = async (): Promise<UsableAgents> =>
    options.agents?.(plugins.current().agents) ?? noAgents;
  const hooksNow = (): HookSource[] => [...loaded.hooks, ...plugins.current().hooks];
  let agents: UsableAgents;
  // Hooks may run before there is an agent, but none of those asks a model.
  let judgeHook: JudgeHook | undefined;
  const [found, skills, port, telemetry, { cwd, notices, ...opened }] = await Promise.all([
    findAgents(),
    openSkills({ ...place, isSensitive: isWithheld }, plugins, {
      isSafe,
      allowForTurn: permissions.allowForTurn,
      allowedTools: options.allowedTools,
      only: options.skills,
    }),
    openHooks(place, hooksNow(), {
      ...hookParts(options, shared),
      covers: permissions.covers,
      judge: async (question, signal) => judgeHook?.(question, signal) ?? NOT_OPEN,
      callTool: async (call, signal) => servers.current()?.callTool(call, signal) ?? NO_SERVERS,
    }),
    shared.telemetry,
    openReportingProblems(context, target, options, shared, model),
    // Before the first prompt: without the record, another folder at this path would pass for this one.
    inMemory === undefined && recordProjectFolder(place.dataRoot, place.root),
  ]);
  agents = found;
  const origin = originOf(target, opened.resumed, !shared.wasOpened);
  shared.wasOpened = true;
  const hooks = isReading ? undefined : { port, origin };
  const parts = {
    ...{ context, cwd, model, permissions, skills, servers, hooks, isReading, telemetry },
    agents: () => agents,
  };
  const { agent, tools, retainServers, languageServers, directoryAdded, ...created } = createSessionAgent(
    parts,
    options,
    shared,
    {
      createContext: (...child) => new ContextManager(createContext(...child)),
      storeFor: (sessionId) => inMemory?.children ?? store.forAgents(sessionId),
      createModel: (id) => modelOfSubagent(id, options, { model, ...modelParts(shared, learnedWindows) }),
    },
  );
  judgeHook = created.judgeHook;
  if (opened.resumed) await created.recordCutShort();
  // After the first frame, and before the user has typed a prompt.
  if (interactive && !isReading) setTimeout(() => servers.current()?.start(), SERVERS_AFTER_MS).unref();
  // Measuring a closed session fails; ignore that.
  if (interactive) onLearned = () => void agent.measure().catch(() => undefined);
  if (choices !== undefined) keepChoices(agent, choices);
  else if (opened.resumed && !isReading) endFreerMode(agent, settings.permissions.defaultMode);
  return {
    agent,
    permissions,
    file: context.filePath(),
    memory,
    tools,
    skills,
    agents: () => agents,
    mcp: servers.current,
    languageServers,
    directories: createDirectoryPort({ place, added: loaded.added, isWithheld, onAdded: directoryAdded }),
    hooks: port,
    async refreshPlugins() {
      await plugins.refresh();
      await Promise.all([
        servers.replace(currentServers(options, shared.setServers)),
        port.replace(hooksNow()),
        skills.refresh(),
        findAgents().then((now) => {
          agents = now;
        }),
      ]);
      retainServers();
    },
    async setServers(set) {
      shared.setServers = set;
      await servers.replace(currentServers(options, set));
      retainServers();
    },
    modelInfo: model.infoOf,
    ...opened,
    // A read-only session sends no requests.
    onAssumedWindow: isReading ? () => () => {} : model.onAssumed,
    notices: [
      ...notices,
      ...(isOther && opened.resumed ? [otherFolderNotice(place.root)] : []),
      ...(isReading ? [] : sandboxNotices(place, loaded)),
      ...(interactive && opened.resumed && !isReading ? resumeNotices(context, model) : []),
    ],
  };
}

function permissionsOf({ place, loaded }: SessionFactoryOptions, shared: SharedParts): Permissions {
  return createPermissions(loaded, {
    ...place,
    engine: shared.engine,
    saved: shared.savedRules,
    // A rule that the user has just saved must apply tomorrow, too, without trusting the folder's other settings.
    onSaved: (rules) => rememberRules(place.dataRoot, place.root, rules),
  });
}

/** Shared by all choices of a model: what servers reported, and what earlier sessions learned. */
function modelParts({ served, endpoints }: SharedParts, learnedWindows: LearnedWindows) {
  return { served, endpoints, learnedWindows };
}

/** A subagent's effort is that of its model and the settings; a limit applies to all. */
function modelOfSubagent(
  id: string,
  { loaded }: SessionFactoryOptions,
  { model, ...known }: ReturnType<typeof modelParts> & { readonly model: ModelChoice },
): ModelChoice {
  const thinking = thinkingOptions(model.current());
  return createModelChoice(id, loaded.settings, { ...known, thinking, hasPrompt: true });
}

function hookParts({ loaded, driver }: SessionFactoryOptions, { send, plugins, programs }: SharedParts) {
  return {
    ...{ send, programs, callBack: driver?.callBack },
    secretEnv: keyVariables(loaded),
    pluginProblem: plugins.problem,
  };
}

function memoryOf(
  { place, debug }: SessionFactoryOptions,
  isWithheld: Permissions['isWithheld'],
): LongTermMemory {
  return new LongTermMemory({
    folders: {
      user: join(place.dataRoot, 'memory'),
      project: join(getProjectStoragePath(place.dataRoot, place.root), 'memory'),
    },
    isSensitive: isWithheld,
    onWarning: debug.write,
  });
}

interface ContextFacts extends Pick<Permissions, 'isWithheld' | 'isReadable'> {
  readonly model: ModelChoice;
  readonly learnedWindows: LearnedWindows;
}

/** What a session's context, and those of its subagents, are built from. */
function contextParts(
  { place, loaded: { settings }, isSafe }: SessionFactoryOptions,
  shared: SharedParts,
  { model, learnedWindows, isWithheld, isReadable }: ContextFacts,
) {
  return (
    store: SessionStore,
    { current }: Pick<ModelChoice, 'current'>,
    { root, cwd, isWithheld: isSensitive, isReadable: canRead }: ContextPlace = {
      ...place,
      isWithheld,
      isReadable,
    },
  ) => ({
    ...{ store, root, isSensitive, isReadable: canRead },
    settings: contextSettings(settings.context),
    model: current,
    summarize: createSummarizer(shared.client, systemClock, (id) => (id === current().id ? current() : {})),
    summaryModel: () => summaryModel(settings, model.infoOf),
    encoder: shared.encoder,
    onWindowLearned: learnedWindows.remember,
    ...(isSafe === true
      ? {}
      : { instructions: createInstructionSource({ ...place, root, cwd, isSensitive }) }),
  });
}

/** What a subagent had done when the program was stopped; undefined for calls of other tools. */
async function resultOfInterrupted(
  { id, name }: { readonly id: string; readonly name: string },
  storeOfChildren: () => PersistentStore,
): Promise<OpenCallResult | undefined> {
  if (name !== agentToolName && name !== agentToolAlias) return undefined;
  const { partialResult } = await import('./subagents/partialResult.ts');
  return partialResult(id, storeOfChildren());
}

/** Long outputs are written to the folder only while its path leads to where it did when the settings were read. */
function contextSettings(context: Settings['context']): Settings['context'] {
  const { outputDir } = context.truncate;
  if (outputDir === null || unmoved([outputDir]).length > 0) return context;
  return { ...context, truncate: { ...context.truncate, outputDir: null } };
}

/** What continuing costs, if the last reply is long ago. */
function resumeNotices(context: ContextManager, model: ModelChoice): readonly string[] {
  const forecast = resumeForecast(context.entries(), model.current().price, Date.now());
  return forecast === undefined ? [] : [forecast];
}

/** The stores of a session that leaves nothing behind, and of its subagents. */
function memoryStores({ version }: AppPaths, { redaction }: SharedParts) {
  const create = () => new MemorySessionStore({ programVersion: version, redaction });
  return { own: create(), children: create() };
}

/** Opens the log; a problem while doing so becomes the first notice. */
async function openReportingProblems(
  context: ContextManager,
  target: SessionTarget,
  options: SessionFactoryOptions,
  { store, endpoints }: SharedParts,
  model: ModelChoice,
): ReturnType<typeof openContext> {
  // If the disk rejects the very first entry, that is reported before anything listens, and only once, so it is caught
  // here. The last report is used: if nothing can be saved, a missing lock does not matter.
  let problem: string | undefined;
  const stopListening = context.onProblem(({ message }) => {
    problem = message;
  });
  const opened = await openContext(context, target, store, { ...options, endpoints }, model);
  stopListening();
  return { ...opened, notices: [...(problem === undefined ? [] : [problem]), ...opened.notices] };
}

const NOT_OPEN = { ok: false, problem: 'the session is not open yet' } as const;
const NO_SERVERS = { ok: false, problem: 'there are no MCP servers', isMissing: true } as const;

/** The folder of an agent, and what must not reach its model from there. */
type ContextPlace = Pick<AppPaths, 'root' | 'cwd'> & Pick<Permissions, 'isWithheld' | 'isReadable'>;

/** Makes the user's choices in the session before apply here, and records those that differ from the settings. */
function keepChoices(agent: Agent, { effort, mode, afterPlan }: SessionChoices): void {
  if (agent.state().model.effort !== effort)
    agent.submit({ type: 'set_effort', ...(effort === undefined ? {} : { effort }) });
  if (mode === 'plan') agent.submit({ type: 'set_mode', mode: afterPlan });
  agent.submit({ type: 'set_mode', mode });
}

/** Resets a mode that skips questions to the default: a resumed session must not inherit it. */
function endFreerMode(agent: Agent, defaultMode: PermissionMode): void {
  const { mode } = agent.state();
  if (mode !== defaultMode && answersQuestions.has(mode))
    agent.submit({ type: 'set_mode', mode: defaultMode });
}

/** Modes that run some or all calls without the approval that mode `default` requires. */
const answersQuestions: ReadonlySet<PermissionMode> = new Set(['acceptEdits', 'auto', 'bypassPermissions']);
