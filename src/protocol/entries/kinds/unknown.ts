import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** Keeps the place of a line that cannot be read. */
export const unknown = defineKind({
  subtype: 'unknown',
  type: 'system',
  data: z.object({
    /** What the line held. */
    line: z.unknown().optional(),
    /** Why there is nothing. */
    lost: z.string().optional(),
  }),
  isSent: false,
  searchedAs: 'note',
});
