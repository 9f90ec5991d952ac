import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** What the judge of auto mode said about a call, and what that cost. */
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
  // A refusal is in the result, and anything else in the question.
  note: (entry) => {
    const { decision, tool } = entry.data ?? {};
    if (decision !== 'allow') return undefined;
    const text = `${tool === undefined ? '' : `${tool} `}allowed by auto: ${contentOf(entry)}`;
    return { text, tone: 'quiet', mark: '⎿', only: 'screen', isCut: true };
  },
});
