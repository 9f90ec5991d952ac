/** Creates the parts that handle an agent's ops, and connects them. */
import type { NewEntry } from '../protocol/entries.ts';
import { wordOf } from '../protocol/text/marks.ts';
import type { AgentDeps } from './agentDeps.ts';
import { attachFiles, lengthOf, roomFor, withinRoom } from './attachments/attachFiles.ts';
import { createJudge } from './auto/judge.ts';
import {
  attachPorts,
  type CallPorts,
  createToolCalls,
  fillIn,
  runAgent,
  type SkillOp,
  type ToolContexts,
  toolContexts,
} from './callPorts.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from './checkpoints.ts';
import { type ContextOps, createContextOps } from './contextOps.ts';
import type { Core } from './core.ts';
import { createFallback, type Fallback } from './fallback.ts';
import { createHooks, startOnce } from './hooks/createHooks.ts';
import type { TurnHooks } from './hooks/turnHooks.ts';
import { createJobQueue, type Job, type JobQueue } from './jobQueue.ts';
import { runShell } from './prompts/shellPrompt.ts';
import { forkedPrompt, mentionSourceOf, skillPrompt } from './prompts/skillUse.ts';
import { createRewinds, type Rewinds } from './rewind/rewind.ts';
import { connectSubagents } from './subagents/connect.ts';
import type { Subagents } from './subagents/Subagents.ts';
import { type AgentTasks, createAgentTasks, joinTasks } from './tasks.ts';
import { createTitleJob, type TitleJob } from './title.ts';
import { createTurnJob, type TurnJobPorts } from './turnJob.ts';
import { createTurnModel, type TurnModel } from './turnModel.ts';

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
  readonly fallback: Pick<Fallback, 'chosen'>;
  readonly turnModel: Pick<TurnModel, 'replaced'>;
  readonly rewinds: Rewinds;
  /** Absent without hooks. */
  readonly hooks: TurnHooks | undefined;
  /** Runs the hooks for the start of the session, once, before anything else. */
  readonly startHooks: () => void;
}

/** Creates and connects the parts that handle ops. */
export function createWork(deps: AgentDeps, core: Core): Work {
  const { context, clock, model } = deps;
  const { emit, notice, hub, prompts, modes, toolset } = core;
  const running = deps.runningCalls ?? (() => []);
  const checkpoints =
    deps.parent?.checkpoints(running) ??
    createCheckpointKeeper({
      files: deps.files,
      context,
      running,
      now: clock.now,
      warn: (text) => notice('warning', text),
    });
  const judge =
    deps.parent?.judge ?? createJudge({ ...deps, rules: deps.judgeRules ?? [], model: model.current });
  const subagents = connectSubagents(deps, core, { checkpoints, judge });
  const jobs = createJobQueue({
    onBug: core.reportBug,
    onDone(signal) {
      // After an interrupt, what is queued returns to the composer: running it would be a surprise.
      if (signal.aborted) return prompts.returnToComposer();
      if (jobs.busy()) return;
      const command = prompts.takeCommand();
      if (command !== undefined) jobs.add(command);
      else if (prompts.prompts().length > 0) jobs.add(turn);
    },
  });
  const titles = createTitleJob({ ...deps, model: deps.titleModel ?? model.current, isBusy: jobs.busy });
  hub.subscribe(checkpoints.handleEvent);
  hub.subscribe(titles.handle);
  const tasks = createAgentTasks(joinTasks(deps.tasks, subagents), emit, (draft) =>
    context.append(draft).catch(deps.onError),
  );
  deps.lendUser?.({ notice, ...(deps.interactive && { ask: core.questions.ask }) });
  const { callHooks, turnHooks: hooks } = createHooks(deps, core, tasks);
  const toolContext = toolContexts(deps, core, tasks, callHooks);
  if (hooks !== undefined) hub.subscribe(hooks.handle);
  const { fallbacks = () => [] } = deps;
  const fallback = createFallback({ model, fallbacks, now: clock.now, emit });
  const modelProblem = deps.parent?.modelProblem ?? deps.subagents?.modelProblem;
  const turnModel = createTurnModel({
    ...{ model, fallback, emit },
    mayUse: (id) => modelProblem !== undefined && modelProblem(id) === undefined,
    measure: () => context.measure(toolset.schemas()),
  });
  const toolCalls = createToolCalls(deps, core, {
    ...{ checkpoints, judge, toolContext, callHooks, turnModel },
    abort: jobs.abort,
  });
  const turn = createTurn(deps, core, { checkpoints, tasks, toolCalls, hooks, fallback, turnModel });
  const contextOps = createContextOps({
    ...{ setEffort: model.setEffort, setThinking: model.setThinking },
    ...{ context, schemas: toolset.schemas, emit, hooks },
    select(id) {
      fallback.forget();
      turnModel.forget();
      return model.select(id);
    },
  });
  const rewinds = createRewinds({
    context,
    files: deps.files,
    root: deps.root,
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
      const returnToComposer = (): void =>
        emit({ type: 'queue_returned', prompts: [{ type: 'prompt', text: op.display }] });
      const { name, fork } = op.skill;
      if (signal.aborted) return returnToComposer();
      if (fork === undefined || subagents === undefined) return prompts.add(skillPrompt(op, filled));
      const mentionSource = mentionSourceOf(op.skill, op.parts);
      const request = { ...fork, description: `skill ${name}`, prompt: filled.text, mentionSource };
      const ran = await runAgent(request, deps.newId(), { ...toolCalls, context, signal, emit });
      if (!ran.ran && !signal.aborted) notice('error', `/${name} did not run. ${ran.text}`);
      if (!ran.ran || signal.aborted) return returnToComposer();
      prompts.add(forkedPrompt(op, { ...filled, text: ran.text }, wordOf(deps.newId())));
    },
    checkpoints,
    titles,
    tasks,
    subagents,
    contextOps,
    fallback,
    turnModel,
    rewinds,
    hooks,
    startHooks: startOnce(hooks, jobs.add),
  };
}

/** Adds the files that a prompt mentions, then what MCP servers add. */
function promptExpander(
  deps: AgentDeps,
  core: Core,
  toolContext: ToolContexts,
): TurnJobPorts['expandPrompt'] {
  const { expandPrompt = async (prompt) => prompt } = deps;
  const ports = attachPorts(deps, core, toolContext);
  return async (prompt, signal) => {
    const room = roomFor(deps.model.current().windowTokens);
    const given = withinRoom(prompt, room);
    const attached = ports === undefined ? given : await attachFiles(given, signal, ports);
    return expandPrompt(attached, signal, room - lengthOf(attached));
  };
}

interface TurnParts {
  readonly checkpoints: CheckpointKeeper;
  readonly tasks: AgentTasks;
  readonly toolCalls: CallPorts;
  readonly hooks: TurnHooks | undefined;
  readonly fallback: Fallback;
  readonly turnModel: TurnModel;
}

function createTurn(
  deps: AgentDeps,
  core: Core,
  { checkpoints, tasks, toolCalls, hooks, fallback, turnModel }: TurnParts,
): Job {
  const { context, client, clock, model } = deps;
  const { emit, prompts, modes, toolset } = core;
  return createTurnJob({
    context,
    prompts,
    modes,
    checkpoints,
    fallback,
    turnModel,
    takeNotes: () => [...tasks.takeNotes(), ...(deps.lateNotes?.() ?? []).map(lateNote)],
    schemas: toolset.schemas,
    waitForTools: deps.waitForTools,
    expandPrompt: promptExpander(deps, core, toolCalls.toolContext),
    emit,
    reportBug: core.reportBug,
    reply: {
      client,
      clock,
      reasoning: model.current,
      ...(deps.onUnderway && { onUnderway: deps.onUnderway }),
    },
    waitForModel: async (signal, tokens) => (await model.waitForFacts?.(signal, tokens)) ?? [],
    maxSteps: deps.maxSteps,
    interactive: deps.interactive,
    toolCalls,
    hooks,
  });
}

function lateNote(content: string): NewEntry {
  return {
    type: 'user',
    subtype: 'nudge',
    message: { role: 'user', content },
    data: { about: 'diagnostics' },
  };
}
