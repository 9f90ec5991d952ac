/** What `/context` tells: the reductions so far, what comes next, what the cache serves. A projection of the log. */
import type { ContextReport, ReductionRecord } from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { ContextMeasure } from '../protocol/events.ts';
import type { ModelInfo } from '../protocol/model.ts';
import { liveEntries } from './history/live.ts';
import { afterPast, pastOf } from './history/past.ts';
import { reductionOf } from './history/reductions.ts';
import { compressionHistory } from './strategies/CompressionHistory.ts';

export interface ReportFacts
  extends Pick<
    ContextReport,
    'measure' | 'next' | 'marks' | 'draft' | 'breakerIsOpen' | 'warnings' | 'triggerNote'
  > {
  readonly model: ModelInfo;
}

/** Everything for `/context`, from the log and what is known of the next request. */
export function contextReport(entries: readonly JSONLEntry[], facts: ReportFacts): ContextReport {
  const { model, ...known } = facts;
  const reductions = reductionRecords(entries);
  const usage = entries.findLast(({ type, message }) => type === 'assistant' && message.usage !== undefined)
    ?.message.usage;
  const cache =
    usage === undefined
      ? {}
      : { cache: { cachedTokens: usage.cached_tokens ?? 0, inputTokens: usage.input_tokens } };
  const nextInputUsd = priceOfNext(
    known.measure,
    model,
    stillCached(entries, known.measure, usage?.input_tokens ?? 0),
  );
  return {
    ...known,
    reductions,
    compactions: compressionHistory(reductions.filter(({ kind }) => kind !== 'window')).records,
    ...cache,
    ...(nextInputUsd === undefined ? {} : { nextInputUsd }),
  };
}

/** Every reduction that the log records, oldest first; a compaction is one, whatever it shortens besides. */
export function reductionRecords(entries: readonly JSONLEntry[]): readonly ReductionRecord[] {
  const { undone } = liveEntries(entries);
  const own = afterPast(entries);
  const records = own.flatMap((entry, index) => {
    const record = recordOf(entry, own.slice(index + 2, index + 4));
    return record === undefined ? [] : [{ ...record, isUndone: undone.has(entry.uuid) }];
  });
  return [...(pastOf(entries)?.reductions ?? []), ...records];
}

function recordOf(
  entry: JSONLEntry,
  afterSummary: readonly JSONLEntry[],
): Omit<ReductionRecord, 'isUndone'> | undefined {
  const place = { uuid: entry.uuid, seq: entry.seq, timestamp: Date.parse(entry.timestamp) || 0 };
  const { compactMetadata } = entry;
  if (entry.subtype === 'compact_boundary' && compactMetadata !== undefined) {
    const { trigger, preTokens, postTokens, durationMs, strategy, success } = compactMetadata;
    const usage = afterSummary.find(({ subtype }) => subtype === 'usage')?.message.usage;
    return {
      ...place,
      kind: success === false ? 'fallback' : 'summary',
      reason: trigger === 'manual' ? '/compact' : 'the window filled up',
      preTokens,
      ...(strategy === undefined ? {} : { strategy }),
      ...(postTokens === undefined ? {} : { postTokens }),
      ...(durationMs === undefined ? {} : { durationMs }),
      covers: entry.seq,
      ...(usage === undefined
        ? {}
        : { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }),
    };
  }
  const reduction = reductionOf(entry);
  // What a compaction does besides is in its own figures.
  if (reduction === undefined || reduction.reason === 'compaction') return undefined;
  const { kind, reason, strategy, preTokens, postTokens, durationMs } = reduction;
  const { replacements = [], removed = [], restored = [] } = reduction;
  return {
    ...place,
    kind,
    reason,
    preTokens,
    covers: replacements.length + removed.length + restored.length,
    ...(strategy === undefined ? {} : { strategy }),
    ...(postTokens === undefined ? {} : { postTokens }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** Tokens that the provider may still have: what was sent last, or, after a reduction since, what stands before it. */
function stillCached(entries: readonly JSONLEntry[], { parts }: ContextMeasure, sentBefore: number): number {
  const last = entries.findLastIndex(({ type }) => type === 'assistant');
  const isChanged = entries
    .slice(last + 1)
    .some(({ subtype }) => subtype === 'compact_boundary' || subtype === 'reduction' || subtype === 'undo');
  const head = new Set(['tools', 'system', 'instructions']);
  return isChanged
    ? parts.reduce((sum, { name, tokens }) => sum + (head.has(name) ? tokens : 0), 0)
    : sentBefore;
}

/** US dollars for the input, when the cache still holds what was sent last; absent where no price is known. */
function priceOfNext(measure: ContextMeasure, { price }: ModelInfo, sentBefore: number): number | undefined {
  if (price === undefined) return undefined;
  const cached = Math.min(sentBefore, measure.usedTokens);
  return (cached * price.cachedInput + (measure.usedTokens - cached) * price.input) / 1e6;
}
