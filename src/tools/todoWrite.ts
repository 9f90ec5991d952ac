import * as z from 'zod';
import type { Todo } from '../protocol/entries/fields.ts';
import { count } from '../protocol/text/numbers.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';

const input = z.object({
  todos: z.array(
    z.object({ content: z.string().min(1), status: z.enum(['pending', 'in_progress', 'completed']) }),
  ),
});

/** Claude Code has a second text for an item in progress. */
const toClaudeTodos = (todos: readonly Todo[]): object[] =>
  todos.map(({ content, status }) => ({ content, status, activeForm: content }));

/** Creates the tool that maintains the model's todo list; the list itself is stored in the log. */
export function todoWriteTool(): Tool {
  return defineTool({
    name: toolNames.todoWrite,
    description:
      'Replace your todo list; the user sees it. For tasks of three steps or more. Keep one item in_progress and complete items as you go.',
    input,
    title: ({ todos }) => count(todos.length, 'todo'),
    access: () => ({ type: 'none' }),
    run: async ({ todos }) => {
      const countOf = (status: string): number => todos.filter((todo) => todo.status === status).length;
      const summary = `${countOf('completed')} of ${todos.length} done`;
      const advice =
        countOf('in_progress') > 1 ? ' Several items are in progress: work on one at a time.' : '';
      return {
        status: 'ok',
        text: `Todo list updated: ${countOf('completed')} completed, ${countOf('in_progress')} in progress, ${countOf('pending')} pending.${advice}`,
        kind: 'todo',
        display: { title: count(todos.length, 'todo'), summary },
        todos,
        response: (call) => ({ oldTodos: toClaudeTodos(call.todos), newTodos: toClaudeTodos(todos) }),
      };
    },
  });
}
