import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** The model changed. */
export const model = defineKind({
  subtype: 'model',
  type: 'system',
  data: z.object({ model: z.string().optional() }),
  isSent: false,
  stays: 'newest',
  note: (entry) => ({ text: `Model: ${entry.data?.model ?? contentOf(entry)}`, tone: 'quiet', mark: '⎿' }),
});
