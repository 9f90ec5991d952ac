import * as z from 'zod';
import { defineKind } from '../defineKind.ts';
import { sandboxRecordSchema } from '../fields.ts';

/** Written before a `!command` runs; a `shell` entry follows when it ends, unless the program was killed. */
export const shellStart = defineKind({
  subtype: 'shell_start',
  type: 'system',
  data: z.object({ command: z.string().optional() }),
  isSent: false,
});

/** The end of a background task, with hosts that it reached after its call was recorded. */
export const task = defineKind({
  subtype: 'task',
  type: 'system',
  data: z.object({
    id: z.string().optional(),
    command: z.string().optional(),
    /** Exit code. */
    code: z.number().optional(),
    stoppedBy: z.string().optional(),
    sandbox: sandboxRecordSchema.optional(),
  }),
  isSent: false,
});
