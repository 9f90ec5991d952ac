import * as z from 'zod';
import { modeLabels } from '../../permissions.ts';
import { contentOf, defineKind } from '../defineKind.ts';

/** The permission mode changed; the message tells the model. */
export const mode = defineKind({
  subtype: 'mode',
  type: 'system',
  data: z.object({ mode: z.string().optional() }),
  isSent: true,
  stays: 'newest',
  note: (entry) => ({
    text: `Mode: ${nameOf(entry.data?.mode ?? contentOf(entry))}`,
    tone: 'quiet',
    mark: '⎿',
  }),
});

/** A mode of another version keeps the name that it has in the log. */
function nameOf(mode: string): string {
  return Object.hasOwn(modeLabels, mode) ? modeLabels[mode as keyof typeof modeLabels] : mode;
}
