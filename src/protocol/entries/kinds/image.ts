import * as z from 'zod';
import { contextNote, defineKind } from '../defineKind.ts';

/** An image that a tool has read: results hold text only, so it follows them. */
export const image = defineKind({
  subtype: 'image',
  type: 'user',
  data: z.object({ path: z.string().optional(), callId: z.string().optional() }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: ({ data }) => contextNote(`Image shown to the model: ${data?.path ?? 'unnamed'}`, { only: 'export' }),
});
