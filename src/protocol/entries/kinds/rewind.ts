import * as z from 'zod';
import { pathChangeSchema } from '../../checkpoints.ts';
import { contentOf, contextNote, defineKind, pointTo } from '../defineKind.ts';

/** What came after the entry that it names is no longer part of the conversation; or only files were restored. */
export const rewind = defineKind({
  subtype: 'rewind',
  type: 'system',
  data: z.object({
    /** Uuid of the last entry that stays; absent when only files were restored. */
    to: z.string().optional(),
    about: z.string().optional(),
    /** Uuid of the prompt that was picked. */
    prompt: z.string().optional(),
    scope: z.string().optional(),
    /** The planned file changes. */
    changes: z.array(pathChangeSchema).readonly().optional(),
  }),
  isSent: false,
  reshapes: true,
  note: (entry, context) => {
    const after = entry.data?.to === undefined ? '' : ` what came after ${pointTo(entry.data.to, context)}`;
    const text = `Rewound:${after} is no longer part of the conversation.`;
    return contextNote(contentOf(entry) || (after === '' ? 'Rewound.' : text));
  },
});
