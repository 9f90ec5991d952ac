/**
 * What is known of the part of a log that is not in memory. It stands among the entries as one that is in no file
 * (subtype `past`), so that whatever is a function of the entries is one of the past as well.
 */

import type { ReductionRecord } from '../../protocol/contextReport.ts';
import type { FileChange } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { CommandRun } from '../facts/commandRuns.ts';
import type { LearnedState } from './Learned.ts';

/** What became of one file over all its changes. */
export interface ChangedFile {
  /** Absolute path. */
  readonly path: string;
  /** As it stands after the last change: a file that was created and later changed is `created`. */
  readonly kind: FileChange['kind'];
  /** Of the last change. */
  readonly seq: number;
}

export interface KnownFacts {
  readonly files: readonly ChangedFile[];
  readonly commands: readonly CommandRun[];
}

/** Everything is up to and with the entry at `throughSeq`, whether that part of the log is in memory or not. */
export interface EvictedPrefix {
  readonly throughSeq: number;
  /** Of the entry at `throughSeq`. */
  readonly throughUuid: string;
  readonly facts: KnownFacts;
  readonly learned: LearnedState;
  /** What replies and summaries cost, by model. */
  readonly spent: readonly Spent[];
  /** The newest of them. */
  readonly reductions: readonly ReductionRecord[];
}

/** Tokens of one model, over `requests` requests. */
export interface Spent {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly requests: number;
}

const PAST = 'past';

/** The entry that stands for a past; it takes the place behind `header`, the first entry that is still there. */
export function evictedPrefixEntry(past: EvictedPrefix, header: JSONLEntry): JSONLEntry {
  const { gitBranch: _, ...place } = header;
  return Object.freeze({
    ...place,
    uuid: PAST,
    parentUuid: null,
    type: 'system',
    subtype: PAST,
    message: Object.freeze({ role: 'system', content: '' }),
    data: Object.freeze({ past }),
  });
}

/** The past of entries of which some are not in memory; undefined where all are. It is second at the latest. */
export function evictedPrefixOf(entries: readonly JSONLEntry[]): EvictedPrefix | undefined {
  const found = entries[0]?.subtype === PAST ? entries[0] : entries[1];
  return found?.subtype === PAST ? (found.data?.past as EvictedPrefix) : undefined;
}

/** The entries that the past does not speak for. */
export function afterEvictedPrefix(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const past = evictedPrefixOf(entries);
  return past === undefined ? entries : entries.filter(({ seq }) => seq > past.throughSeq);
}

/** What a session has cost so far, by model. */
export function spentIn(entries: readonly JSONLEntry[]): readonly Spent[] {
  return spentBy(afterEvictedPrefix(entries), evictedPrefixOf(entries)?.spent);
}

/** Adds up what entries cost, by model. */
export function spentBy(entries: readonly JSONLEntry[], before: readonly Spent[] = []): readonly Spent[] {
  const byModel = new Map(before.map((one) => [one.model, one]));
  for (const { message } of entries) {
    const { usage, model = '' } = message;
    if (usage === undefined) continue;
    const known = byModel.get(model);
    byModel.set(model, {
      model,
      inputTokens: (known?.inputTokens ?? 0) + usage.input_tokens,
      outputTokens: (known?.outputTokens ?? 0) + usage.output_tokens,
      cachedTokens: (known?.cachedTokens ?? 0) + (usage.cached_tokens ?? 0),
      requests: (known?.requests ?? 0) + 1,
    });
  }
  return [...byModel.values()];
}
