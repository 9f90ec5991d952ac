/**
 * The view: which entries of a log the model sees, after compactions and reductions, before any message is
 * built. A pure function of the log; refers to entries by id, so it survives any reordering of code.
 */
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, AtomGrouper } from './atoms.ts';

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
  return new LogView().of(entries);
}

/** The view of a log that grows: what was read before is read again only when a reduction changes it. */
export class LogView {
  #read = 0;
  #view: View | undefined;
  #grouper = new AtomGrouper();

  /** `entries` must be those of the last call, and what was appended since. */
  of(entries: readonly JSONLEntry[]): View {
    const known = this.#view;
    if (known !== undefined && entries.length === this.#read) return known;
    const later = entries.slice(this.#read);
    this.#read = entries.length;
    if (known === undefined || later.some(isReshaping)) return this.#start(entries);
    for (const entry of later) this.#grouper.add(entry);
    this.#view = { ...known, atoms: this.#grouper.atoms() };
    return this.#view;
  }

  #start(entries: readonly JSONLEntry[]): View {
    const at = lastCompaction(entries);
    const kept = new Set(entries[at]?.compactMetadata?.retained);
    const replacements = new Map<string, string>();
    let instructions: JSONLEntry | undefined;
    let systemPrompt: string | undefined;
    this.#grouper = new AtomGrouper();
    for (const [index, entry] of entries.entries()) {
      if (entry.subtype === 'session_start') systemPrompt ??= systemPromptOf(entry);
      else if (entry.subtype === 'reduction') addReplacements(replacements, entry);
      else if (index > at + 1 || at === -1) this.#grouper.add(entry);
      else if (index < at) {
        if (entry.subtype === 'instructions') instructions = entry;
        if (kept.has(entry.uuid)) this.#grouper.add(entry);
      }
    }
    this.#view = {
      systemPrompt: systemPrompt ?? '',
      instructions,
      summary: at === -1 ? undefined : entries[at + 1],
      atoms: this.#grouper.atoms(),
      replacements,
    };
    return this.#view;
  }
}

/** True for entries that change how earlier ones are seen. */
function isReshaping({ subtype, isCompactSummary }: JSONLEntry): boolean {
  return isCompactSummary === true || (subtype !== undefined && reshapingSubtypes.has(subtype));
}

const reshapingSubtypes: ReadonlySet<string> = new Set(['session_start', 'compact_boundary', 'reduction']);

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
