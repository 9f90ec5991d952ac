import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** The next summary, written before it is needed. It says nothing until it is used. */
export const summaryDraft = defineKind({
  subtype: 'summary_draft',
  type: 'system',
  data: z.object({
    text: z.string().optional(),
    /** What it was written for (context/history/epoch.ts). */
    epoch: z.string().optional(),
    /** Seq of the last entry that it covers. */
    lastMessageSeq: z.number().optional(),
    /** Tokens of the request when it was ready. */
    usedTokens: z.number().optional(),
  }),
  isSent: false,
});
