import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** The permission mode changed; the message tells the model. */
export const mode = defineKind({
  subtype: 'mode',
  type: 'system',
  data: z.object({ mode: z.string().optional() }),
  isSent: true,
  stays: 'newest',
  note: (entry) => ({ text: `Mode: ${entry.data?.mode ?? contentOf(entry)}`, tone: 'quiet', mark: '⎿' }),
});
