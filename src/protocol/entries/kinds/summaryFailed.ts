import * as z from 'zod';
import { contentOf, defineKind } from '../defineKind.ts';

/** A summary that could not be made. Several in a row stop automatic compaction for a while. */
export const summaryFailed = defineKind({
  subtype: 'summary_failed',
  type: 'system',
  data: z.object({ reason: z.string().optional() }),
  isSent: false,
  note: (entry) => {
    const said = [entry.data?.reason ?? '', contentOf(entry)].find((one) => one !== '');
    return { text: `Summary failed: ${said ?? 'no reason was given'}`, tone: 'warning', mark: '!' };
  },
});
