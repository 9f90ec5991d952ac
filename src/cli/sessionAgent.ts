/** Creates the agent of an open session, with its tools, their sandbox and its subagents. */
import { createAgent } from '../agent/Agent.ts';
import type { AgentDeps } from '../agent/agentDeps.ts';
import type { HookDeps } from '../agent/hooks/createHooks.ts';
import { readOnlyAgent } from '../agent/readOnlyAgent.ts';
import { recordCutShort } from '../agent/rewind/cutShort.ts';
import type { SubagentPort } from '../agent/subagents/types.ts';
import type { Agent } from '../agent/types.ts';
import { isManaged } from '../config/managed.ts';
import type { LoadedSettings } from '../config/types.ts';
import { type ContextManager, newId } from '../context/index.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { JudgeHook } from '../protocol/extensions/hooks.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { quotedName } from '../protocol/text/visible.ts';
import { agentToolAlias, agentToolName, toolNames } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import type { SessionTelemetry } from '../telemetry/Telemetry.ts';
import { builtinTools } from '../tools/builtinTools.ts';
import { createConfinement } from './confinement.ts';
import { createHookJudge } from './hooks.ts';
import { openLanguageServers, type SessionServers } from './lsp.ts';
import type { LiveServers } from './mcp/openServers.ts';
import type { ModelChoice } from './models/modelChoice.ts';
import type { SessionFactoryOptions } from './openContext.ts';
import type { DeniedQuery } from './permissions/deniedPlaces.ts';
import { type Permissions, warmUpCommands } from './permissions/permissions.ts';
import type { ProgramSession } from './permissions/settingsPrograms.ts';
import { workspaceOf } from './process/appPaths.ts';
import { systemClock } from './process/clock.ts';
import { logContext } from './process/debugLog.ts';
import { readEnvironment } from './process/environment.ts';
import { adoptChangedFiles } from './sandbox.ts';
import { openFileCheckpoints } from './sessions/fileCheckpoints.ts';
import { startMaintenance } from './sessions/maintenance.ts';
import type { SharedParts } from './sharedParts.ts';
import type { SessionSkills } from './skills.ts';
import { sandboxByFlag } from './startup.ts';
import type { UsableAgents } from './subagents/definitions.ts';
import { createSubagentPort, type SubagentParts } from './subagents/subagentPort.ts';
import { createWorktrees } from './subagents/worktrees.ts';
import type { SessionsTelemetry } from './telemetry.ts';

interface AgentParts {
  readonly context: ContextManager;
  /** The shell's initial directory. */
  readonly cwd: string;
  readonly model: ModelChoice;
  readonly permissions: Permissions;
  readonly skills: SessionSkills;
  readonly agents: () => UsableAgents;
  readonly servers: LiveServers;
  readonly hooks: HookDeps | undefined;
  readonly isReading: boolean;
  readonly telemetry: SessionsTelemetry | undefined;
}

/** What subagents are created with that only the session knows. */
type ChildParts = Pick<SubagentParts, 'createContext' | 'storeFor' | 'createModel'>;

/** Creates the agent of an open session, with its tools and their sandbox. */
export function createSessionAgent(
  parts: AgentParts,
  options: SessionFactoryOptions,
  shared: SharedParts,
  children: ChildParts,
): {
  agent: Agent;
  tools: () => readonly string[];
  languageServers: SessionServers | undefined;
  retainServers: () => void;
  /** Called when a directory belongs to the workspace from now on. */
  directoryAdded: (folder: string) => Promise<void>;
  judgeHook: JudgeHook;
  /** Records what calls have changed that were cut short when the program stopped. Awaited before the first prompt. */
  recordCutShort: () => Promise<void>;
} {
  const { context, cwd, model, permissions, servers, hooks, isReading } = parts;
  const { place, loaded, interactive, demo, debug } = options;
  const { settings } = loaded;
  const { redaction, client, onError } = shared;
  const toolset = createSessionTools(parts, options, shared);
  const approvals = approvalPorts(toolset.confinement, permissions, loaded);
  let user: Pick<ProgramSession, 'ask' | 'warn'> = { warn: () => undefined };
  /** Notes for the model about what programs in the settings have changed. */
  const told: string[] = [];
  const noteChange: NonNullable<AgentDeps['onChanging']> = async (access, basis, mode) => {
    await shared.programs.noteUnapproved({ access, basis, mode });
    return shared.programs.editing(access, basis);
  };
  const port = subagentPortOf(parts, options, shared, {
    ...{ ...children, toolset, approvals },
    onChanging: noteChange,
  });
  const isOffered = parts.agents().agents.length > 0 && toolset.isOffered(agentToolName);
  const subagents = isOffered ? port : undefined;
  const isEphemeral = options.isEphemeral === true;
  const { maxSessions } = settings.sessions;
  const stopUpkeep = isEphemeral ? undefined : startMaintenance({ place, maxSessions, interactive, onError });
  const exported = isReading
    ? undefined
    : parts.telemetry?.watch({ agent: () => writing, costUsd: model.costUsd });
  const retain = () => servers.current()?.retain((text) => user.warn(text));
  let leaveServers = retain();
  const files = isEphemeral
    ? undefined
    : openFileCheckpoints(context, settings, place, debug.write, redaction, permissions.writeApprovals);
  const writing = createAgent({
    ...{ id: newId(), newId, clock: systemClock, onError },
    ...{ context, client, model, hooks, interactive, demo, cwd },
    ...approvals,
    onUnderway: () => {
      toolset.warmUp.underway();
      exported?.underway();
      servers.current()?.underway();
    },
    tools: toolset.tools,
    waitForTools: async (signal) => servers.current()?.settle(signal),
    expandPrompt: async (prompt, signal, maxCharacters) =>
      servers.current()?.expand(prompt, signal, maxCharacters) ?? prompt,
    fallbacks: () => settings.fallbackModels.map(model.infoOf),
    attaches: { home: place.home },
    ...(subagents && { subagents }),
    disposeTools: async () => {
      stopUpkeep?.();
      toolset.languageServers?.stop();
      await Promise.all([toolset.dispose(), leaveServers?.()]);
      await shared.programs.settled();
    },
    files,
    runningCalls: toolset.runningCalls,
    tasks: toolset.tasks,
    lateNotes: () => [...toolset.lateNotes(), ...told.splice(0)],
    sandbox: toolset.sandbox,
    onChanging: noteChange,
    lendUser: ({ ask, notice }) => {
      user = { ask, warn: (text) => notice('warning', text) };
    },
    root: place.root,
    mode: settings.permissions.defaultMode,
    refusedModes: loaded.refusedModes,
    judgeRules: settings.permissions.auto.rules,
    maxSteps: settings.maxTurns ?? undefined,
    titles: settings.sessions.titles,
    titleModel: settings.smallModel === null ? undefined : () => model.infoOf(settings.smallModel ?? ''),
  });
  const agent = isReading ? readOnlyAgent(writing, onError) : exporting(writing, exported);
  logContext(agent, debug);
  agent.subscribe(toolset.warmUp.handle);
  agent.subscribe((event) => {
    // A skill that was stopped while its commands ran returns to the composer: no turn begins that could end its rules.
    if (event.type === 'turn_ended' || event.type === 'queue_returned') permissions.endTurn();
  });
  adoptChangedFiles(agent, toolset.sandbox);
  const { sandbox } = toolset;
  // A session that is only read may be in any mode.
  const programMode = (): PermissionMode => (isReading ? 'default' : writing.state().mode);
  const tell = (text: string): void => void told.push(text);
  const lent = isReading ? { warn: user.warn } : { ...user, tell };
  shared.programs.enter({ sandbox, permissions, mode: programMode, ...lent });
  const earlier = isReading ? undefined : context.entries().findLast(changedUnasked);
  if (earlier !== undefined) shared.programs.noteEarlier(Date.parse(earlier.timestamp));
  const toolNamesNow = () => toolset.tools().map(({ name }) => name);
  return {
    agent,
    languageServers: toolset.languageServers,
    tools: () => [...(subagents === undefined ? [] : [agentToolName]), ...toolNamesNow()],
    judgeHook: createHookJudge({ context, client, clock: systemClock, model, subagents: port, cwd }),
    recordCutShort: async () => {
      if (files !== undefined && !isReading) await recordCutShort(context, files);
    },
    directoryAdded: async (folder) => {
      await files?.addRoot(folder);
      told.push(
        `The user has added ${quotedName(folder)} to the workspace: tools may work there as in the project.`,
      );
    },
    // The first servers may come from a plugin that is added during the session.
    retainServers: () => {
      leaveServers ??= retain();
    },
  };
}

/** True for the result of a call that changed files and that the user did not approve itself. */
function changedUnasked({ toolResult }: JSONLEntry): boolean {
  const { filesChanged = [], permission } = toolResult ?? {};
  return filesChanged.length > 0 && permission !== undefined && !/^(?:user|own)$/.test(permission.basis);
}

/** Exports the agent's telemetry. Once its log is complete, the exit waits briefly for the collector. */
function exporting(agent: Agent, exported: SessionTelemetry | undefined): Agent {
  if (exported === undefined) return agent;
  agent.subscribe(exported.handle);
  return {
    ...agent,
    async close(reason) {
      await agent.close(reason);
      await exported.close(reason !== 'clear' && reason !== 'resume');
    },
  };
}

/** If only managed rules allow calls, only managed settings can let all sandboxed commands run. */
export function autoAllowsAtStart({ settings, sources }: LoadedSettings): boolean {
  const mayDecide = !settings.allowManagedPermissionRulesOnly || isManaged(sources, 'sandbox.autoAllow');
  return settings.sandbox.autoAllow && mayDecide;
}

/** The session's tools, and the sandbox that their commands run in. */
type SessionTools = ReturnType<typeof createSessionTools>;

function createSessionTools(
  { permissions, skills, servers, hooks }: AgentParts,
  { place, loaded, sandboxMode, answerTool, isTrusted = false, ...chosen }: SessionFactoryOptions,
  { engine, programs, compiledCode }: SharedParts,
) {
  const isOffered = offeredBy(chosen.builtinTools, chosen.hiddenTools);
  const confinementParts = {
    loaded,
    sandboxMode: sandboxByFlag(loaded, sandboxMode),
    isOffered,
    onStarted: programs.commandStarted,
    compiledCode,
    findDenied: (query: DeniedQuery) => engine.findDenied(query),
    autoAllows: { isOn: autoAllowsAtStart(loaded) },
  };
  const ofCommands = createConfinement({ ...confinementParts, place, permissions });
  const { sandbox, toolDeps } = ofCommands;
  const { isWithheld: isSensitive } = permissions;
  const languageServers = openLanguageServers({
    ...{ place, loaded, sandbox, compiledCode, isTrusted, isSensitive },
  });
  const confinement = {
    ...ofCommands,
    toolDeps: { ...toolDeps, languageServers, variables: hooks?.port.variables },
  };
  const { tools: builtin, ...running } = builtinTools(confinement.toolDeps);
  const own = answerTool === undefined ? builtin : [...builtin, answerTool];
  const added = (): readonly Tool[] => [
    ...skills.tools().filter(({ name }) => isOffered(name)),
    ...(servers.current()?.tools() ?? []),
  ];
  const warmUp = warmUpCommands(() => {
    engine.prepare();
    sandbox.prepare();
  });
  return {
    ...{ sandbox, confinement, warmUp, isOffered, languageServers, ...running },
    worktrees: createWorktrees(place, confinement, confinementParts),
    /** Called before each request and each call: servers may connect or disconnect while the session runs. */
    tools: (): readonly Tool[] => [...own, ...added()],
    /** The tools that a subagent shares with the session; it creates its built-in ones itself. */
    otherTools: added,
  };
}

type ApprovalPorts = ReturnType<typeof approvalPorts>;

function approvalPorts(
  { decide, enable }: SessionTools['confinement'],
  { remember, suggestHost }: Permissions,
  { settings }: SessionFactoryOptions['loaded'],
) {
  // Do not offer to save a rule that would have no effect.
  const offersHosts = !settings.allowManagedPermissionRulesOnly;
  return { decide, autoAllow: enable, remember, ...(offersHosts && { suggestHost }) };
}

function subagentPortOf(
  { model, skills, agents, servers, hooks }: AgentParts,
  { place, loaded, interactive, environment }: SessionFactoryOptions,
  { client, onError }: SharedParts,
  {
    toolset,
    approvals,
    ...children
  }: ChildParts & {
    readonly toolset: SessionTools;
    readonly approvals: ApprovalPorts;
    readonly onChanging: NonNullable<AgentDeps['onChanging']>;
  },
): SubagentPort {
  return createSubagentPort({
    ...children,
    ...(approvals.suggestHost && { suggestHost: approvals.suggestHost }),
    ...{ client, clock: systemClock, interactive, root: place.root, onError, skills },
    environment: (worktree) =>
      worktree === undefined
        ? environment(place)
        : readEnvironment(
            { ...place, cwd: worktree.cwd, addedDirectories: () => [...workspaceOf(place), worktree.root] },
            new Date(),
          ),
    definitions: () => agents().agents,
    parentModel: () => model.current().id,
    settingsModels: loaded.ownModels,
    fallbackModels: loaded.settings.fallbackModels,
    ...{ confinement: toolset.confinement, worktrees: toolset.worktrees },
    sharesFolders: () => [...loaded.added.directories(), ...loaded.settings.sandbox.allowWrite].length > 0,
    otherTools: toolset.otherTools,
    waitForTools: async (signal) => servers.current()?.settle(signal),
    hooks: hooks?.port,
  });
}

/** Interprets `--tools`, and `--disallowed-tools`. Some tools make no sense without another, or have a second name. */
function offeredBy(
  named: readonly string[] | undefined,
  denied: readonly string[] = [],
): (name: string) => boolean {
  const hidden = new Set(denied.map((name) => (name === agentToolAlias ? agentToolName : name)));
  if (hidden.has(toolNames.bash))
    for (const name of [toolNames.bashOutput, toolNames.killBash]) hidden.add(name);
  if (named === undefined) return (name) => !hidden.has(name);
  const offered = new Set(named.map((name) => (name === agentToolAlias ? agentToolName : name)));
  if (offered.has(toolNames.bash))
    for (const name of [toolNames.bashOutput, toolNames.killBash]) offered.add(name);
  // Shortened results name it.
  if (offered.size > 0) offered.add(toolNames.recall);
  return (name) => offered.has(name) && !hidden.has(name);
}
