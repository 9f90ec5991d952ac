/**
 * The view: which entries of a log the model sees, after compactions and reductions, before any message is
 * built. A pure function of the log; refers to entries by id, so it survives any reordering of code.
 */
import { z } from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, groupAtoms } from './atoms.ts';

export interface View {
  readonly systemPrompt: string;
  /** The pinned instructions of this epoch; absent when they ride in `atoms` (before the first compaction). */
  readonly instructions: JSONLEntry | undefined;
  readonly summary: JSONLEntry | undefined;
  readonly atoms: readonly Atom[];
  /** What stands in for the output of a tool result, by uuid of its entry. */
  readonly replacements: ReadonlyMap<string, string>;
}

/** `data` of a `reduction` entry: what the projection leaves out or shortens from here on, and why. */
export const reductionSchema = z.looseObject({
  kind: z.enum(['clip', 'window']),
  reason: z.string(),
  preTokens: z.number(),
  postTokens: z.number().optional(),
  /** `clip`: results whose output is replaced; the whole is in the log and, by hash, in the blob store. */
  replacements: z
    .array(
      z.looseObject({
        uuid: z.string(),
        output: z.string(),
        original: z.looseObject({ hash: z.string(), bytes: z.number() }).optional(),
      }),
    )
    .optional(),
  /** `window`: the context window that the server's error revealed for a model. */
  model: z.string().optional(),
  windowTokens: z.number().optional(),
});
export type Reduction = z.infer<typeof reductionSchema>;

/** From the log to what the model sees of it. */
export function viewOf(entries: readonly JSONLEntry[]): View {
  const at = lastCompaction(entries);
  const boundary = at === -1 ? undefined : entries[at];
  const kept = new Set(boundary?.compactMetadata?.retained);
  const before = boundary === undefined ? [] : entries.slice(0, at).filter((entry) => kept.has(entry.uuid));
  return {
    systemPrompt: systemPromptOf(entries),
    instructions: entries.slice(0, Math.max(at, 0)).findLast((entry) => entry.subtype === 'instructions'),
    summary: boundary === undefined ? undefined : entries[at + 1],
    atoms: groupAtoms([...before, ...entries.slice(boundary === undefined ? 0 : at + 2)]),
    replacements: replacementsOf(entries),
  };
}

/** Index of the last boundary that has its summary; one without (a crash between two lines) never happened. */
export function lastCompaction(entries: readonly JSONLEntry[]): number {
  for (let index = entries.length - 2; index >= 0; index--) {
    if (entries[index]?.subtype === 'compact_boundary' && entries[index + 1]?.isCompactSummary === true) {
      return index;
    }
  }
  return -1;
}

/** The reductions of a log, oldest first; ones that a newer program wrote in another shape are skipped. */
export function reductionsOf(entries: readonly JSONLEntry[]): Reduction[] {
  return entries.flatMap((entry) => {
    if (entry.subtype !== 'reduction') return [];
    const parsed = reductionSchema.safeParse(entry.data);
    return parsed.success ? [parsed.data] : [];
  });
}

function replacementsOf(entries: readonly JSONLEntry[]): Map<string, string> {
  const replaced = new Map<string, string>();
  for (const { replacements } of reductionsOf(entries)) {
    for (const { uuid, output } of replacements ?? []) replaced.set(uuid, output);
  }
  return replaced;
}

function systemPromptOf(entries: readonly JSONLEntry[]): string {
  const header = entries.find((entry) => entry.subtype === 'session_start');
  const prompt = header?.data?.systemPrompt;
  return typeof prompt === 'string' ? prompt : '';
}
