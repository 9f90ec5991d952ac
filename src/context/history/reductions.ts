/** What a `reduction` entry says: what the projection shows differently from there on, and why. */
import * as z from 'zod';
import type { EntryDraft, JSONLEntry } from '../../protocol/entries.ts';

const replacement = z.looseObject({
  /** Of a tool result. */
  uuid: z.string(),
  output: z.string(),
  /** The whole, where that is not in the log itself. */
  original: z.looseObject({ hash: z.string(), bytes: z.number() }).optional(),
});

export const reductionSchema = z.looseObject({
  /**
   * `clip` and `mask` put shorter texts in the place of results; `remove` (a strategy) and `drop` (the user)
   * leave atoms out; `restore` brings results and atoms back; `window` is what a server's error revealed.
   */
  kind: z.enum(['clip', 'mask', 'remove', 'drop', 'restore', 'window']),
  reason: z.string(),
  strategy: z.string().optional(),
  preTokens: z.number(),
  postTokens: z.number().optional(),
  durationMs: z.number().optional(),
  replacements: z.array(replacement).optional(),
  /** Uuids of the heads of atoms that are left out, in log order. */
  removed: z.array(z.string()).optional(),
  /** What the model reads instead, for each stretch of neighbours; `at` is the first head of one. */
  notes: z.array(z.looseObject({ at: z.string(), text: z.string() })).optional(),
  /** Uuids of all entries that come back. */
  restored: z.array(z.string()).optional(),
  /** `window`: the context window of a model, in tokens. */
  model: z.string().optional(),
  windowTokens: z.number().optional(),
  /** What was known of that window until then: another word of the server's or the user's is newer than the error. */
  knownTokens: z.number().optional(),
  /** True where the server named none. A guess holds until the program ends: the next refusal tells again. */
  isGuess: z.boolean().optional(),
});
export type Reduction = z.infer<typeof reductionSchema>;
export type Replacement = z.infer<typeof replacement>;

/** The reduction that an entry records; undefined for other entries, and where a newer program wrote another shape. */
export function reductionOf(entry: JSONLEntry): Reduction | undefined {
  if (entry.subtype !== 'reduction') return undefined;
  if (!Object.isFrozen(entry)) return reductionSchema.safeParse(entry.data).data;
  // Asked for by many at each step; entries of a log never change.
  if (!read.has(entry)) read.set(entry, reductionSchema.safeParse(entry.data).data);
  return read.get(entry);
}

const read = new WeakMap<JSONLEntry, Reduction | undefined>();

/** `note`: what the model reads in the place of what was left out; the reason where nothing is shown. */
export function reductionDraft(data: Reduction, note: string = data.reason): EntryDraft {
  return {
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content: note },
    data: { ...data },
  };
}
