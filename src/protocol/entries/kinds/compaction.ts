import * as z from 'zod';
import { contentOf, contextNote, defineKind, pointTo } from '../defineKind.ts';

/** The start of a compaction: after it, only the summary and the entries it retains are sent. See `compactMetadata`. */
export const compactBoundary = defineKind({
  subtype: 'compact_boundary',
  type: 'system',
  data: z.object({}),
  isSent: false,
  reshapes: true,
});

/** The next summary, drafted in the background. Has no effect until it is used. */
export const summaryDraft = defineKind({
  subtype: 'summary_draft',
  type: 'system',
  data: z.object({
    text: z.string().optional(),
    /** Identifies the state it was written for (context/history/epoch.ts). */
    epoch: z.string().optional(),
    /** `seq` of the last entry that it covers. */
    lastMessageSeq: z.number().optional(),
    /** Tokens of the request at the time the draft was ready. */
    usedTokens: z.number().optional(),
  }),
  isSent: false,
});

/** A failed summary. Several in a row suspend automatic compaction for a while. */
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

/** Pins an item, so that no reduction touches it, or unpins it. */
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
