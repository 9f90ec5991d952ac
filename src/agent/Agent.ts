/**
 * The agent of one session: ops in, events out. Holds queued jobs, prompts and questions, and the state that
 * subscribers see; the conversation itself belongs to the ContextManager.
 */
import type { Op } from '../protocol/ops.ts';
import type { AgentDeps } from './agentDeps.ts';
import { createWork, type Work } from './agentParts.ts';
import { type Core, createCore } from './core.ts';
import type { Job } from './jobQueue.ts';
import { skillPrompt, textOfParts } from './prompts/skillUse.ts';
import { addEntry, titleEntry } from './sessionFacts.ts';
import type { Agent, AgentState } from './types.ts';

/** Expects `deps.context` to have its session already; `close` closes it. */
export function createAgent(deps: AgentDeps): Agent {
  const core = createCore(deps);
  const work = createWork(deps, core);
  const unwatch = watchSession(deps, core, work);
  const { context } = deps;
  return {
    id: deps.id,
    submit: (op) => submit(op, deps, core, work),
    subscribe: core.hub.subscribe,
    state: () => stateOf(deps, core, work),
    entries: () => context.entries(),
    page: (beforeSeq, count) => context.page(beforeSeq, count),
    liveEntries() {
      const { entries, undone } = context.live();
      return undone.size === 0 ? entries : entries.filter(({ uuid }) => !undone.has(uuid));
    },
    turns: work.rewinds.turns,
    canUndoRewind: work.rewinds.canUndo,
    planRewind: work.rewinds.plan,
    diff: work.rewinds.diff,
    popQueued: core.prompts.pop,
    idle: work.jobs.idle,
    report: () => context.report(core.toolset.schemas()),
    draft: () => context.draft(),
    contextData: () => context.getContext(),
    items: () => context.items(),
    lastDiff: () => context.lastDiff(),
    measure: async () => work.contextOps.measure(),
    refine: work.contextOps.refine,
    fork: (uptoUuid) => context.forkSession(uptoUuid),
    taskOutput: (id) => deps.tasks?.output(id),
    watchTask: (id, listener) => deps.tasks?.watch(id, listener) ?? (() => undefined),
    async close(reason) {
      work.tasks.close();
      await work.jobs.close();
      await work.subagents?.close();
      await work.hooks?.sessionEnd(reason);
      if (deps.hooks?.agent === undefined) await deps.hooks?.port.close();
      await work.titles.close();
      await deps.disposeTools();
      await work.tasks.recordRest();
      await work.checkpoints.close();
      await deps.files?.close?.();
      unwatch();
      await context.close();
    },
  };
}

/** Milliseconds after the session was opened. */
const SANDBOX_PROBE_MS = 100;

/** Forwards events of the session and the sandbox, and starts its hooks. Returns a function that stops doing so. */
function watchSession(deps: AgentDeps, { emit, notice, facts }: Core, { startHooks }: Work): () => void {
  const { context, model } = deps;
  const unsubscribe = context.subscribe((entry) => {
    facts.totals = addEntry(facts.totals, entry, model.costUsd);
    emit({ type: 'entry', entry });
  });
  const forgetProblems = context.onProblem(({ message, recovered }) =>
    notice(recovered === true ? 'info' : 'warning', message),
  );
  // For the status line. Delayed until after the first screen, because it starts a process; a headless run probes with
  // its first command instead.
  const probeSandbox = setTimeout(() => {
    if (!deps.interactive) return;
    startHooks();
    void deps.sandbox?.state().then((state) => {
      facts.sandbox = state;
      emit({ type: 'sandbox_probed' });
    });
  }, SANDBOX_PROBE_MS);
  probeSandbox.unref();
  return () => {
    clearTimeout(probeSandbox);
    unsubscribe();
    forgetProblems();
  };
}

const startsWork: ReadonlySet<Op['type']> = new Set(['prompt', 'use_skill', 'shell', 'compact']);

function submit(op: Op, deps: AgentDeps, core: Core, work: Work): void {
  const { context, onError } = deps;
  const { jobs, contextOps } = work;
  if (startsWork.has(op.type)) work.startHooks();
  switch (op.type) {
    case 'prompt':
      core.prompts.add(op);
      if (!jobs.busy()) jobs.add(work.turn);
      return;
    case 'use_skill':
      if (op.skill.fork !== undefined || op.parts.some(({ type }) => type === 'command'))
        addCommand(op.display, (signal) => work.useSkill(op, signal), core, work);
      else submit(skillPrompt(op, { text: textOfParts(op.parts) }), deps, core, work);
      return;
    case 'shell':
      addCommand(`!${op.command}`, (signal) => work.shell(op.command, signal), core, work);
      return;
    case 'compact': {
      const { focus = '', preview } = op;
      const text = `/compact ${preview === true ? '--preview ' : ''}${focus}`.trimEnd();
      addCommand(text, (signal) => contextOps.compact(op, signal), core, work);
      return;
    }
    case 'uncompact':
      addCommand('/uncompact', contextOps.uncompact, core, work);
      return;
    case 'edit_item':
      void contextOps.editItem(op.edit).catch(onError);
      return;
    case 'interrupt':
      // If the user is waiting for a summary, stop only that: messages are removed instead, and the turn continues.
      if (!deps.interactive || deps.parent !== undefined || !context.stopWaiting()) jobs.abort();
      return;
    case 'background':
      work.tasks.move();
      return;
    case 'stop_task':
      work.tasks.stop(op.id);
      return;
    case 'answer':
      core.questions.answer(op.id, op.answer);
      return;
    case 'rewind':
    case 'undo_rewind':
      work.rewinds.submit(op);
      return;
    case 'set_mode':
      void core.modes.set(op.mode).catch(onError);
      return;
    case 'set_model':
      void contextOps.selectModel(op.model).catch(onError);
      return;
    case 'set_effort':
      void contextOps.setEffort(op.effort).catch(onError);
      return;
    case 'set_thinking':
      contextOps.setThinking(op);
      return;
    case 'set_title':
      void context.append(titleEntry(op.title)).catch(onError);
      return;
    default:
      op satisfies never;
  }
}

/** Runs a command now or, while something else runs, queues it as it was typed. */
function addCommand(text: string, job: Job, { prompts }: Core, { jobs }: Work): void {
  if (jobs.busy()) prompts.addCommand(text, job);
  else jobs.add(job);
}

function stateOf(deps: AgentDeps, core: Core, { jobs, tasks, fallback, turnModel }: Work): AgentState {
  const { context } = deps;
  const { facts, modes } = core;
  return {
    cwd: facts.cwd,
    sessionId: context.getCurrentSessionId() ?? '',
    title: facts.titleOf(context.entries()),
    root: deps.root,
    model: deps.model.current(),
    chosenModel: turnModel.replaced() ?? (fallback.chosen() ?? deps.model.current()).id,
    mode: modes.current(),
    modes: { cycle: modes.cycle, refused: deps.refusedModes ?? {}, afterPlan: modes.afterPlan() },
    busy: jobs.busy(),
    queue: core.prompts.all(),
    questions: core.questions.open(),
    todos: context.todos(),
    tasks: tasks.list(),
    canBackground: tasks.canMove(),
    measure: facts.measure,
    usage: facts.totals,
    sandbox: facts.sandbox,
    demo: deps.demo,
  };
}
