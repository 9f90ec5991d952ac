import * as z from 'zod';
import { withoutTrailing } from '../protocol/text/trimming.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolOutcome } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';
import { failure, sandboxNotes } from './outcomes.ts';
import { handOver } from './shell/handOver.ts';
import type { BackgroundTask, TaskRegistry } from './shell/TaskRegistry.ts';
import { formatDuration } from './units.ts';

const MAX_WAIT_MS = 60_000;
const STOP_PATIENCE_MS = 1000;

const outputInput = z.object({
  task_id: z.string(),
  wait: z.number().int().min(0).max(MAX_WAIT_MS).optional().describe('ms to wait for it to end'),
});
const killInput = z.object({ task_id: z.string() });

/** Creates the tool that returns a background command's output since the last read. */
export function bashOutputTool(tasks: TaskRegistry): Tool {
  return defineTool({
    name: toolNames.bashOutput,
    description: 'Get new output and status of a background command.',
    input: outputInput,
    title: (call) => titleOf(call.task_id, tasks),
    access: () => ({ type: 'none' }),
    run: async (call, context) => {
      const task = tasks.task(call.task_id);
      if (task === undefined) return unknownTask(call.task_id, tasks);
      if (task.end === undefined && call.wait !== undefined) await endOf(task, call.wait, context.signal);
      return report(task, titleOf(call.task_id, tasks));
    },
  });
}

/** Creates the tool that stops a background command and everything it started. */
export function killBashTool(tasks: TaskRegistry): Tool {
  return defineTool({
    name: toolNames.killBash,
    description: 'Stop a background command.',
    input: killInput,
    title: (call) => titleOf(call.task_id, tasks),
    access: () => ({ type: 'none' }),
    run: async (call, context) => {
      const task = tasks.task(call.task_id);
      if (task === undefined) return unknownTask(call.task_id, tasks);
      tasks.stopTask(task.id, 'model');
      await endOf(task, STOP_PATIENCE_MS, context.signal);
      return report(task, titleOf(call.task_id, tasks));
    },
  });
}

function titleOf(id: string, tasks: TaskRegistry): string {
  const task = tasks.task(id);
  return task === undefined ? id : `${id}: ${task.command}`;
}

function unknownTask(id: string, tasks: TaskRegistry): ToolOutcome {
  const ids = tasks.taskIds();
  const known = ids.length === 0 ? 'There are none.' : `Known tasks: ${ids.join(', ')}.`;
  return failure(
    id,
    `There is no background task "${id}". ${known} Tasks end when the program exits.`,
    'unknown',
  );
}

async function report(task: BackgroundTask, title: string): Promise<ToolOutcome> {
  const state = stateOf(task);
  if (task.end !== undefined) task.isReported = true;
  const { capture, recent, run } = task;
  const { confinement } = run;
  const handed = await handOver({ capture, recent, confinement }, task.end !== undefined);
  const output = withoutTrailing(handed.text, '\n');
  const original = await handed.original;
  const protectedNotes = sandboxNotes(confinement, handed.withheldFor);
  const isQuiet = output === '' && handed.withheldFor.length === 0;
  const modelNotes = [`(${state})`, ...protectedNotes.forModel].join('\n');
  return {
    status: 'ok',
    text: [...(isQuiet ? ['(no new output)'] : []), ...(output === '' ? [] : [output]), modelNotes].join(
      '\n',
    ),
    kind: 'command',
    display: { title, summary: [state, ...protectedNotes.forUser].join(' · '), modelNotes },
    ...(confinement === undefined ? {} : { sandbox: confinement.record() }),
    ...(original === undefined ? {} : { original }),
  };
}

function stateOf({ end, run, startedAtMs, endedAtMs }: BackgroundTask): string {
  const duration = formatDuration((endedAtMs ?? Date.now()) - startedAtMs);
  if (end === undefined) return `running for ${duration}`;
  if (end.type === 'failed') return `could not be started: ${end.message}`;
  const signal = end.signal === undefined ? '' : `, ended by ${end.signal}`;
  const children = run.alive() ? '; processes that it started are still running' : '';
  return `exit code ${end.code}${signal} after ${duration}${children}`;
}

/** Resolves when the task has ended, the time is up or the user interrupts. */
function endOf(task: BackgroundTask, patienceMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    task.isAwaited = true;
    const settle = (): void => {
      task.isAwaited = false;
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      resolve();
    };
    const timer = setTimeout(settle, patienceMs);
    signal.addEventListener('abort', settle);
    void task.run.finished.then(settle);
    if (signal.aborted) settle();
  });
}
