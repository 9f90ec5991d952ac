/** What the list of background tasks shows, and what its keys do to that. Pure. */
import type { TaskInfo, TaskOutput } from '../../protocol/tasks.ts';

export interface TasksState {
  /** Newest first. */
  readonly tasks: readonly TaskInfo[];
  readonly selected: number;
  /** The task whose output is shown. */
  readonly opened?: OpenedTask | undefined;
  /** The task that is to be stopped, once the user says so. */
  readonly asking?: string | undefined;
  readonly message: string;
}

export interface OpenedTask {
  readonly id: string;
  readonly output: TaskOutput;
  /** The first line on screen, from 0; absent while the end is followed. */
  readonly top?: number | undefined;
}

export function createTasksState(tasks: readonly TaskInfo[]): TasksState {
  return { tasks: tasks.toReversed(), selected: 0, message: '' };
}

export function selectedTask({ tasks, selected, opened }: TasksState): TaskInfo | undefined {
  return opened === undefined ? tasks[selected] : tasks.find(({ id }) => id === opened.id);
}

/** Other tasks; the cursor stays on its task, and who is asked about one that has ended is asked no longer. */
export function withTasks(state: TasksState, tasks: readonly TaskInfo[]): TasksState {
  const next = tasks.toReversed();
  const at = next.findIndex(({ id }) => id === state.tasks[state.selected]?.id);
  const asked = next.find(({ id }) => id === state.asking);
  return {
    ...state,
    tasks: next,
    selected: at === -1 ? Math.min(state.selected, Math.max(0, next.length - 1)) : at,
    asking: asked === undefined || asked.end !== undefined ? undefined : state.asking,
  };
}

/** Newer output: shown where the end is followed, and held back from who reads further up. */
export function withOutput(state: TasksState, output: TaskOutput | undefined): TasksState {
  const { opened } = state;
  if (opened === undefined || output === undefined || opened.top !== undefined) return state;
  return { ...state, opened: { ...opened, output } };
}

export function openTask(state: TasksState, output: TaskOutput | undefined): TasksState {
  const task = selectedTask(state);
  if (task === undefined || output === undefined) return state;
  return { ...state, message: '', opened: { id: task.id, output } };
}

/** One step up or down in the list, around its ends. */
export function moveBy(state: TasksState, by: number): TasksState {
  const count = state.tasks.length;
  if (count === 0) return state;
  const wanted = state.selected + by;
  const isStep = Math.abs(by) === 1;
  const selected = isStep ? (wanted + count) % count : Math.max(0, Math.min(count - 1, wanted));
  return { ...state, message: '', selected };
}

/** Scrolls the output by lines; past its end it is followed again. `firstOfLast` is the first line of the last page. */
export function scrollBy(state: TasksState, by: number, firstOfLast: number): TasksState {
  const { opened } = state;
  if (opened === undefined) return state;
  const from = opened.top ?? firstOfLast;
  const top = Math.max(0, from + by);
  return { ...state, message: '', opened: { ...opened, top: top >= firstOfLast ? undefined : top } };
}

/** The wish to stop a task: asked about while it runs. */
export function askToStop(state: TasksState): TasksState {
  const task = selectedTask(state);
  if (task === undefined) return state;
  if (task.end !== undefined) return { ...state, message: `${task.id} has already ended.` };
  return { ...state, message: '', asking: task.id };
}
