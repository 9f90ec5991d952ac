/** The todo list as lines, printed with its call and drawn in the live area; and how much of it is shown there. */
import type { Todo } from '../../protocol/entries/fields.ts';
import type { Theme } from '../theme/theme.ts';
import { count } from './numbers.ts';
import { sanitizeLine } from './sanitize.ts';
import { truncate } from './width.ts';

// The todo list as lines; printed with its call and drawn in the live area.

/** One line each; with too few rows, those around the first unfinished one and a count of the others. */
export function renderTodos(todos: readonly Todo[], width: number, rows: number, theme: Theme): string[] {
  if (todos.length <= rows) return todos.map((todo) => renderTodo(todo, width, theme));
  const room = Math.max(1, rows - 1);
  const current = todos.findIndex((todo) => todo.status !== 'completed');
  const from = Math.min(Math.max(0, (current === -1 ? todos.length : current) - 1), todos.length - room);
  const done = todos.filter((todo) => todo.status === 'completed').length;
  const rest = `… +${todos.length - room} (${done} of ${count(todos.length, 'task')} done)`;
  return [
    ...todos.slice(from, from + room).map((todo) => renderTodo(todo, width, theme)),
    ...(rows > 1 ? [theme.dim(truncate(`  ${rest}`, width))] : []),
  ];
}

function renderTodo({ content, status }: Todo, width: number, theme: Theme): string {
  const text = truncate(sanitizeLine(content), width - 2);
  if (status === 'completed') return `${theme.success('☒')} ${theme.dim(theme.strike(text))}`;
  if (status === 'in_progress') return `${theme.accent('▣')} ${theme.strong(text)}`;
  return `${theme.dim('☐')} ${text}`;
}

// How much of the todo list is shown.

/** `auto`: a few rows of it while the model works at it. Otherwise the user has said: all of it, also when idle, or nothing. */
export type TodoView = 'auto' | 'all' | 'none';

/** Rows of the list while nobody has asked for more. */
const FEW_ROWS = 6;

/** What Ctrl+T makes of it: what is all there goes, what is hidden or only a part of it comes whole. */
export function toggledTodos(view: TodoView, todos: readonly Todo[], isBusy: boolean): TodoView {
  if (view !== 'auto') return view === 'all' ? 'none' : 'all';
  const isShown = isBusy && isUnfinished(todos) && todos.length <= FEW_ROWS;
  return isShown ? 'none' : 'all';
}

/** Rows that the list may take of those that there are. */
export function todoRows(
  view: TodoView,
  todos: readonly Todo[],
  { isBusy, room }: { readonly isBusy: boolean; readonly room: number },
): number {
  if (todos.length === 0 || view === 'none') return 0;
  if (view === 'all') return Math.min(todos.length, room);
  return isBusy && isUnfinished(todos) ? Math.min(FEW_ROWS, Math.floor(room / 2)) : 0;
}

function isUnfinished(todos: readonly Todo[]): boolean {
  return todos.some(({ status }) => status !== 'completed');
}
