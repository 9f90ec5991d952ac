import { expect, test } from 'vitest';
import type { Todo } from '../../../src/protocol/entries/fields.ts';
import { type TodoView, todoRows, toggledTodos } from '../../../src/ui/print/todos.ts';

const open = (many: number): Todo[] =>
  Array.from({ length: many }, (_, at) => ({ content: `task ${at}`, status: 'pending' }));
const done: Todo[] = [{ content: 'task', status: 'completed' }];

test.each<[TodoView, Todo[], boolean, TodoView]>([
  ['auto', open(3), true, 'none'],
  ['auto', open(9), true, 'all'],
  ['auto', open(3), false, 'all'],
  ['auto', done, true, 'all'],
  ['all', open(3), true, 'none'],
  ['none', open(3), false, 'all'],
])('Ctrl+T changes the view %s, with %j and busy %s, to %s', (view, todos, isBusy, next) => {
  expect(toggledTodos(view, todos, isBusy)).toBe(next);
});

test.each<[TodoView, Todo[], boolean, number, number]>([
  ['auto', open(9), true, 20, 6],
  ['auto', open(9), true, 4, 2],
  ['auto', open(9), false, 20, 0],
  ['auto', done, true, 20, 0],
  ['all', open(9), false, 20, 9],
  ['all', open(30), true, 20, 20],
  ['all', done, false, 20, 1],
  ['all', [], false, 20, 0],
  ['none', open(9), true, 20, 0],
])('the view %s of %j, with busy %s and %d rows available, takes %d', (view, todos, isBusy, room, rows) => {
  expect(todoRows(view, todos, { isBusy, room })).toBe(rows);
});
