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

/** From the log to what the model sees of it. One pass by index: it runs on the whole log for each step. */
export function viewOf(entries: readonly JSONLEntry[]): View {
  const at = lastCompaction(entries);
  const kept = new Set(entries[at]?.compactMetadata?.retained);
  const sent: JSONLEntry[] = [];
  let instructions: JSONLEntry | undefined;
  let systemPrompt: string | undefined;
  const replacements = new Map<string, string>();
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    if (entry.subtype === 'session_start') systemPrompt ??= systemPromptOf(entry);
    else if (entry.subtype === 'reduction') addReplacements(replacements, entry);
    else if (index > at + 1 || at === -1) sent.push(entry);
    else if (index < at) {
      if (entry.subtype === 'instructions') instructions = entry;
      if (kept.has(entry.uuid)) sent.push(entry);
    }
  }
  return {
    systemPrompt: systemPrompt ?? '',
    instructions,
    summary: at === -1 ? undefined : entries[at + 1],
    atoms: groupAtoms(sent),
    replacements,
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

/** One that a newer program wrote in another shape is skipped. */
function addReplacements(replacements: Map<string, string>, { data }: JSONLEntry): void {
  const parsed = reductionSchema.safeParse(data);
  for (const { uuid, output } of parsed.data?.replacements ?? []) replacements.set(uuid, output);
}

function systemPromptOf({ data }: JSONLEntry): string {
  return typeof data?.systemPrompt === 'string' ? data.systemPrompt : '';
}
