import * as z from 'zod';
import { defineKind } from '../defineKind.ts';
import { blobRefSchema, toolDisplaySchema } from '../fields.ts';

/** `!command`, run by the user, and its output. */
export const shell = defineKind({
  subtype: 'shell',
  type: 'user',
  data: z.object({
    command: z.string().optional(),
    /** Where the output begins in the message, in UTF-16 code units. */
    outputAt: z.number().optional(),
    /** The output itself, as older versions stored it. */
    output: z.string().optional(),
    status: z.string().optional(),
    display: toolDisplaySchema.partial().optional(),
    original: blobRefSchema.optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'you',
});
