import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** The name of the session; the user's counts for more than the model's. */
export const title = defineKind({
  subtype: 'title',
  type: 'system',
  data: z.object({ source: z.enum(['user', 'model']).optional() }),
  isSent: false,
  stays: 'newest',
  searchedAs: 'title',
  // The model's is for the list of sessions only.
  note: (entry) =>
    entry.data?.source === 'user'
      ? { text: `Title: ${contentOf(entry)}`, tone: 'quiet', mark: '⎿', only: 'screen' }
      : undefined,
});
