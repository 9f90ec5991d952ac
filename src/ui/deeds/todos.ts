import { toggledTodos } from '../tasks/todoView.ts';
import type { Deed } from './types.ts';

/** Shows the whole todo list, also when nothing runs, or hides it; the choice holds for the session. */
export const toggleTodos: Deed = ({ snapshot, set, say }) => {
  const { session, todoView } = snapshot();
  const state = session?.agent.state();
  if (state === undefined) return;
  if (state.todos.length === 0) return say('info', 'No todo list yet. The model makes one for longer work.');
  set({ todoView: toggledTodos(todoView, state.todos, state.busy) });
};
