import * as z from 'zod';
import { contextNote, defineKind, pointTo } from '../defineKind.ts';

/** An item that every reduction has to leave alone, or may touch again. */
export const pin = defineKind({
  subtype: 'pin',
  type: 'system',
  data: z.object({ uuid: z.string().optional(), pinned: z.boolean().optional() }),
  isSent: false,
  reshapes: true,
  note: ({ data }, context) => {
    const which = pointTo(data?.uuid, context);
    const text =
      data?.pinned === false ? `Unpinned ${which}` : `Pinned ${which}: it is never shortened or dropped`;
    return contextNote(text, { only: 'screen' });
  },
});
