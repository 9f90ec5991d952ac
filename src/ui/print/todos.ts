/** The todo list as lines; printed with its call and drawn in the live area. */
import type { Todo } from '../../protocol/entries/fields.ts';
import type { Theme } from '../theme.ts';
import { count } from './numbers.ts';
import { sanitizeLine } from './sanitize.ts';
import { truncate } from './width.ts';

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
