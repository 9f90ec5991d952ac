/** Builds the parts of an agent and connects them: `Core` is shared by all parts, `Work` handles the ops. */
import type { ContextManager } from '../context/index.ts';
import type { FileCheckpoints } from '../protocol/checkpoints.ts';
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { SkillPart } from '../protocol/extensions/skills.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelClient, ModelInfo } from '../protocol/model.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { CommandSandbox, SandboxState } from '../protocol/sandbox.ts';
import type { TaskPort } from '../protocol/tasks.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { FormQuestion, RunningQuestion, Tool, ToolContext } from '../protocol/tools.ts';
import {
  type ConfirmParts,
  confirmWhileRunning,
  createPermissionPorts,
  createQuestions,
  lentQuestions,
  type PermissionRules,
  type Questions,
} from './approvals.ts';
import { type AttachPorts, attachedEntries, attachFiles } from './attachments/attachFiles.ts';
import { createJudge, type Judge } from './auto/judge.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from './checkpoints.ts';
import { type ContextOps, createContextOps } from './contextOps.ts';
import { createEventHub, type EventHub } from './eventHub.ts';
import type { CallHooks } from './hooks/callHooks.ts';
import { createHooks, type HookDeps, startOnce } from './hooks/createHooks.ts';
import type { TurnHooks } from './hooks/turnHooks.ts';
import { createJobQueue, type Job, type JobQueue } from './jobQueue.ts';
import { createModes, type Modes, type RefusedModes } from './modes.ts';
import { createPromptQueue, type PromptQueue } from './promptQueue.ts';
import type { Clock } from './reply.ts';
import { createRewinds, type Rewinds } from './rewind/rewind.ts';
import { followTitle, type Totals, totalsOf } from './sessionFacts.ts';
import { runShell } from './shellPrompt.ts';
import { fillInCommands, skillPrompt } from './skillUse.ts';
import { childModes } from './subagents/childModes.ts';
import { connectSubagents, createSubagentTool, type SubagentTool } from './subagents/connect.ts';
import type { Subagents } from './subagents/Subagents.ts';
import type { ParentAgent, SubagentPort } from './subagents/types.ts';
import { type AgentTasks, createAgentTasks, joinTasks } from './tasks.ts';
import { createTitleJob, type TitleJob } from './title.ts';
import { runInline } from './toolCalls.ts';
import { createDeferredTools, type DeferredTools } from './toolset/deferredTools.ts';
import { createToolset, type Toolset } from './toolset/toolset.ts';
import { createTurnJob, type TurnJobPorts } from './turnJob.ts';

/** The session's model. */
export interface AgentModel {
  /** Returns a new object whenever its properties have changed. */
  current(): ModelInfo;
  /** Switches the model and returns its properties. */
  select(id: string): ModelInfo;
  costUsd(model: string, usage: Usage): number | undefined;
  /**
   * Called before a turn: waits, with a timeout, until the model's properties (its context window, for example) have been
   * looked up. `tokens` returns the approximate size of the next request. Returns warnings for the user.
   */
  waitForFacts?(signal: AbortSignal, tokens?: () => number): Promise<readonly string[]>;
}

export interface AgentDeps extends PermissionRules {
  /** Unique within the process. */
  readonly id: string;
  /** Its session has already been created or loaded. */
  readonly context: ContextManager;
  readonly client: ModelClient;
  readonly model: AgentModel;
  /** The tools available right now; called before each request and each tool call. */
  readonly tools: () => readonly Tool[];
  /** Called before each request: waits, with its own timeout, for tools that are still loading. */
  readonly waitForTools?: (signal: AbortSignal) => Promise<void>;
  /** Adds the files that a prompt mentions, read at the time it is sent; never rejects. */
  readonly expandPrompt?: (prompt: PromptOp, signal: AbortSignal) => Promise<PromptOp>;
  /** Attaches the files that prompts mention as `@path`; `home` is for `~`. Absent = they stay text. */
  readonly attaches?: { readonly home: string };
  /** Stops processes that tools left running. */
  readonly disposeTools: () => Promise<void> | void;
  readonly root: string;
  /** Initial working directory of the shell: absolute, links resolved. */
  readonly cwd: string;
  /** Initial permission mode if the log has none. */
  readonly mode: PermissionMode;
  /** Modes that this session cannot use; absent = all modes are available. */
  readonly refusedModes?: RefusedModes;
  /** The user's or administrator's rules for the judge of mode `auto`, one sentence each. */
  readonly judgeRules?: readonly string[];
  readonly maxSteps: number | undefined;
  readonly interactive: boolean;
  readonly demo: boolean;
  /** Whether the model names the session after its first turn; never in headless runs or with the demo model. */
  readonly titles?: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Takes the checkpoints of files. Without it, only the conversation can be rewound. Closed with the agent. */
  readonly files?: (FileCheckpoints & { close?(): Promise<void> }) | undefined;
  /** Ids of tool calls whose processes are still running. */
  readonly runningCalls?: () => readonly string[];
  /** Called for each request of a turn as soon as the agent only waits for the model. */
  readonly onUnderway?: () => void;
  /** Runs background tasks; absent = background tasks are unavailable. */
  readonly tasks?: TaskPort;
  /** Creates subagents; absent = the model cannot start any. */
  readonly subagents?: SubagentPort;
  /** The agent that this one is a subagent of. The modes are the parent's then. */
  readonly parent?: ParentAgent;
  /** The sandbox for commands. */
  readonly sandbox?: Pick<CommandSandbox, 'state'>;
  /** The rule that "always" saves for a host that a sandboxed command wants to reach. */
  readonly suggestHost?: (domain: string) => RuleSuggestion;
  /** Absent without hooks. */
  readonly hooks?: HookDeps | undefined;
  /** Receives errors thrown by subscribers. */
  readonly onError: (error: unknown) => void;
}

/** Shared by every part of the agent. */
export interface Core {
  readonly hub: EventHub;
  emit(event: AgentEvent): void;
  notice(level: 'info' | 'warning' | 'error', text: string): void;
  reportBug(error: unknown): void;
  readonly questions: Questions;
  readonly prompts: PromptQueue;
  readonly modes: Modes;
  readonly toolset: Toolset;
  readonly facts: Facts;
  setCwd(directory: string): void;
  /** Absent if this agent cannot start subagents. */
  readonly subagentTool: SubagentTool | undefined;
}

/** Parts of the agent's state that no other part stores. */
export interface Facts {
  /** The shell's current directory. */
  cwd: string;
  readonly titleOf: (entries: readonly JSONLEntry[]) => string | undefined;
  totals: Totals;
  measure: ContextMeasure | undefined;
  sandbox: SandboxState | undefined;
}

/** Expects `deps.context` to have its session already. */
export function createCore(deps: AgentDeps): Core {
  const { context } = deps;
  const hub = createEventHub(deps.id, deps.onError);
  const facts: Facts = {
    cwd: deps.cwd,
    titleOf: followTitle(),
    totals: totalsOf(context.entries(), deps.model.costUsd),
    measure: undefined,
    sandbox: undefined,
  };
  const emit = (event: AgentEvent): void => {
    if (event.type === 'context_measured') facts.measure = event.measure;
    hub.emit(event);
  };
  const notice: Core['notice'] = (level, text) => emit({ type: 'notice', level, text });
  const { parent } = deps;
  const modes =
    parent === undefined ? createModes(context, deps.mode, hub.emit, deps.refusedModes) : childModes(parent);
  const asksNothing = (): boolean => modes.current() === 'dontAsk';
  const subagentTool = deps.subagents && createSubagentTool(deps.subagents);
  const all = subagentTool === undefined ? deps.tools : () => [subagentTool.tool, ...deps.tools()];
  const tools = (): readonly Tool[] => {
    const { windowTokens } = deps.model.current();
    return all().filter(({ minWindowTokens = 0 }) => minWindowTokens <= windowTokens);
  };
  return {
    hub,
    emit,
    notice,
    reportBug(error) {
      deps.onError(error);
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
      notice('error', `Internal error: ${why}. The session is saved; continue, or /resume it.`);
    },
    questions:
      parent === undefined
        ? createQuestions(deps.id, hub.emit, asksNothing)
        : lentQuestions(parent.ask, asksNothing),
    prompts: createPromptQueue(hub.emit),
    modes,
    toolset: createToolset(tools, deferredToolsOf(deps)),
    facts,
    setCwd(directory) {
      facts.cwd = directory;
      context.setCwd(directory);
    },
    subagentTool,
  };
}

/** Decides which tools to defer by the share of the current model's context window that their schemas take. */
function deferredToolsOf({ context, model }: AgentDeps): DeferredTools {
  const calledTools = context.entries().flatMap(({ tool }) => (tool === undefined ? [] : [tool.name]));
  return createDeferredTools({
    tokensOf: (schemas) => context.measure(schemas).parts.find(({ name }) => name === 'tools')?.tokens ?? 0,
    windowTokens: () => model.current().windowTokens,
    called: calledTools,
  });
}

/** The parts that handle ops. */
export interface Work {
  readonly jobs: JobQueue;
  readonly turn: Job;
  shell(command: string, signal: AbortSignal): Promise<void>;
  /** Runs the commands of a skill, then queues its prompt; an interrupt returns the typed line to the composer. */
  useSkill(op: SkillOp, signal: AbortSignal): Promise<void>;
  readonly checkpoints: CheckpointKeeper;
  readonly titles: TitleJob;
  readonly tasks: AgentTasks;
  readonly subagents: Subagents | undefined;
  readonly contextOps: ContextOps;
  readonly rewinds: Rewinds;
  /** Absent without hooks. */
  readonly hooks: TurnHooks | undefined;
  /** Runs the hooks of the session's start, once, before anything else. */
  readonly startHooks: () => void;
}

/** Creates and connects the parts that handle ops. */
export function createWork(deps: AgentDeps, core: Core): Work {
  const { context, clock, model } = deps;
  const { emit, notice, hub, prompts, modes, toolset } = core;
  const checkpoints =
    deps.parent?.checkpoints ??
    createCheckpointKeeper({
      files: deps.files,
      context,
      running: deps.runningCalls ?? (() => []),
      now: clock.now,
      warn: (text) => notice('warning', text),
    });
  const judge =
    deps.parent?.judge ?? createJudge({ ...deps, rules: deps.judgeRules ?? [], model: model.current });
  const subagents = connectSubagents(deps, core, { checkpoints, judge });
  const jobs = createJobQueue({
    onBug: core.reportBug,
    onDone(signal) {
      // After an interrupt, queued prompts return to the composer; otherwise they would run without the user expecting
      // it.
      if (signal.aborted) prompts.giveBack();
      else if (!jobs.busy() && prompts.all().length > 0) jobs.add(turn);
    },
  });
  const titles = createTitleJob({ ...deps, model: model.current, isBusy: jobs.busy });
  hub.subscribe(checkpoints.handleEvent);
  hub.subscribe(titles.hear);
  const tasks = createAgentTasks(joinTasks(deps.tasks, subagents), emit, (draft) =>
    context.append(draft).catch(deps.onError),
  );
  const toolContext = toolContexts(deps, core, tasks);
  const { callHooks, turnHooks: hooks } = createHooks(deps, core);
  if (hooks !== undefined) hub.subscribe(hooks.hear);
  const toolCalls = createToolCalls(deps, core, {
    ...{ checkpoints, judge, toolContext, callHooks },
    abort: jobs.abort,
  });
  const turn = createTurn(deps, core, { checkpoints, tasks, toolCalls, hooks });
  const contextOps = createContextOps({
    ...{ context, schemas: toolset.schemas, select: model.select, emit, hooks },
  });
  const rewinds = createRewinds({
    context,
    files: deps.files,
    checkpoints,
    modes,
    now: clock.now,
    cwd: () => core.facts.cwd,
    setCwd: core.setCwd,
    jobs,
    emit,
    measure: contextOps.measure,
  });
  return {
    jobs,
    turn,
    shell: (command, signal) =>
      runShell(command, {
        toolset,
        toolContext: (tool) => toolContext(deps.newId(), tool, signal),
        context,
        checkpoints,
        emit,
        hooks: callHooks,
        now: clock.now,
      }),
    async useSkill(op, signal) {
      const filled = await fillIn(op.parts, signal, deps, core, toolCalls, jobs.abort);
      if (signal.aborted) emit({ type: 'queue_returned', prompts: [{ type: 'prompt', text: op.display }] });
      else prompts.add(skillPrompt(op, filled));
    },
    checkpoints,
    titles,
    tasks,
    subagents,
    contextOps,
    rewinds,
    hooks,
    startHooks: startOnce(hooks, jobs.add),
  };
}

type ToolContexts = (callId: string, tool: string, signal: AbortSignal) => ToolContext;

function toolContexts(deps: AgentDeps, core: Core, tasks: AgentTasks): ToolContexts {
  const { context, root, newId, suggestHost, remember } = deps;
  const { emit, hub, questions, notice, modes, facts } = core;
  const declinedHosts = new Set<string>();
  hub.subscribe((event) => {
    if (event.type === 'entry' && event.entry.subtype === 'prompt') declinedHosts.clear();
  });
  const confirmParts: ConfirmParts = {
    questions,
    notice,
    newId,
    mode: modes.current,
    suggestHost,
    remember,
    declinedHosts,
  };
  return (callId, tool, signal) => ({
    callId,
    sessionId: context.getCurrentSessionId() ?? '',
    root,
    cwd: () => facts.cwd,
    setCwd: core.setCwd,
    signal,
    onOutput: (text) => emit({ type: 'tool_output', callId, text }),
    offerBackground: tasks.offer,
    ...(deps.interactive && {
      confirm: (question: RunningQuestion) =>
        confirmWhileRunning(question, { callId, tool, signal }, confirmParts),
      askForm: ({ headline, form, signal: wanted }: FormQuestion) =>
        questions.ask(
          {
            ...{ id: newId(), callId, tool, title: headline, headline, input: {}, reason: '' },
            preview: { type: 'form', ...form },
          },
          AbortSignal.any([signal, wanted]),
        ),
    }),
    fileReads: (path) => context.fileReads(path),
    openBlob: () => context.openBlob(),
    cache: context.toolCache,
    seesImages: () => deps.model.current().seesImages,
    recall: (request, recallSignal) => context.recall(request, recallSignal),
  });
}

type SkillOp = Extract<Op, { type: 'use_skill' }>;
type CallPorts = TurnJobPorts['toolCalls'];

interface ToolCallParts {
  readonly checkpoints: CheckpointKeeper;
  readonly judge: Judge;
  readonly toolContext: ToolContexts;
  readonly callHooks: CallHooks | undefined;
  /** Interrupts the running job, as Esc does. */
  readonly abort: () => void;
}

function createToolCalls(
  deps: AgentDeps,
  core: Core,
  { checkpoints, judge, toolContext, callHooks, abort }: ToolCallParts,
): CallPorts {
  const { notice, questions, modes, toolset } = core;
  const attaching = attachPorts(deps, core, toolContext);
  const ports: CallPorts = {
    toolset,
    toolContext: (callId, tool, signal) => ({
      ...toolContext(callId, tool, signal),
      fillIn: (parts) => fillIn(parts, signal, deps, core, ports, abort),
    }),
    ...createPermissionPorts({ rules: deps, modes, questions, judge, notice }),
    newId: deps.newId,
    now: deps.clock.now,
    checkpoints,
    hooks: callHooks,
    attach: attaching && ((mentioning, signal) => attachedEntries(mentioning, signal, attaching)),
  };
  return ports;
}

/** Fills in the commands of a skill's text. If the user denies one and ends the turn, the whole job is aborted. */
function fillIn(
  parts: readonly SkillPart[],
  signal: AbortSignal,
  { context }: AgentDeps,
  { emit }: Core,
  toolCalls: CallPorts,
  abort: () => void,
): ReturnType<typeof fillInCommands> {
  return fillInCommands(parts, signal, async (command) => {
    const ran = await runInline(command, { ...toolCalls, context, signal, emit });
    if (ran.stop === true) abort();
    return ran;
  });
}

/** Undefined if mentions stay text. */
function attachPorts(
  { attaches, context, decide, interactive, model, newId }: AgentDeps,
  { toolset }: Core,
  toolContext: ToolContexts,
): AttachPorts | undefined {
  return (
    attaches && {
      toolset,
      toolContext: (signal) => toolContext(newId(), toolNames.read, signal),
      decide,
      home: attaches.home,
      isFromUser: interactive,
      windowTokens: () => model.current().windowTokens,
      entries: () => context.live().entries,
      messages: () => context.getMessages(),
    }
  );
}

/** Adds the files that a prompt mentions, then what MCP servers add. */
function promptExpander(
  deps: AgentDeps,
  core: Core,
  toolContext: ToolContexts,
): TurnJobPorts['expandPrompt'] {
  const { expandPrompt = async (prompt) => prompt } = deps;
  const ports = attachPorts(deps, core, toolContext);
  return async (prompt, signal) =>
    expandPrompt(ports === undefined ? prompt : await attachFiles(prompt, signal, ports), signal);
}

interface TurnParts {
  readonly checkpoints: CheckpointKeeper;
  readonly tasks: AgentTasks;
  readonly toolCalls: CallPorts;
  readonly hooks: TurnHooks | undefined;
}

function createTurn(deps: AgentDeps, core: Core, { checkpoints, tasks, toolCalls, hooks }: TurnParts): Job {
  const { context, client, clock, model } = deps;
  const { emit, prompts, modes, toolset } = core;
  return createTurnJob({
    context,
    prompts,
    modes,
    checkpoints,
    taskNotes: tasks.takeNotes,
    schemas: toolset.schemas,
    waitForTools: deps.waitForTools,
    expandPrompt: promptExpander(deps, core, toolCalls.toolContext),
    emit,
    reportBug: core.reportBug,
    reply: { client, clock, ...(deps.onUnderway && { onUnderway: deps.onUnderway }) },
    waitForModel: async (signal, tokens) => (await model.waitForFacts?.(signal, tokens)) ?? [],
    maxSteps: deps.maxSteps,
    interactive: deps.interactive,
    toolCalls,
    hooks,
  });
}
