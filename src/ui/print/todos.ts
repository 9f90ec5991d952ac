/** The todo list as lines, printed with its tool call and drawn in the live area. */
import type { Todo } from '../../protocol/entries/fields.ts';
import { count } from '../../protocol/text/numbers.ts';
import type { Theme } from '../theme/theme.ts';
import { sanitizeLine } from './sanitize.ts';
import { truncate } from './width.ts';

/** One line per todo. If there are too few rows, shows those around the first unfinished one and counts the others. */
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

// How much of the todo list the live area shows.

/**
 * `auto`: a few rows while the model works on the list. `all` and `none` are the user's choice and apply when idle,
 * too.
 */
export type TodoView = 'auto' | 'all' | 'none';

/** Rows of the list in `auto`. */
const FEW_ROWS = 6;

/** Toggles the list for Ctrl+T: hides it if it is shown in full, otherwise shows it in full. */
export function toggledTodos(view: TodoView, todos: readonly Todo[], isBusy: boolean): TodoView {
  if (view !== 'auto') return view === 'all' ? 'none' : 'all';
  const isShown = isBusy && isUnfinished(todos) && todos.length <= FEW_ROWS;
  return isShown ? 'none' : 'all';
}

/** Returns how many rows the list gets. */
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
