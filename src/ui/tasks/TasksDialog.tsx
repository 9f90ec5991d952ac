/** `/tasks`: shows background tasks and their output as it arrives, and stops them. Draws only visible rows. */

import { Box } from 'ink';
import { useEffect, useMemo, useRef } from 'react';
import type { Agent } from '../../agent/types.ts';
import { Lines } from '../dialog/Lines.tsx';
import { listKeys } from '../dialog/SelectList.tsx';
import { useLatest } from '../dialog/useAnswers.ts';
import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import {
  type DialogFocus,
  type DialogFocusAction,
  type DialogKey,
  type Keymap,
  keysOfAction,
} from '../keys/keymap.ts';
import { showKeys } from '../keys/strokes.ts';
import { useDialogKeys } from '../keys/useKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { titledRule } from '../print/spans.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import {
  askToStop,
  createTasksState,
  detailRow,
  firstOfLastPage,
  moveBy,
  openTask,
  outputLines,
  outputRows,
  scrollBy,
  selectedTask,
  stateText,
  type TasksState,
  taskRow,
  withOutput,
  withTasks,
} from './tasks.ts';

interface TasksDialogProps {
  readonly agent: Pick<Agent, 'state' | 'submit' | 'subscribe' | 'taskOutput' | 'watchTask'>;
  readonly width: number;
  /** Rows available. */
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
  const handlers: Partial<Record<DialogFocusAction, () => void>> = {
    ...listKeys(move, Math.max(2, bodyRows - 1)),
    'select:accept': open,
    'select:cancel': leave,
    'tasks:open': open,
    'tasks:back': () => latest().opened !== undefined && leave(),
    'tasks:stop': () => set(askToStop(latest())),
    'tasks:close': leave,
    'app:interrupt': onClose,
  };
  const onKey = (key: DialogKey): void => {
    const { asking: id } = latest();
    const action = key.type === 'action' ? key.name : undefined;
    if (id !== undefined) {
      set({ ...latest(), asking: undefined });
      if (action === 'confirm:yes') agent.submit({ type: 'stop_task', id });
      else if (action === 'app:interrupt') onClose();
    } else if (action !== undefined) handlers[action]?.();
  };
  const keymap = useDialogKeys(() => (latest().asking === undefined ? listPlace : questionPlace), onKey);

  const title =
    opened === undefined
      ? 'Background tasks'
      : `${opened.id} ${task === undefined ? '' : `${stateText(task, now())} · ${sanitizeLine(task.command)}`}`;
  const [words, paint] =
    asking !== undefined
      ? [questionText(asking, width, keymap), theme.warning]
      : [message === '' ? hintText(state, width, keymap) : message, theme.dim];
  const hint = paint(truncate(words, width));
  const first = Math.max(0, Math.min(state.selected - bodyRows + 1, state.tasks.length - bodyRows));
  const body =
    opened === undefined
      ? state.tasks.slice(first, first + bodyRows).map((one, index) => {
          const isSelected = first + index === state.selected;
          const options = { width: width - 2, isSelected, now: now(), theme };
          return (isSelected ? theme.accent('❯ ') : '  ') + taskRow(one, options);
        })
      : outputRows(lines, opened.top, room);
  const empty = opened === undefined ? 'No background tasks.' : 'No output yet.';
  return (
    <Box flexDirection="column">
      <Lines lines={[titledRule(title, width, theme)]} />
      <Lines lines={body.length === 0 ? [theme.dim(truncate(`  ${empty}`, width))] : body} />
      {opened === undefined && rows > 4 && <Lines lines={[detailRow(task, width, theme) || ' ']} />}
      <Lines lines={[hint]} />
    </Box>
  );
}

const listPlace: DialogFocus = { contexts: ['Tasks', 'Select'], typing: 'keys' };
const questionPlace: DialogFocus = { contexts: ['Confirmation'], typing: 'answer' };

function questionText(id: string, width: number, keymap: Keymap): string {
  const yes = keyHints(keymap, questionPlace).key('confirm:yes');
  if (yes === undefined) return `Stop ${id}? No key is bound to confirm.`;
  const long = `Stop ${id} and all it started? ${yes} stops it, any other key cancels`;
  return textWidth(long) <= width ? long : `Stop ${id}? ${yes} / n`;
}

function hintText({ opened, tasks }: TasksState, width: number, keymap: Keymap): string {
  const hints = keyHints(keymap, listPlace);
  const arrows = [hints.key('select:previous'), hints.key('select:next')]
    .filter((key) => key !== undefined)
    .join(' ');
  const stop = hints.key('tasks:stop');
  const background = keysOfAction(keymap, 'task:background')[0];
  const end = hints.key('select:last');
  const scroll = arrows === '' ? undefined : `${arrows} scroll`;
  const back = 'Esc back to the list';
  const [long, short] =
    opened !== undefined
      ? opened.top === undefined
        ? [joinWithDots(scroll, stop && `${stop} stop`, back), joinWithDots(arrows, stop, 'Esc')]
        : [
            joinWithDots(scroll, end && `${end} follows the output again`, stop && `${stop} stop`, back),
            joinWithDots(arrows, end, 'Esc'),
          ]
      : tasks.length === 0
        ? [
            joinWithDots(background && `${showKeys(background)} moves a running command here`, 'Esc closes'),
            'Esc closes',
          ]
        : [
            joinWithDots(
              hints.does('select:accept', 'shows its output'),
              stop && `${stop} stops it`,
              'they stop on exit',
              'Esc closes',
            ),
            joinWithDots(hints.key('select:accept'), stop, 'Esc'),
          ];
  return textWidth(long) <= width ? long : short;
}

/** Milliseconds between updates of an output, and of the durations. */
const OUTPUT_MS = 100;
const SECOND_MS = 1000;

/**
 * Calls `onNews` when tasks start or end, when the task `id` has printed something (throttled), and once a second while
 * `isRunning`, for the durations.
 */
function useTaskNews(
  agent: Pick<Agent, 'subscribe' | 'watchTask'>,
  id: string | undefined,
  isRunning: boolean,
  onNews: () => void,
): void {
  const newest = useRef(onNews);
  newest.current = onNews;

  useEffect(
    () =>
      agent.subscribe((event) => {
        if (event.type === 'tasks_changed') newest.current();
      }),
    [agent],
  );
  useEffect(() => {
    if (id === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unwatch = agent.watchTask(id, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        newest.current();
      }, OUTPUT_MS);
    });
    return () => {
      unwatch();
      clearTimeout(timer);
    };
  }, [agent, id]);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => newest.current(), SECOND_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
}
