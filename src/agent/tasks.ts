/**
 * What the agent has to do with background commands: hands the user's wish to move one to the call that runs it,
 * tells the user of ends, and the model with its next request, once.
 */
import type { EntryDraft } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { TaskInfo, TaskPort } from '../protocol/tasks.ts';
import type { ToolContext } from '../protocol/tools.ts';

export interface AgentTasks {
  list(): readonly TaskInfo[];
  /** Whether something runs in front that could go to the background. */
  canMove(): boolean;
  /** Moves all that can; says so where nothing can. */
  move(): void;
  /** What a call may use to be moved. */
  readonly offer: NonNullable<ToolContext['offerBackground']>;
  stop(id: string): void;
  /** What the model is told before its next request; each end once. */
  takeNotes(): readonly EntryDraft[];
  close(): void;
}

/** `port` is absent where nothing can run in the background. */
export function createAgentTasks(port: TaskPort | undefined, emit: (event: AgentEvent) => void): AgentTasks {
  const offers = new Set<() => void>();
  const find = (id: string): TaskInfo | undefined => port?.list().find((task) => task.id === id);
  const unsubscribe = port?.subscribe((change) => {
    emit({ type: 'tasks_changed' });
    const task = find(change.id);
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
    takeNotes: () => (port?.takeUntold() ?? []).map(noteOf),
    close: () => unsubscribe?.(),
  };
}

/** A word to the model. The user has heard of it when it happened. */
function noteOf(task: TaskInfo): EntryDraft {
  const content = `Background task ${endText(task)}. BashOutput with task_id "${task.id}" gives what it printed since it was last read.`;
  return {
    type: 'user',
    subtype: 'nudge',
    message: { role: 'user', content },
    data: { about: 'task', id: task.id },
  };
}

const COMMAND_CHARACTERS = 120;

/** E.g. `b1 ended with exit code 0 after 12 s: npm run build`. */
function endText({ id, command, startedAtMs, end }: TaskInfo): string {
  const flat = command.replace(/\s+/g, ' ').trim();
  const shown = flat.length <= COMMAND_CHARACTERS ? flat : `${flat.slice(0, COMMAND_CHARACTERS - 1)}…`;
  if (end === undefined) return `${id} still runs: ${shown}`;
  if (end.problem !== undefined) return `${id} could not be started (${end.problem}): ${shown}`;
  const seconds = Math.round((end.endedAtMs - startedAtMs) / 1000);
  const how =
    end.stoppedBy === 'user' ? 'was stopped by the user' : `ended with exit code ${end.code ?? 'unknown'}`;
  return `${id} ${how} after ${seconds} s: ${shown}`;
}
