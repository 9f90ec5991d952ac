import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** Tokens spent outside the conversation: on summaries and titles. */
export const usage = defineKind({
  subtype: 'usage',
  type: 'system',
  data: z.object({ purpose: z.string().optional() }),
  isSent: false,
});
