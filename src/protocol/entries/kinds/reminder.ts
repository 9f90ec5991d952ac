import * as z from 'zod';
import { bodyOf, contextNote, defineKind } from '../defineKind.ts';
import { todoSchema } from '../fields.ts';

/** The goal and the todo list, restated for the model. */
export const reminder = defineKind({
  subtype: 'reminder',
  type: 'user',
  data: z.object({ goal: z.string().optional(), todos: z.array(todoSchema).optional() }),
  isSent: true,
  folds: true,
  stays: 'newest',
  searchedAs: 'note',
  note: (entry) =>
    contextNote('Goal and tasks, restated for the model.', { ...bodyOf(entry), only: 'export' }),
});
