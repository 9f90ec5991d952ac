/** How much of the todo list is shown. */
import type { Todo } from '../../protocol/entries/fields.ts';

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
