/** Background tasks: the state of their list, their rows, and the message when they end with their session. Pure. */

import type { TaskInfo, TaskOutput } from '../../protocol/tasks.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { shortened } from '../../protocol/text/visible.ts';
import { formatDuration } from '../print/numbers.ts';
import { sanitize, sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** The state of the list, and how keys change it. Pure. */
export interface TasksState {
  /** Newest first. */
  readonly tasks: readonly TaskInfo[];
  readonly selected: number;
  /** The task whose output is shown. */
  readonly opened?: OpenedTask | undefined;
  /** The task that the user is asked to confirm stopping. */
  readonly asking?: string | undefined;
  readonly message: string;
}

interface OpenedTask {
  readonly id: string;
  readonly output: TaskOutput;
  /** The first visible line, from 0; absent while the view follows the end. */
  readonly top?: number | undefined;
}

export function createTasksState(tasks: readonly TaskInfo[]): TasksState {
  return { tasks: tasks.toReversed(), selected: 0, message: '' };
}

export function selectedTask({ tasks, selected, opened }: TasksState): TaskInfo | undefined {
  return opened === undefined ? tasks[selected] : tasks.find(({ id }) => id === opened.id);
}

/** Updates the tasks. The cursor stays on its task; a question about a task that has ended is withdrawn. */
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

/** Updates the output, unless the user has scrolled up. */
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

/** Moves one step up or down, wrapping around; larger steps stop at the ends. */
export function moveBy(state: TasksState, by: number): TasksState {
  const count = state.tasks.length;
  if (count === 0) return state;
  const wanted = state.selected + by;
  const isStep = Math.abs(by) === 1;
  const selected = isStep ? (wanted + count) % count : Math.max(0, Math.min(count - 1, wanted));
  return { ...state, message: '', selected };
}

/**
 * Scrolls the output by lines; at the end, the view follows the output again. `firstOfLast`: the first line of the last
 * page.
 */
export function scrollBy(state: TasksState, by: number, firstOfLast: number): TasksState {
  const { opened } = state;
  if (opened === undefined) return state;
  const from = opened.top ?? firstOfLast;
  const top = Math.max(0, from + by);
  return { ...state, message: '', opened: { ...opened, top: top >= firstOfLast ? undefined : top } };
}

/** Asks for confirmation to stop a running task. */
export function askToStop(state: TasksState): TasksState {
  const task = selectedTask(state);
  if (task === undefined) return state;
  if (task.end !== undefined) return { ...state, message: `${task.id} has already ended.` };
  return { ...state, message: '', asking: task.id };
}

// Background tasks as rows, and the visible part of an output. Pure.

/** Minimum width to show the last line of the output next to the command. */
const WIDE = 72;
const NARROW = 40;
const STATE_COLUMNS = 16;

/** Returns text such as `running 1m 05s`, `exit 1 · 12s`, `stopped · 3.2s`. */
export function stateText({ startedAtMs, end }: TaskInfo, now: number): string {
  const duration = formatDuration((end?.endedAtMs ?? now) - startedAtMs);
  if (end === undefined) return `running ${duration}`;
  if (end.problem !== undefined) return 'failed to start';
  if (end.outcome !== undefined) return `${end.outcome} · ${duration}`;
  return `${end.stoppedBy === undefined ? `exit ${end.code ?? '?'}` : 'stopped'} · ${duration}`;
}

function shortState(task: TaskInfo, now: number): string {
  return task.end === undefined
    ? formatDuration(now - task.startedAtMs)
    : stateText(task, now).split(' · ', 1).join();
}

/** One row of at most `width` columns. */
export function taskRow(
  task: TaskInfo,
  { width, isSelected, now, theme }: { width: number; isSelected: boolean; now: number; theme: Theme },
): string {
  const isWide = width >= WIDE;
  const id = width < NARROW ? task.id : padEnd(task.id, 4);
  const text = width < NARROW ? shortState(task, now) : stateText(task, now);
  const state = isWide ? padEnd(truncate(text, STATE_COLUMNS), STATE_COLUMNS) : truncate(text, 16);
  const paint =
    task.end === undefined
      ? theme.accent
      : task.end.code === 0 || task.end.outcome === 'done'
        ? theme.success
        : theme.warning;
  const room = width - textWidth(id) - textWidth(state) - 2;
  const command = sanitizeLine(task.command);
  const name = (columns: number): string => {
    const shown = truncate(command, Math.max(0, columns));
    return isSelected ? theme.strong(shown) : shown;
  };
  if (room < 4) return truncate(`${task.id} ${command}`, width);
  const lead = `${theme.dim(id)} ${paint(state)} `;
  if (!isWide || task.lastLine === '') return lead + name(room);
  const commandColumns = Math.min(textWidth(command), Math.ceil(room * 0.6));
  const rest = room - commandColumns - 3;
  return `${lead}${name(commandColumns)}${theme.dim(` │ ${truncate(sanitizeLine(task.lastLine), rest)}`)}`;
}

/** The last output line of the task under the cursor, for lists too narrow to show it. */
export function detailRow(task: TaskInfo | undefined, width: number, theme: Theme): string {
  if (task === undefined || width >= WIDE || task.lastLine === '') return '';
  return theme.dim(truncate(`  ${sanitizeLine(task.lastLine)}`, width));
}

/** Splits an output into lines; ignores a line feed at the end. */
export function outputLines({ text, missing }: TaskOutput): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  if (missing === 0) return text === '' ? [] : lines;
  // The first line is incomplete, so it is dropped.
  return [`… ${grouped(missing)} earlier characters …`, ...lines.slice(1)];
}

/** The rows from a line on, or the last `rows` rows if `top` is absent. Lays out only visible rows. */
export function outputRows(
  lines: readonly string[],
  top: number | undefined,
  { width, rows }: { width: number; rows: number },
): readonly string[] {
  const laidOut: string[] = [];
  if (top !== undefined) {
    for (let at = top; at < lines.length && laidOut.length < rows; at++)
      laidOut.push(...rowsOf(lines[at] ?? '', width));
    return laidOut.slice(0, rows);
  }
  for (let at = lines.length - 1; at >= 0 && laidOut.length < rows; at--)
    laidOut.unshift(...rowsOf(lines[at] ?? '', width));
  return laidOut.slice(-rows);
}

/** The first line of the last page. */
export function firstOfLastPage(
  lines: readonly string[],
  { width, rows }: { width: number; rows: number },
): number {
  let taken = 0;
  for (let at = lines.length - 1; at >= 0; at--) {
    taken += rowsOf(lines[at] ?? '', width).length;
    if (taken > rows) return at + 1;
    if (taken === rows) return at;
  }
  return 0;
}

/** Maximum characters shown of a line: a minified file can be a single line of 256 KB. */
const LINE_CHARACTERS = 4000;

function rowsOf(line: string, width: number): readonly string[] {
  const shown = line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}…`;
  const rows = wrapText(sanitize(shown), width);
  return rows.length === 0 ? [''] : rows;
}

const COMMAND_CHARACTERS = 60;

/** The message when background tasks end because the user leaves their session; undefined if none is running. */
export function endingText(tasks: readonly TaskInfo[]): string | undefined {
  const running = tasks.filter(({ end }) => end === undefined);
  if (running.length === 0) return undefined;
  const names = running.map(
    ({ id, command }) => `${id} ${shortened(command.replace(/\s+/g, ' ').trim(), COMMAND_CHARACTERS)}`,
  );
  return `Background tasks stop with their session: ${names.join(', ')}`;
}
