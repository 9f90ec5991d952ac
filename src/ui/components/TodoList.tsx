import { memo } from 'react';
import type { Todo } from '../../protocol/entries/fields.ts';
import { renderTodos } from '../print/todos.ts';
import type { Theme } from '../theme/theme.ts';
import { Lines } from './Lines.tsx';

export interface TodoListProps {
  readonly todos: readonly Todo[];
  readonly width: number;
  /** Rows it may take at most. */
  readonly rows: number;
  readonly theme: Theme;
}

/** The tasks, those around the current one when there is no room for all. */
export const TodoList = memo(function TodoList({ todos, width, rows, theme }: TodoListProps) {
  return <Lines lines={rows < 1 ? [] : renderTodos(todos, width, rows, theme)} />;
});
