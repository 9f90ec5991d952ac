import * as z from 'zod';
import { defineKind, type EntryNote } from '../defineKind.ts';

/** How a turn ended. */
export const turnEnd = defineKind({
  subtype: 'turn_end',
  type: 'system',
  data: z.object({
    outcome: z.string().optional(),
    steps: z.number().optional(),
    error: z.union([z.string(), z.object({ message: z.string().optional() })]).optional(),
  }),
  isSent: false,
  note: ({ data }) => {
    const text = endText(data?.outcome, data?.error);
    if (text === undefined) return undefined;
    const tone: EntryNote['tone'] = data?.outcome === 'failed' ? 'error' : 'warning';
    return { text, tone, mark: '⎿', only: 'screen' };
  },
});

function endText(
  outcome: string | undefined,
  error: string | { readonly message?: string | undefined } | undefined,
): string | undefined {
  switch (outcome) {
    case 'interrupted':
      return 'Interrupted.';
    case 'failed':
      return (typeof error === 'string' ? error : error?.message) ?? 'The turn failed.';
    case 'max_turns':
      return 'Stopped: step limit reached.';
    case 'loop':
      return 'Stopped: the same call kept giving the same result.';
    default:
      return undefined;
  }
}
