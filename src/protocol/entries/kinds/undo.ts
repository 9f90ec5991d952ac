import * as z from 'zod';
import { pathChangeSchema } from '../../checkpoints.ts';
import { contentOf, contextNote, defineKind } from '../defineKind.ts';

/** Takes back the entries that it names. */
export const undo = defineKind({
  subtype: 'undo',
  type: 'system',
  data: z.object({
    undoes: z.array(z.string()).optional(),
    about: z.string().optional(),
    /** The planned file changes. */
    changes: z.array(pathChangeSchema).readonly().optional(),
  }),
  isSent: false,
  reshapes: true,
  note: (entry) => contextNote(contentOf(entry) || 'Undone.'),
});
