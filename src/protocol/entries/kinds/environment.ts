import * as z from 'zod';
import { bodyOf, contextNote, defineKind } from '../defineKind.ts';

/** A note that the date, folder or git state changed: on resume, or after a rewind. */
export const environment = defineKind({
  subtype: 'environment',
  type: 'user',
  data: z.object({
    /** The environment block as it was at that moment. */
    block: z.string().optional(),
    about: z.string().optional(),
  }),
  isSent: true,
  folds: true,
  stays: 'newest',
  searchedAs: 'note',
  note: (entry) =>
    contextNote(entry.data?.about === 'rewind' ? 'Environment after the rewind.' : 'Session resumed.', {
      ...bodyOf(entry),
      only: 'export',
    }),
});
