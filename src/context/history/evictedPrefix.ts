/**
 * Facts about the part of a log that is not in memory. They are stored in an entry among the others (subtype `past`,
 * never written to a file), so that functions of the entries also work for the evicted part.
 */

import type { ReductionRecord } from '../../protocol/contextReport.ts';
import type { FileChange } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { CommandRun } from '../facts/commandRuns.ts';
import type { LogFactsState } from './LogFacts.ts';

/** The net change of one file. */
export interface ChangedFile {
  /** Absolute path. */
  readonly path: string;
  /** State after the last change: a file that was created and later changed is `created`. */
  readonly kind: FileChange['kind'];
  /** Seq of the last change. */
  readonly seq: number;
}

export interface KnownFacts {
  readonly files: readonly ChangedFile[];
  readonly commands: readonly CommandRun[];
}

/** Facts through `throughSeq`, whether or not that part of the log is in memory. */
export interface EvictedPrefix {
  readonly throughSeq: number;
  /** Uuid of the entry at `throughSeq`. */
  readonly throughUuid: string;
  readonly facts: KnownFacts;
  readonly learned: LogFactsState;
  /** Usage of replies and summaries, by model. */
  readonly spent: readonly Spent[];
  /** The newest reductions. */
  readonly reductions: readonly ReductionRecord[];
}

/** Tokens used with one model in `requests` requests. */
interface Spent {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens?: number;
  readonly requests: number;
  /** How many of the requests are estimated. */
  readonly estimated?: number;
}

const EVICTED = 'past';

/** The entry for an evicted part; it comes after `header`, the first entry that is still in memory. */
export function evictedPrefixEntry(past: EvictedPrefix, header: JSONLEntry): JSONLEntry {
  const { gitBranch: _, ...place } = header;
  return Object.freeze({
    ...place,
    uuid: EVICTED,
    parentUuid: null,
    type: 'system',
    subtype: EVICTED,
    message: Object.freeze({ role: 'system', content: '' }),
    data: Object.freeze({ past }),
  });
}

/** The evicted part of these entries; undefined if all are in memory. Its entry is the first or the second. */
export function evictedPrefixOf(entries: readonly JSONLEntry[]): EvictedPrefix | undefined {
  const found = entries[0]?.subtype === EVICTED ? entries[0] : entries[1];
  return found?.subtype === EVICTED ? (found.data?.past as EvictedPrefix) : undefined;
}

/** The entries after the evicted part. */
export function afterEvictedPrefix(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const past = evictedPrefixOf(entries);
  return past === undefined ? entries : entries.filter(({ seq }) => seq > past.throughSeq);
}

/** Usage of a session so far, by model. */
export function usageOfSession(entries: readonly JSONLEntry[]): readonly Spent[] {
  return usageByModel(afterEvictedPrefix(entries), evictedPrefixOf(entries)?.spent);
}

/** Adds up the usage of entries, by model. */
export function usageByModel(
  entries: readonly JSONLEntry[],
  before: readonly Spent[] = [],
): readonly Spent[] {
  const byModel = new Map(before.map((one) => [one.model, one]));
  for (const { message } of entries) {
    const { usage, model = '' } = message;
    if (usage === undefined) continue;
    const known = byModel.get(model);
    const estimated = (known?.estimated ?? 0) + (usage.estimated === true ? 1 : 0);
    const written = (known?.cacheWriteTokens ?? 0) + (usage.cache_write_tokens ?? 0);
    byModel.set(model, {
      model,
      inputTokens: (known?.inputTokens ?? 0) + usage.input_tokens,
      outputTokens: (known?.outputTokens ?? 0) + usage.output_tokens,
      cachedTokens: (known?.cachedTokens ?? 0) + (usage.cached_tokens ?? 0),
      ...(written === 0 ? {} : { cacheWriteTokens: written }),
      requests: (known?.requests ?? 0) + 1,
      ...(estimated === 0 ? {} : { estimated }),
    });
  }
  return [...byModel.values()];
}
