/**
 * The agent's side of background tasks: moves a running command to the background when the user asks, logs how each
 * task ended, shows that to the user, and reports it to the model once, with its next request.
 */

import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { TaskInfo, TaskPort } from '../protocol/tasks.ts';
import { shortened } from '../protocol/text/visible.ts';
import type { ToolContext } from '../protocol/tools.ts';

export interface AgentTasks {
  list(): readonly TaskInfo[];
  /** True if a foreground command could move to the background. */
  canMove(): boolean;
  /** Moves all commands that can be moved; shows a notice if there are none. */
  move(): void;
  /** Lets a tool call offer to be moved to the background. */
  readonly offer: NonNullable<ToolContext['offerBackground']>;
  stop(id: string): void;
  /** Returns notes for the model's next request: each ended task once. */
  takeNotes(): readonly NewEntry[];
  /** Unsubscribes from the tasks. */
  close(): void;
  /** Logs the tasks that ended without being reported, because the program was closing. */
  recordRest(): Promise<void>;
}

/** Background commands and subagents as one list, in the order in which they started. */
export function joinTasks(
  commands: TaskPort | undefined,
  subagents: TaskPort | undefined,
): TaskPort | undefined {
  if (commands === undefined || subagents === undefined) return commands ?? subagents;
  const ports = [commands, subagents];
  const owner = (id: string): TaskPort | undefined =>
    ports.find((port) => port.list().some((task) => task.id === id));
  return {
    list: () => ports.flatMap((port) => port.list()).sort((a, b) => a.startedAtMs - b.startedAtMs),
    output: (id) => owner(id)?.output(id),
    stop: (id) => owner(id)?.stop(id),
    takeUnreported: () => ports.flatMap((port) => port.takeUnreported()),
    subscribe(listener) {
      const leave = ports.map((port) => port.subscribe(listener));
      return () => {
        for (const one of leave) one();
      };
    },
    watch: (id, listener) => owner(id)?.watch(id, listener) ?? (() => undefined),
  };
}

/** `port` is absent if background tasks are unavailable. `record` appends an entry to the log. */
export function createAgentTasks(
  port: TaskPort | undefined,
  emit: (event: AgentEvent) => void,
  record: (draft: NewEntry) => Promise<unknown>,
): AgentTasks {
  const offers = new Set<() => void>();
  const recorded = new Set<string>();
  const find = (id: string): TaskInfo | undefined => port?.list().find((task) => task.id === id);
  const recordEnd = async (task: TaskInfo): Promise<void> => {
    if (task.end === undefined || recorded.has(task.id)) return;
    recorded.add(task.id);
    await record(endEntry(task));
  };
  const unsubscribe = port?.subscribe((change) => {
    emit({ type: 'tasks_changed' });
    const task = find(change.id);
    if (task !== undefined) void recordEnd(task);
    if (change.type === 'ended' && !change.isKnown && task !== undefined)
      emit({ type: 'notice', level: 'info', text: `Background task ${endText(task)}` });
  });
  return {
    list: () => port?.list() ?? [],
    canMove: () => offers.size > 0,
    move() {
      if (offers.size === 0)
        emit({ type: 'notice', level: 'info', text: 'No running command to move to the background.' });
      for (const move of [...offers]) move();
    },
    offer(move) {
      offers.add(move);
      return () => offers.delete(move);
    },
    stop(id) {
      if (find(id) === undefined)
        emit({ type: 'notice', level: 'warning', text: `There is no background task ${id}.` });
      port?.stop(id);
    },
    takeNotes: () => (port?.takeUnreported() ?? []).map(noteOf),
    close: () => unsubscribe?.(),
    async recordRest() {
      for (const task of port?.list() ?? []) await recordEnd(task);
    },
  };
}

/** Builds the note for the model. The user was notified when the task ended. */
function noteOf(task: TaskInfo): NewEntry {
  if (task.note !== undefined) return subagentNote(task.id, task.note);
  const content = `Background task ${endText(task)}. BashOutput with task_id "${task.id}" returns its output since the last read.`;
  return {
    type: 'user',
    subtype: 'nudge',
    message: { role: 'user', content },
    data: { about: 'task', id: task.id },
  };
}

/** Builds the note about a subagent: one paragraph of the program, then the message of the subagent. */
export function subagentNote(id: string, content: string): NewEntry {
  const end = content.indexOf('\n\n');
  return {
    type: 'user',
    subtype: 'nudge',
    message: { role: 'user', content },
    data: { about: 'task', id, ...(end !== -1 && { outputAt: end + 2 }) },
  };
}

/** Builds the log entry of a task's end: the call's own result was logged before the command ended. */
function endEntry(task: TaskInfo): NewEntry {
  const { id, command, sandbox, end } = task;
  return {
    type: 'system',
    subtype: 'task',
    message: { role: 'system', content: `Background task ${id} ${howEnded(task)}.` },
    data: {
      ...{ id, command },
      ...(end?.code === undefined ? {} : { code: end.code }),
      ...(end?.stoppedBy === undefined ? {} : { stoppedBy: end.stoppedBy }),
      ...(sandbox === undefined ? {} : { sandbox }),
    },
  };
}

const COMMAND_CHARACTERS = 120;

/** Returns text such as `b1 ended with exit code 0 after 12 s: npm run build`. */
function endText(task: TaskInfo): string {
  const shown = shortened(task.command.replace(/\s+/g, ' ').trim(), COMMAND_CHARACTERS);
  return `${task.id} ${howEnded(task)}: ${shown}`;
}

/** Returns text such as `ended with exit code 0 after 12 s`. */
function howEnded({ startedAtMs, end }: TaskInfo): string {
  if (end === undefined) return 'is still running';
  if (end.problem !== undefined) return `could not be started (${end.problem})`;
  const seconds = Math.round((end.endedAtMs - startedAtMs) / 1000);
  if (end.outcome !== undefined) return `ended (${end.outcome}) after ${seconds} s`;
  const how =
    end.stoppedBy === 'user' ? 'was stopped by the user' : `ended with exit code ${end.code ?? 'unknown'}`;
  return `${how} after ${seconds} s`;
}
