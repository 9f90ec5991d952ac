import * as z from 'zod';
import { defineKind } from '../defineKind.ts';
import { blobRefSchema } from '../fields.ts';

/** What the user asked. */
export const prompt = defineKind({
  subtype: 'prompt',
  type: 'user',
  data: z.object({
    /** As the user saw it, where that differs: a long paste stays folded. */
    display: z.string().optional(),
    /** What the user typed themselves, without files and commands that were filled in. */
    typed: z.string().optional(),
    /** The whole, where the message holds only its beginning and end. */
    original: blobRefSchema.optional(),
  }),
  isSent: true,
  searchedAs: 'you',
});
