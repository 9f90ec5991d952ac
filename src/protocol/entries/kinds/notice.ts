import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** For the reader only. */
export const notice = defineKind({
  subtype: 'notice',
  type: 'system',
  data: z.object({ level: z.enum(['info', 'warning', 'error']).optional() }),
  isSent: false,
  searchedAs: 'note',
  note: (entry) => {
    const { level = 'info' } = entry.data ?? {};
    return { text: contentOf(entry), tone: level === 'info' ? 'quiet' : level, mark: '⎿', only: 'screen' };
  },
});
