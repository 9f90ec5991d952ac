import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** Stands in memory for the part of a log that is not loaded; never written. */
export const past = defineKind({
  subtype: 'past',
  type: 'system',
  data: z.object({ past: z.unknown() }),
  isSent: false,
});
