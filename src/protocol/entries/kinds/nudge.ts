import * as z from 'zod';
import { bodyOf, contextNote, defineKind } from '../defineKind.ts';

/** A note from the program to the model: the loop guard, a truncated reply, a background task that ended. */
export const nudge = defineKind({
  subtype: 'nudge',
  type: 'user',
  data: z.object({
    /** `task` or `rewind`; absent for notes about the reply. */
    about: z.string().optional(),
    /** Of the task. */
    id: z.string().optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: (entry) => contextNote('Note to the model.', { ...bodyOf(entry), only: 'export' }),
});
