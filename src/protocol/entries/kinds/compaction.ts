import * as z from 'zod';
import { count, grouped, shortTokens } from '../../text/numbers.ts';
import { contentOf, contextLine, defineKind, pointTo } from '../defineKind.ts';

/** The start of a compaction: after it, only the summary and the entries it retains are sent. See `compactMetadata`. */
export const compactBoundary = defineKind({
  subtype: 'compact_boundary',
  type: 'system',
  data: z.object({}),
  modelAccess: 'recall',
  affectsEarlierEntries: true,
});

/** The next summary, drafted in the background. Has no effect until it is used. */
export const summaryDraft = defineKind({
  subtype: 'summary_draft',
  type: 'system',
  data: z.object({
    text: z.string().optional(),
    /** Identifies the state it was written for (context/history/liveEntries.ts). */
    epoch: z.string().optional(),
    /** `seq` of the last entry that it covers. */
    lastMessageSeq: z.number().optional(),
    /** Tokens of the request at the time the draft was ready. */
    usedTokens: z.number().optional(),
  }),
  // Once the draft is used, the summary has the same text.
  modelAccess: 'never',
});

/** A failed summary. Several in a row suspend automatic compaction for a while. */
export const summaryFailed = defineKind({
  subtype: 'summary_failed',
  type: 'system',
  data: z.object({ reason: z.string().optional() }),
  modelAccess: 'recall',
  displayLine: (entry) => {
    const reason = [entry.data?.reason ?? '', contentOf(entry)].find((one) => one !== '');
    return { text: `Summary failed: ${reason ?? 'no reason was given'}`, tone: 'warning', mark: '!' };
  },
});

/** Pins an item, so that no reduction touches it, or unpins it. */
export const pin = defineKind({
  subtype: 'pin',
  type: 'system',
  data: z.object({ uuid: z.string().optional(), pinned: z.boolean().optional() }),
  modelAccess: 'recall',
  affectsEarlierEntries: true,
  displayLine: ({ data }, context) => {
    const which = pointTo(data?.uuid, context);
    const text =
      data?.pinned === false ? `Unpinned ${which}` : `Pinned ${which}: it is never shortened or dropped`;
    return contextLine(text, { only: 'screen' });
  },
});

const replacement = z.looseObject({
  /** Uuid of a tool result. */
  uuid: z.string(),
  output: z.string(),
  /** The full output if the log itself does not have it. */
  original: z.looseObject({ hash: z.string(), bytes: z.number() }).optional(),
});
export type Replacement = z.infer<typeof replacement>;

const reductionSchema = z.object({
  /**
   * `clip` and `mask` replace results with shorter texts; `remove` (a strategy) and `drop` (the user) leave atoms out;
   * `restore` undoes these; `window` records a context window that a server's error revealed.
   */
  kind: z.enum(['clip', 'mask', 'remove', 'drop', 'restore', 'window']),
  reason: z.string(),
  strategy: z.string().optional(),
  preTokens: z.number(),
  postTokens: z.number().optional(),
  durationMs: z.number().optional(),
  replacements: z.array(replacement).optional(),
  /** Uuids of the first entries of the removed atoms, in log order. */
  removed: z.array(z.string()).optional(),
  /** The replacement text for each run of adjacent atoms; `at` is the first atom's uuid. */
  notes: z.array(z.looseObject({ at: z.string(), text: z.string() })).optional(),
  /** Uuids of all restored entries. */
  restored: z.array(z.string()).optional(),
  /** With `window`: the model and its context window in tokens. */
  model: z.string().optional(),
  windowTokens: z.number().optional(),
  /**
   * The window size known before: if the server or the user later reports a different one, that replaces the learned
   * size.
   */
  knownTokens: z.number().optional(),
  /** True if the server's error named no size. A guess is not kept beyond this run: the next error determines it again. */
  isGuess: z.boolean().optional(),
});
export type Reduction = z.infer<typeof reductionSchema>;

/** Changes what the model sees from here on: items masked, removed, dropped or restored. */
export const reduction = defineKind({
  subtype: 'reduction',
  type: 'system',
  data: reductionSchema,
  modelAccess: 'recall',
  affectsEarlierEntries: true,
  displayLine: ({ data }) => {
    // The line of the compaction already covers it.
    if (data === undefined || data.reason === 'compaction') return undefined;
    const text = sentence(data);
    if (text === undefined) return undefined;
    const why = reasonFor(data);
    return contextLine([`${text}${sizes(data)}`, ...(why === undefined ? [] : [why])].join(' · '), {
      ...(data.kind === 'drop' ? { hint: '/context items restores it' } : {}),
    });
  },
});

function sentence({ kind, replacements = [], removed = [], model = 'this model', windowTokens }: Reduction) {
  const results = replacements.length;
  const steps = removed.length;
  switch (kind) {
    case 'mask': {
      const what = [
        ...(steps > 0 ? [count(steps, 'earlier step')] : []),
        ...(results > 0 ? [count(results, 'earlier tool result')] : []),
      ];
      return `Shortened ${what.join(' and ') || 'earlier steps'}`;
    }
    case 'clip':
      return `Shortened ${count(results, 'large tool result')}`;
    case 'remove':
      return `Left out ${count(steps, 'older message')}`;
    case 'drop':
      return `Left out ${count(steps, 'item')} as you asked`;
    case 'restore':
      return 'Restored an item at your request';
    case 'window':
      return windowTokens === undefined
        ? undefined
        : `The server's error sets the window of ${model} to ${grouped(windowTokens)} tokens`;
  }
}

function sizes({ kind, preTokens, postTokens }: Reduction): string {
  if (kind === 'window' || postTokens === undefined) return '';
  return ` (${shortTokens(preTokens)} → ${shortTokens(postTokens)} tokens)`;
}

/** Returns the reason unless it is the usual one. */
function reasonFor({ kind, reason }: Reduction): string | undefined {
  if (kind !== 'mask' && kind !== 'clip' && kind !== 'remove') return undefined;
  const why = reason.replace(/\s+/g, ' ').trim();
  return why === '' || byDesign.has(why) ? undefined : why;
}

const byDesign: ReadonlySet<string> = new Set(['earlier turns', 'old results', 'old steps']);
