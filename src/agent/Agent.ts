/**
 * The agent of one session: ops in, events out. It owns the prompt queue, the tree of abort signals and the
 * state that subscribers see; the conversation itself belongs to the ContextManager.
 */
import type { ContextManager } from '../context/index.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent, ContextMeasure } from '../protocol/events.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelClient, ModelInfo } from '../protocol/model.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { Access, PermissionDecision, PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { Tool, ToolContext } from '../protocol/tools.ts';
import { createEventHub } from './eventHub.ts';
import { createQuestions } from './questions.ts';
import type { Clock } from './reply.ts';
import { lastMode, modeBeforePlan, titleOf } from './sessionFacts.ts';
import { runShell } from './shellPrompt.ts';
import { addEntry, noTotals } from './totals.ts';
import { runTurn } from './turn.ts';
import type { Agent, AgentState } from './types.ts';

export interface AgentDeps {
  /** With a session already created or loaded. */
  readonly context: ContextManager;
  readonly client: ModelClient;
  readonly model: {
    current(): ModelInfo;
    /** Switches and returns what is known of the new model. */
    select(id: string): ModelInfo;
    costUsd(model: string, usage: Usage): number | undefined;
  };
  readonly tools: readonly Tool[];
  /** Ends what tools left running. */
  readonly disposeTools: () => Promise<void> | void;
  readonly decide: (tool: string, access: Access, mode: PermissionMode) => Promise<PermissionDecision>;
  /** Saves an "always" and says in a sentence what was saved where. */
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  readonly root: string;
  /** Mode to start in, when the log names none. */
  readonly mode: PermissionMode;
  readonly maxSteps: number | undefined;
  readonly interactive: boolean;
  readonly demo: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Where a bug in a subscriber is reported. */
  readonly onError: (error: unknown) => void;
}

export function createAgent(deps: AgentDeps): Agent {
  const { context, clock } = deps;
  const hub = createEventHub(deps.onError);
  const questions = createQuestions(hub.emit);
  const schemas = deps.tools.map((tool) => tool.schema);
  let cwd = lastCwd(context.entries(), deps.root);
  let totals = context.entries().reduce((sum, entry) => addEntry(sum, entry, deps.model.costUsd), noTotals);
  let queue: readonly PromptOp[] = [];
  let measure: ContextMeasure | undefined;
  let running: AbortController | undefined;
  /** What runs or waits to run, one after the other; never rejects. */
  let work: Promise<void> = Promise.resolve();
  let pendingJobs = 0;

  const unsubscribe = context.subscribe((entry) => {
    totals = addEntry(totals, entry, deps.model.costUsd);
    hub.emit({ type: 'entry', entry });
  });
  const emit = (event: AgentEvent): void => {
    if (event.type === 'context_measured') measure = event.measure;
    hub.emit(event);
  };
  const notice = (level: 'info' | 'warning' | 'error', text: string): void =>
    emit({ type: 'notice', level, text });
  const forgetProblems = context.onProblem(({ message, recovered }) =>
    notice(recovered === true ? 'info' : 'warning', message),
  );
  const mode = (): PermissionMode => lastMode(context.entries()) ?? deps.mode;

  const toolContext = (callId: string, signal: AbortSignal): ToolContext => ({
    callId,
    sessionId: context.getCurrentSessionId() ?? '',
    root: deps.root,
    cwd: () => cwd,
    setCwd: (directory) => {
      cwd = directory;
      context.setCwd(directory);
    },
    signal,
    onOutput: (text) => emit({ type: 'tool_output', callId, text }),
    fileReads: (path) => context.fileReads(path),
    openBlob: () => context.openBlob(),
  });

  /** Starts a job when the ones before it are done. A job that throws is a bug: it is said, and the next one runs. */
  const enqueue = (job: (signal: AbortSignal) => Promise<void>): void => {
    pendingJobs++;
    work = work.then(async () => {
      const controller = new AbortController();
      running = controller;
      try {
        await job(controller.signal);
      } catch (error) {
        deps.onError(error);
        notice(
          'error',
          `Something went wrong inside ClawdCode: ${messageOf(error)}. The session is saved; go on or /resume it.`,
        );
      } finally {
        running = undefined;
        pendingJobs--;
        if (pendingJobs === 0 && queue.length > 0) enqueue(turn);
      }
    });
  };

  const setQueue = (next: readonly PromptOp[]): void => {
    queue = next;
    emit({ type: 'queue_changed', queue });
  };

  const deliverQueued = async (): Promise<boolean> => {
    const prompts = queue;
    if (prompts.length === 0) return false;
    setQueue([]);
    await context.append(...prompts.map(promptEntry));
    return true;
  };

  const setMode = async (next: PermissionMode): Promise<void> => {
    if (next === mode()) return;
    await context.append({
      type: 'system',
      subtype: 'mode',
      message: { role: 'system', content: modeNote(next) },
      data: { mode: next },
    });
    emit({ type: 'mode_changed', mode: next });
  };

  const turn = async (signal: AbortSignal): Promise<void> => {
    emit({ type: 'turn_started' });
    const { outcome, steps, error } = await runTurn({
      context,
      reply: { client: deps.client, clock },
      schemas,
      signal,
      emit,
      deliverQueued,
      maxSteps: deps.maxSteps,
      interactive: deps.interactive,
      toolCalls: {
        tools: deps.tools,
        toolContext: (callId) => toolContext(callId, signal),
        decide: async (tool, access) =>
          access.type === 'plan' && mode() !== 'plan'
            ? { behavior: 'deny', reason: 'plan mode is not on; just do the work' }
            : deps.decide(tool, access, mode()),
        ask: (question) => questions.ask(question, signal),
        onAllowed: async (question, access, answer) => {
          if (access.type === 'plan') await setMode(modeBeforePlan(context.entries()) ?? 'default');
          if (answer.behavior !== 'allow' || answer.remember !== true || question.suggestion === undefined)
            return;
          if (question.suggestion.destination === 'mode') await setMode('acceptEdits');
          else notice('info', await deps.remember(question.suggestion));
        },
        newId: deps.newId,
        now: clock.now,
      },
    });
    await context.append({
      type: 'system',
      subtype: 'turn_end',
      message: { role: 'system', content: outcome },
      data: { outcome, steps, ...(error === undefined ? {} : { error }) },
    });
    // After a stop, what was queued goes back to the composer unsent, so that nothing runs behind the user's back.
    if (outcome !== 'done' && queue.length > 0) {
      const prompts = queue;
      setQueue([]);
      emit({ type: 'queue_returned', prompts });
    }
    emit({ type: 'turn_ended', outcome, steps, ...(error === undefined ? {} : { error }) });
  };

  const submit = (op: Op): void => {
    switch (op.type) {
      case 'prompt':
        setQueue([...queue, op]);
        if (pendingJobs === 0) enqueue(turn);
        return;
      case 'shell':
        enqueue(async (signal) => {
          const bash = deps.tools.find((tool) => tool.name === 'Bash');
          if (bash !== undefined)
            await runShell(op.command, bash, toolContext(deps.newId(), signal), context, emit);
        });
        return;
      case 'compact':
        if (running !== undefined) notice('info', 'Compaction starts when the running work is done.');
        enqueue(async (signal) => {
          const { focus } = op;
          await context.compact({
            trigger: 'manual',
            tools: schemas,
            signal,
            emit,
            ...(focus === undefined ? {} : { focus }),
          });
        });
        return;
      case 'interrupt':
        running?.abort();
        return;
      case 'answer':
        questions.answer(op.id, op.answer);
        return;
      case 'set_mode':
        void setMode(op.mode).catch(deps.onError);
        return;
      case 'set_model': {
        const model = deps.model.select(op.model);
        const content = `Model: ${model.id}`;
        void context
          .append({
            type: 'system',
            subtype: 'model',
            message: { role: 'system', content },
            data: { model: model.id },
          })
          .catch(deps.onError);
        emit({ type: 'model_changed', model });
        return;
      }
    }
  };

  return {
    submit,
    subscribe: hub.subscribe,
    entries: () => context.entries(),
    state: (): AgentState => ({
      sessionId: context.getCurrentSessionId() ?? '',
      title: titleOf(context.entries()),
      root: deps.root,
      model: deps.model.current(),
      mode: mode(),
      busy: pendingJobs > 0,
      queue,
      questions: questions.open(),
      todos: context.todos(),
      measure,
      usage: totals,
      demo: deps.demo,
    }),
    takeBackQueued() {
      const last = queue.at(-1);
      if (last !== undefined) setQueue(queue.slice(0, -1));
      return last;
    },
    async idle() {
      while (pendingJobs > 0) await work;
    },
    async measure() {
      const measured = context.measure(schemas);
      emit({ type: 'context_measured', measure: measured });
      return measured;
    },
    async close() {
      queue = [];
      running?.abort();
      while (pendingJobs > 0) await work;
      await deps.disposeTools();
      unsubscribe();
      forgetProblems();
      await context.close();
    },
  };
}

function promptEntry({ text, display, images }: PromptOp) {
  const content =
    images === undefined || images.length === 0 ? text : [{ type: 'text' as const, text }, ...images];
  return {
    type: 'user' as const,
    subtype: 'prompt',
    message: { role: 'user' as const, content },
    ...(display === undefined || display === text ? {} : { data: { display } }),
  };
}

/** What the model is told when the mode changes; the mode is never part of the system prompt. */
function modeNote(mode: PermissionMode): string {
  switch (mode) {
    case 'plan':
      return 'Plan mode is on: change nothing. Explore with read-only tools, then hand over a concrete plan with ExitPlanMode.';
    case 'acceptEdits':
      return 'Edits inside the project are accepted without asking. Commands are still asked about.';
    case 'bypassPermissions':
      return 'The user has switched permission questions off. Take all the more care.';
    case 'default':
      return 'Permission mode: default. Edits and commands are shown to the user first.';
  }
}

function lastCwd(entries: readonly JSONLEntry[], root: string): string {
  return entries.at(-1)?.cwd ?? root;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
