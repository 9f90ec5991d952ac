/**
 * The agent of one session: ops in, events out. It owns what waits (jobs, prompts, questions) and the state
 * that subscribers see; the conversation itself belongs to the ContextManager.
 */
import type { ContextManager } from '../context/index.ts';
import type { FileCheckpoints } from '../protocol/checkpoints.ts';
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelClient, ModelInfo } from '../protocol/model.ts';
import type { Op } from '../protocol/ops.ts';
import type { PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { CommandSandbox, SandboxState } from '../protocol/sandbox.ts';
import type { TaskPort } from '../protocol/tasks.ts';
import type { RunningQuestion, Tool, ToolContext } from '../protocol/tools.ts';
import {
  confirmWhileRunning,
  createPermissionPorts,
  createQuestions,
  type PermissionRules,
} from './approvals.ts';
import { createJudge } from './auto/judge.ts';
import { createCheckpointKeeper } from './checkpoints.ts';
import { createContextOps } from './contextOps.ts';
import { createEventHub } from './eventHub.ts';
import { createJobQueue } from './jobQueue.ts';
import { createModes, type RefusedModes } from './modes.ts';
import { createPromptQueue } from './promptQueue.ts';
import type { Clock } from './reply.ts';
import { createRewinds } from './rewind/rewind.ts';
import { addEntry, followTitle, titleDraft, totalsOf } from './sessionFacts.ts';
import { runShell } from './shellPrompt.ts';
import { createAgentTasks } from './tasks.ts';
import { createTitleJob } from './title.ts';
import { createToolset } from './toolset.ts';
import { createTurnJob } from './turnJob.ts';
import type { Agent } from './types.ts';

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
  /** What runs in the background; without it nothing can. */
  readonly tasks?: TaskPort;
  /** What confines commands. */
  readonly sandbox?: Pick<CommandSandbox, 'state'>;
  /** What "always" saves for a host that a sandboxed command wants to reach. */
  readonly suggestHost?: (domain: string) => RuleSuggestion;
  /** Where a bug in a subscriber is reported. */
  readonly onError: (error: unknown) => void;
}

/** Milliseconds after the session was opened. */
const SANDBOX_LOOK_MS = 100;

export function createAgent(deps: AgentDeps): Agent {
  const { context, clock, model } = deps;
  const hub = createEventHub(deps.id, deps.onError);
  const questions = createQuestions(deps.id, hub.emit, () => modes.current() === 'dontAsk');
  const prompts = createPromptQueue(hub.emit);
  const modes = createModes(context, deps.mode, hub.emit, deps.refusedModes);
  const toolset = createToolset(deps.tools);
  const titleOfLog = followTitle();
  let cwd = deps.cwd;
  let sandbox: SandboxState | undefined;
  let totals = totalsOf(context.entries(), model.costUsd);
  let measure: ContextMeasure | undefined;

  const emit = (event: AgentEvent): void => {
    if (event.type === 'context_measured') measure = event.measure;
    hub.emit(event);
  };
  const notice = (level: 'info' | 'warning' | 'error', text: string): void =>
    emit({ type: 'notice', level, text });
  const tellBug = (error: unknown): void => {
    deps.onError(error);
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const text = `Internal error: ${why}. The session is saved; continue, or /resume it.`;
    notice('error', text);
  };
  const unsubscribe = context.subscribe((entry) => {
    totals = addEntry(totals, entry, model.costUsd);
    emit({ type: 'entry', entry });
  });
  // For the status line, behind the first screen: it starts a process. A run without a user pays for it with its first
  // command.
  const lookAtSandbox = setTimeout(() => {
    if (!deps.interactive) return;
    void deps.sandbox?.state().then((state) => {
      sandbox = state;
      emit({ type: 'sandbox_known' });
    });
  }, SANDBOX_LOOK_MS);
  lookAtSandbox.unref();
  const forgetProblems = context.onProblem(({ message, recovered }) =>
    notice(recovered === true ? 'info' : 'warning', message),
  );

  const checkpoints = createCheckpointKeeper({
    files: deps.files,
    context,
    running: deps.runningCalls ?? (() => []),
    now: clock.now,
    warn: (text) => notice('warning', text),
  });
  hub.subscribe(checkpoints.hear);
  const setCwd = (directory: string): void => {
    cwd = directory;
    context.setCwd(directory);
  };

  const jobs = createJobQueue({
    onBug: tellBug,
    onDone(signal) {
      // After a stop nothing runs behind the user's back: what waits goes back to the composer unsent.
      if (signal.aborted) prompts.giveBack();
      else if (!jobs.busy() && prompts.all().length > 0) jobs.add(turn);
    },
  });

  const titles = createTitleJob({ ...deps, model: model.current, isBusy: jobs.busy });
  hub.subscribe(titles.hear);

  const judge = createJudge({
    context,
    client: deps.client,
    clock,
    model: model.current,
    rules: deps.judgeRules ?? [],
    root: deps.root,
  });

  const tasks = createAgentTasks(deps.tasks, emit, (draft) => context.append(draft).catch(deps.onError));

  const confirmParts = {
    ...{ questions, notice, newId: deps.newId, mode: modes.current },
    ...{ suggestHost: deps.suggestHost, remember: deps.remember },
  };
  const toolContext = (callId: string, tool: string, signal: AbortSignal): ToolContext => ({
    callId,
    sessionId: context.getCurrentSessionId() ?? '',
    root: deps.root,
    cwd: () => cwd,
    setCwd,
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
    seesImages: () => model.current().seesImages,
    recall: (request, recallSignal) => context.recall(request, recallSignal),
  });

  const turn = createTurnJob({
    context,
    prompts,
    modes,
    checkpoints,
    taskNotes: tasks.takeNotes,
    schemas: toolset.schemas,
    emit,
    tellBug,
    reply: { client: deps.client, clock },
    settleModel: async (signal, tokens) => (await model.settle?.(signal, tokens)) ?? [],
    maxSteps: deps.maxSteps,
    interactive: deps.interactive,
    toolCalls: {
      toolset,
      toolContext,
      ...createPermissionPorts({ rules: deps, modes, questions, judge, notice }),
      newId: deps.newId,
      now: clock.now,
      checkpoints,
    },
  });

  const shell = (command: string, signal: AbortSignal): Promise<void> => {
    const toolContextOf = (tool: string): ToolContext => toolContext(deps.newId(), tool, signal);
    return runShell(command, { toolset, toolContext: toolContextOf, context, checkpoints, emit });
  };

  const contextOps = createContextOps({ context, schemas: toolset.schemas, select: model.select, emit });

  const rewinds = createRewinds({
    context,
    files: deps.files,
    checkpoints,
    modes,
    now: clock.now,
    cwd: () => cwd,
    setCwd,
    jobs,
    emit,
    measure: contextOps.measure,
  });

  const submit = (op: Op): void => {
    switch (op.type) {
      case 'prompt':
        prompts.add(op);
        if (!jobs.busy()) jobs.add(turn);
        return;
      case 'shell':
        jobs.add((signal) => shell(op.command, signal));
        return;
      case 'compact':
        if (jobs.busy()) notice('info', 'Compaction starts when the current work finishes.');
        jobs.add((signal) => contextOps.compact(op, signal));
        return;
      case 'uncompact':
        jobs.add(contextOps.uncompact);
        return;
      case 'steer':
        void contextOps.steer(op.steering).catch(deps.onError);
        return;
      case 'interrupt':
        // A summary that somebody looks at gives way first: messages are removed instead, and the turn goes on.
        if (!deps.interactive || !context.stopWaiting()) jobs.abort();
        return;
      case 'background':
        tasks.move();
        return;
      case 'stop_task':
        tasks.stop(op.id);
        return;
      case 'answer':
        questions.answer(op.id, op.answer);
        return;
      case 'rewind':
      case 'undo_rewind':
        rewinds.submit(op);
        return;
      case 'set_mode':
        void modes.set(op.mode).catch(deps.onError);
        return;
      case 'set_model':
        void contextOps.selectModel(op.model).catch(deps.onError);
        return;
      case 'set_title':
        void context.append(titleDraft(op.title)).catch(deps.onError);
        return;
      default:
        op satisfies never;
    }
  };

  return {
    id: deps.id,
    submit,
    subscribe: hub.subscribe,
    entries: () => context.entries(),
    page: (beforeSeq, count) => context.page(beforeSeq, count),
    state: () => ({
      cwd,
      sessionId: context.getCurrentSessionId() ?? '',
      title: titleOfLog(context.entries()),
      root: deps.root,
      model: model.current(),
      mode: modes.current(),
      modes: { cycle: modes.cycle, refused: deps.refusedModes ?? {} },
      busy: jobs.busy(),
      queue: prompts.all(),
      questions: questions.open(),
      todos: context.todos(),
      tasks: tasks.list(),
      canBackground: tasks.canMove(),
      measure,
      usage: totals,
      sandbox,
      demo: deps.demo,
    }),
    liveEntries() {
      const { entries, undone } = context.live();
      return undone.size === 0 ? entries : entries.filter(({ uuid }) => !undone.has(uuid));
    },
    turns: rewinds.turns,
    planRewind: rewinds.plan,
    diff: rewinds.diff,
    takeBackQueued: prompts.takeBack,
    idle: jobs.idle,
    report: () => context.report(toolset.schemas()),
    draft: () => context.draft(),
    contextData: () => context.getContext(),
    items: () => context.items(),
    lastDiff: () => context.lastDiff(),
    measure: async () => contextOps.measure(),
    refine: contextOps.refine,
    fork: (uptoUuid) => context.forkSession(uptoUuid),
    taskOutput: (id) => deps.tasks?.output(id),
    watchTask: (id, listener) => deps.tasks?.watch(id, listener) ?? (() => undefined),
    async close() {
      clearTimeout(lookAtSandbox);
      tasks.close();
      await jobs.close();
      await titles.close();
      await deps.disposeTools();
      await tasks.recordRest();
      await checkpoints.close();
      await deps.files?.close?.();
      unsubscribe();
      forgetProblems();
      await context.close();
    },
  };
}
