import * as z from 'zod';
import { bodyOf, contentOf, contextNote, defineKind } from '../defineKind.ts';

/** Something that a hook did and the user should know: it blocked, changed something, failed, or has a message. */
export const hook = defineKind({
  subtype: 'hook',
  type: 'system',
  data: z.object({
    event: z.string().optional(),
    /** The file that configures it. */
    source: z.string().optional(),
    what: z.enum(['blocked', 'changed', 'failed', 'message', 'stopped']).optional(),
    callId: z.string().optional(),
  }),
  isSent: false,
  searchedAs: 'note',
  note: (entry) => {
    const isFailure = entry.data?.what === 'failed';
    return {
      text: contentOf(entry),
      tone: isFailure ? 'warning' : 'quiet',
      mark: isFailure ? '!' : '⎿',
      isCut: true,
    };
  },
});

/** What a hook tells the model: its context, or why it blocked. */
export const hookContext = defineKind({
  subtype: 'hook_context',
  type: 'user',
  data: z.object({
    event: z.string().optional(),
    source: z.string().optional(),
    callId: z.string().optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: (entry) =>
    contextNote(`From a hook${entry.data?.event === undefined ? '' : ` (${entry.data.event})`}`, {
      ...bodyOf(entry),
      only: 'export',
    }),
});
