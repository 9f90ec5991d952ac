/** `/tasks`: what runs in the background, its output as it comes, and a way to stop it. Draws visible rows only. */
import { Box, type Key, useInput } from 'ink';
import { useMemo } from 'react';
import type { Agent } from '../../agent/types.ts';
import { Lines } from '../components/Lines.tsx';
import { ruled } from '../components/permissionLayout.ts';
import { useLatest } from '../components/useLatest.ts';
import { commandsOf } from '../input/keys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import { detailRow, firstOfLastPage, outputLines, outputRows, stateText, taskRow } from './taskRows.ts';
import {
  askToStop,
  createTasksState,
  moveBy,
  openTask,
  scrollBy,
  selectedTask,
  type TasksState,
  withOutput,
  withTasks,
} from './tasksState.ts';
import { useTaskNews } from './useTaskNews.ts';

export interface TasksDialogProps {
  readonly agent: Pick<Agent, 'state' | 'submit' | 'subscribe' | 'taskOutput' | 'watchTask'>;
  readonly width: number;
  /** Rows that it may take at most. */
  readonly rows: number;
  readonly theme: Theme;
  readonly now: () => number;
  readonly onClose: () => void;
}

export function TasksDialog({ agent, width, rows, theme, now, onClose }: TasksDialogProps) {
  const [state, latest, set] = useLatest<TasksState>(() => createTasksState(agent.state().tasks));
  const { opened, asking, message } = state;
  const task = selectedTask(state);
  const bodyRows = Math.max(1, rows - 3);
  const room = { width, rows: bodyRows };
  const lines = useMemo(() => (opened === undefined ? [] : outputLines(opened.output)), [opened]);

  useTaskNews(
    agent,
    task?.id,
    state.tasks.some(({ end }) => end === undefined),
    () => {
      const next = withTasks(latest(), agent.state().tasks);
      const id = next.opened?.id;
      set(id === undefined ? next : withOutput(next, agent.taskOutput(id)));
    },
  );

  const scroll = (by: number): void => set(scrollBy(latest(), by, firstOfLastPage(lines, room)));
  const move = (by: number): void => {
    if (latest().opened === undefined) set(moveBy(latest(), by));
    else scroll(by);
  };
  const open = (): void => {
    const id = selectedTask(latest())?.id;
    if (id !== undefined && latest().opened === undefined) set(openTask(latest(), agent.taskOutput(id)));
  };
  const leave = (): void => {
    if (latest().opened === undefined) onClose();
    else set({ ...latest(), opened: undefined, message: '' });
  };
  const letter = (character: string): void => {
    const { asking: id } = latest();
    if (id !== undefined) {
      set({ ...latest(), asking: undefined });
      if (character.toLowerCase() === 'y') agent.submit({ type: 'stop_task', id });
    } else if (character === 'x' || character === 'k') set(askToStop(latest()));
    else if (character === 'q') leave();
    else if (character === 'g') move(Number.NEGATIVE_INFINITY);
    else if (character === 'G') move(Number.POSITIVE_INFINITY);
  };
  useInput((input: string, key: Key) => {
    const page = Math.max(2, bodyRows - 1);
    if (latest().asking !== undefined && (key.escape || key.return)) set({ ...latest(), asking: undefined });
    else if (key.pageUp || key.pageDown) move(key.pageUp ? -page : page);
    else if (key.home || key.end) move(key.home ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
    else if (key.leftArrow && latest().opened !== undefined) leave();
    else if (key.rightArrow) open();
    else
      for (const command of commandsOf(input, key)) {
        if (command.type === 'escape') leave();
        else if (command.type === 'intent') onClose();
        else if (command.type === 'enter') open();
        else if (command.type === 'up' || command.type === 'down') move(command.type === 'up' ? -1 : 1);
        else if (command.type === 'edit' && command.edit.type === 'insert')
          for (const one of command.edit.text) letter(one);
      }
  });

  const title =
    opened === undefined
      ? 'Background tasks'
      : `${opened.id} ${task === undefined ? '' : `${stateText(task, now())} · ${sanitizeLine(task.command)}`}`;
  const [words, paint] =
    asking !== undefined
      ? [questionText(asking, width), theme.warning]
      : [message === '' ? hintText(state, width) : message, theme.dim];
  const hint = paint(truncate(words, width));
  const first = Math.max(0, Math.min(state.selected - bodyRows + 1, state.tasks.length - bodyRows));
  const body =
    opened === undefined
      ? state.tasks.slice(first, first + bodyRows).map((one, index) => {
          const isSelected = first + index === state.selected;
          const look = { width: width - 2, isSelected, now: now(), theme };
          return (isSelected ? theme.accent('❯ ') : '  ') + taskRow(one, look);
        })
      : outputRows(lines, opened.top, room);
  const empty = opened === undefined ? 'Nothing runs in the background.' : 'It has printed nothing yet.';
  return (
    <Box flexDirection="column">
      <Lines lines={[ruled(title, width, theme)]} />
      <Lines lines={body.length === 0 ? [theme.dim(truncate(`  ${empty}`, width))] : body} />
      {opened === undefined && rows > 4 && <Lines lines={[detailRow(task, width, theme) || ' ']} />}
      <Lines lines={[hint]} />
    </Box>
  );
}

function questionText(id: string, width: number): string {
  const long = `Stop ${id} and all it started? y stops it, any other key does not`;
  return long.length <= width ? long : `Stop ${id}? y / n`;
}

function hintText({ opened, tasks }: TasksState, width: number): string {
  const [long, short] =
    opened !== undefined
      ? opened.top === undefined
        ? ['↑ ↓ scroll · x stop · Esc back to the list', '↑ ↓ · x · Esc']
        : ['↑ ↓ scroll · End follows the output again · x stop · Esc back to the list', '↑ ↓ · End · Esc']
      : tasks.length === 0
        ? ['Ctrl+B moves a running command here · Esc leaves', 'Esc leaves']
        : ['Enter shows its output · x stops it · they end with the program · Esc leaves', 'Enter · x · Esc'];
  return long.length <= width ? long : short;
}
