import * as z from 'zod';
import { contentOf, contextNote, defineKind, pointTo } from '../defineKind.ts';

/** Where a compaction begins: after it, only the summary and what it retains count. See `compactMetadata`. */
export const compactBoundary = defineKind({
  subtype: 'compact_boundary',
  type: 'system',
  data: z.object({}),
  isSent: false,
  reshapes: true,
});

/** The next summary, written before it is needed. It says nothing until it is used. */
export const summaryDraft = defineKind({
  subtype: 'summary_draft',
  type: 'system',
  data: z.object({
    text: z.string().optional(),
    /** What it was written for (context/history/epoch.ts). */
    epoch: z.string().optional(),
    /** Seq of the last entry that it covers. */
    lastMessageSeq: z.number().optional(),
    /** Tokens of the request when it was ready. */
    usedTokens: z.number().optional(),
  }),
  isSent: false,
});

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
