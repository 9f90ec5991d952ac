import * as z from 'zod';
import type { ToolSchema } from '../../messages.ts';
import { defineKind } from '../defineKind.ts';

/** The tools that requests offer from here on. */
export const tools = defineKind({
  subtype: 'tools',
  type: 'system',
  data: z.object({
    /** Names them in the record of a request. */
    hash: z.string().optional(),
    tools: z.custom<readonly ToolSchema[]>(Array.isArray).optional(),
  }),
  isSent: false,
  stays: 'newest',
});
