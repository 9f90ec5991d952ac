import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** The verdict of auto mode's judge about a call, and its cost. */
export const judgement = defineKind({
  subtype: 'judgement',
  type: 'system',
  data: z.object({
    callId: z.string().optional(),
    tool: z.string().optional(),
    decision: z.string().optional(),
    /** Why there was no clear verdict. */
    problem: z.string().optional(),
  }),
  isSent: false,
  // A denial is shown in the call's result, and any other verdict in the question to the user.
  note: (entry) => {
    const { decision, tool } = entry.data ?? {};
    if (decision !== 'allow') return undefined;
    const text = `${tool === undefined ? '' : `${tool} `}allowed by auto: ${contentOf(entry)}`;
    return { text, tone: 'quiet', mark: '⎿', only: 'screen', isCut: true };
  },
});
