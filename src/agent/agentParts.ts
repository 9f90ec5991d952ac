/**
 * The parts of an agent and how they are connected. `Core` is what every part shares, `Work` is what ops set going.
 */
import type { ContextManager } from '../context/index.ts';
import type { FileCheckpoints } from '../protocol/checkpoints.ts';
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelClient, ModelInfo } from '../protocol/model.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { CommandSandbox, SandboxState } from '../protocol/sandbox.ts';
import type { SkillPart } from '../protocol/skills.ts';
import type { TaskPort } from '../protocol/tasks.ts';
import type { RunningQuestion, Tool, ToolContext } from '../protocol/tools.ts';
import {
  type ConfirmParts,
  confirmWhileRunning,
  createPermissionPorts,
  createQuestions,
  type PermissionRules,
  type Questions,
} from './approvals.ts';
import { createJudge } from './auto/judge.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from './checkpoints.ts';
import { type ContextOps, createContextOps } from './contextOps.ts';
import { createDeferredTools, type DeferredTools } from './deferredTools.ts';
import { createEventHub, type EventHub } from './eventHub.ts';
import { createJobQueue, type Job, type JobQueue } from './jobQueue.ts';
import { createModes, type Modes, type RefusedModes } from './modes.ts';
import { createPromptQueue, type PromptQueue } from './promptQueue.ts';
import type { Clock } from './reply.ts';
import { createRewinds, type Rewinds } from './rewind/rewind.ts';
import { followTitle, type Totals, totalsOf } from './sessionFacts.ts';
import { runShell } from './shellPrompt.ts';
import { fillInCommands, skillPrompt } from './skillUse.ts';
import { type AgentTasks, createAgentTasks } from './tasks.ts';
import { createTitleJob, type TitleJob } from './title.ts';
import { runInline } from './toolCalls.ts';
import { createToolset, type Toolset } from './toolset.ts';
import { createTurnJob, type TurnJobPorts } from './turnJob.ts';

export interface AgentDeps extends PermissionRules {
  /** Unique among the agents of the process. */
  readonly id: string;
  /** With a session already created or loaded. */
  readonly context: ContextManager;
  readonly client: ModelClient;
  readonly model: {
    current(): ModelInfo;
    /** Switches and returns what is known of the new model. */
    select(id: string): ModelInfo;
    costUsd(model: string, usage: Usage): number | undefined;
    /**
     * Before a turn: what can be found out about the model is known. `tokens`: about the size of the request to come.
     * Returns what to tell.
     */
    settle?(signal: AbortSignal, tokens: () => number): Promise<readonly string[]>;
  };
  /** The tools of this moment: asked before each request and each call. */
  readonly tools: () => readonly Tool[];
  /** Waits, within its own bounds, for tools that are on their way; before each request. */
  readonly settleTools?: (signal: AbortSignal) => Promise<void>;
  /** A prompt with what it names, read when it is sent; never rejects. */
  readonly expandPrompt?: (prompt: PromptOp, signal: AbortSignal) => Promise<PromptOp>;
  /** Ends what tools left running. */
  readonly disposeTools: () => Promise<void> | void;
  readonly root: string;
  /** Where the shell starts: absolute, resolved. */
  readonly cwd: string;
  /** Mode to start in, when the log names none. */
  readonly mode: PermissionMode;
  /** Absent = every mode can be had. */
  readonly refusedModes?: RefusedModes;
  /** Sentences that the judge of the mode `auto` goes by. */
  readonly judgeRules?: readonly string[];
  readonly maxSteps: number | undefined;
  readonly interactive: boolean;
  readonly demo: boolean;
  /** Whether the model names the session after its first turn; never without a user, never the demo model. */
  readonly titles?: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Looks after the files; without it, going back is for the conversation only. Closed with the agent. */
  readonly files?: (FileCheckpoints & { close?(): Promise<void> }) | undefined;
  /** Ids of the calls of which a process still runs. */
  readonly runningCalls?: () => readonly string[];
  /** Called for each request of a turn, when there is nothing to do but wait for the model. */
  readonly onUnderway?: () => void;
  /** What runs in the background; without it nothing can. */
  readonly tasks?: TaskPort;
  /** What confines commands. */
  readonly sandbox?: Pick<CommandSandbox, 'state'>;
  /** What "always" saves for a host that a sandboxed command wants to reach. */
  readonly suggestHost?: (domain: string) => RuleSuggestion;
  /** Where a bug in a subscriber is reported. */
  readonly onError: (error: unknown) => void;
}

/** What every part of the agent shares. */
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
}

/** What the state shows and nothing else remembers. */
export interface Facts {
  /** Where the shell is. */
  cwd: string;
  readonly titleOf: (entries: readonly JSONLEntry[]) => string | undefined;
  totals: Totals;
  measure: ContextMeasure | undefined;
  sandbox: SandboxState | undefined;
}

/** `deps.context` has its session already. */
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
  const modes = createModes(context, deps.mode, hub.emit, deps.refusedModes);
  return {
    hub,
    emit,
    notice,
    reportBug(error) {
      deps.onError(error);
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
      notice('error', `Internal error: ${why}. The session is saved; continue, or /resume it.`);
    },
    questions: createQuestions(deps.id, hub.emit, () => modes.current() === 'dontAsk'),
    prompts: createPromptQueue(hub.emit),
    modes,
    toolset: createToolset(deps.tools, deferredToolsOf(deps)),
    facts,
    setCwd(directory) {
      facts.cwd = directory;
      context.setCwd(directory);
    },
  };
}

/** Deferred by their share of the window of the model in use. */
function deferredToolsOf({ context, model }: AgentDeps): DeferredTools {
  const calledTools = context.entries().flatMap(({ tool }) => (tool === undefined ? [] : [tool.name]));
  return createDeferredTools({
    tokensOf: (schemas) => context.measure(schemas).parts.find(({ name }) => name === 'tools')?.tokens ?? 0,
    windowTokens: () => model.current().windowTokens,
    called: calledTools,
  });
}

/** What ops set going. */
export interface Work {
  readonly jobs: JobQueue;
  readonly turn: Job;
  shell(command: string, signal: AbortSignal): Promise<void>;
  /** Runs the commands of a skill, then prompts; Esc gives the line back. */
  useSkill(op: SkillOp, signal: AbortSignal): Promise<void>;
  readonly checkpoints: CheckpointKeeper;
  readonly titles: TitleJob;
  readonly tasks: AgentTasks;
  readonly contextOps: ContextOps;
  readonly rewinds: Rewinds;
}

/** Connects the parts that do the work. */
export function createWork(deps: AgentDeps, core: Core): Work {
  const { context, clock, model } = deps;
  const { emit, notice, hub, prompts, modes, toolset } = core;
  const checkpoints = createCheckpointKeeper({
    files: deps.files,
    context,
    running: deps.runningCalls ?? (() => []),
    now: clock.now,
    warn: (text) => notice('warning', text),
  });
  const jobs = createJobQueue({
    onBug: core.reportBug,
    onDone(signal) {
      // After a stop nothing runs behind the user's back: what waits goes back to the composer unsent.
      if (signal.aborted) prompts.giveBack();
      else if (!jobs.busy() && prompts.all().length > 0) jobs.add(turn);
    },
  });
  const titles = createTitleJob({ ...deps, model: model.current, isBusy: jobs.busy });
  hub.subscribe(checkpoints.hear);
  hub.subscribe(titles.hear);
  const tasks = createAgentTasks(deps.tasks, emit, (draft) => context.append(draft).catch(deps.onError));
  const toolContext = toolContexts(deps, core, tasks);
  const toolCalls = createToolCalls(deps, core, { checkpoints, toolContext, abort: jobs.abort });
  const turn = createTurn(deps, core, { checkpoints, tasks, toolCalls });
  const contextOps = createContextOps({ context, schemas: toolset.schemas, select: model.select, emit });
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
      }),
    async useSkill(op, signal) {
      const filled = await fillIn(op.parts, signal, deps, core, toolCalls, jobs.abort);
      if (signal.aborted) emit({ type: 'queue_returned', prompts: [{ type: 'prompt', text: op.display }] });
      else prompts.add(skillPrompt(op, filled));
    },
    checkpoints,
    titles,
    tasks,
    contextOps,
    rewinds,
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
  readonly toolContext: ToolContexts;
  /** Stops the work in hand, as Esc does. */
  readonly abort: () => void;
}

function createToolCalls(
  deps: AgentDeps,
  core: Core,
  { checkpoints, toolContext, abort }: ToolCallParts,
): CallPorts {
  const { notice, questions, modes, toolset } = core;
  const judge = createJudge({
    context: deps.context,
    client: deps.client,
    clock: deps.clock,
    model: deps.model.current,
    rules: deps.judgeRules ?? [],
    root: deps.root,
  });
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
  };
  return ports;
}

/** Fills in the commands of a skill's text. A refusal that ends the turn ends all of it. */
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

interface TurnParts {
  readonly checkpoints: CheckpointKeeper;
  readonly tasks: AgentTasks;
  readonly toolCalls: CallPorts;
}

function createTurn(deps: AgentDeps, core: Core, { checkpoints, tasks, toolCalls }: TurnParts): Job {
  const { context, client, clock, model } = deps;
  const { emit, prompts, modes, toolset } = core;
  return createTurnJob({
    context,
    prompts,
    modes,
    checkpoints,
    taskNotes: tasks.takeNotes,
    schemas: toolset.schemas,
    settleTools: deps.settleTools,
    expandPrompt: deps.expandPrompt,
    emit,
    reportBug: core.reportBug,
    reply: { client, clock, ...(deps.onUnderway && { onUnderway: deps.onUnderway }) },
    settleModel: async (signal, tokens) => (await model.settle?.(signal, tokens)) ?? [],
    maxSteps: deps.maxSteps,
    interactive: deps.interactive,
    toolCalls,
  });
}
