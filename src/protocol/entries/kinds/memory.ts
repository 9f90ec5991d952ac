import * as z from 'zod';
import { bodyOf, contextNote, defineKind } from '../defineKind.ts';

/** Memories found for the prompt that follows; quoted as data. */
export const memory = defineKind({
  subtype: 'memory',
  type: 'user',
  data: z.object({
    memories: z
      .array(z.object({ file: z.string().optional(), similarity: z.number().optional() }))
      .optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: (entry) => {
    const { memories = [] } = entry.data ?? {};
    if (memories.length === 0) return contextNote('Memories', { ...bodyOf(entry), only: 'export' });
    const files = [...new Set(memories.flatMap(({ file }) => file ?? []))];
    const from = files.length === 0 ? '' : `: ${files.join(', ')}`;
    const count = memories.length === 1 ? '1 memory' : `${memories.length} memories`;
    return contextNote(`${count}${from}`, bodyOf(entry));
  },
});
