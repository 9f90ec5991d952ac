/** The latest reductions that made room, with statistics. A pure function of the log's records. */
import type { ReductionRecord } from '../../protocol/contextReport.ts';

/** Maximum records to show. */
const HISTORY_LIMIT = 10;

interface CompressionStatistics {
  /** Number of completed reductions, including those no longer shown. */
  readonly count: number;
  readonly undone: number;
  /** Attempts without a result. */
  readonly failed: number;
  readonly tokensFreed: number;
  /** Mean ratio of tokens after to tokens before; 1 if there were none. */
  readonly meanRatio: number;
  readonly durationMs: number;
  /** Usage of the summaries among them. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly byStrategy: readonly {
    readonly strategy: string;
    readonly count: number;
    readonly tokensFreed: number;
  }[];
}

interface CompressionHistory {
  /** At most ten, newest last. */
  readonly records: readonly ReductionRecord[];
  readonly statistics: CompressionStatistics;
}

/** Computes the history from all reductions of a session, in log order. Skips those that do not make room. */
export function compressionHistory(reductions: readonly ReductionRecord[]): CompressionHistory {
  const attempts = reductions.filter(({ kind }) => makesRoom.has(kind));
  const done = attempts.filter(isDone);
  return { records: done.slice(-HISTORY_LIMIT), statistics: statisticsOf(attempts, done) };
}

type Done = ReductionRecord & { readonly postTokens: number };

function isDone(record: ReductionRecord): record is Done {
  return record.postTokens !== undefined;
}

const makesRoom: ReadonlySet<ReductionRecord['kind']> = new Set([
  'summary',
  'fallback',
  'mask',
  'clip',
  'remove',
  'drop',
]);

function statisticsOf(attempts: readonly ReductionRecord[], done: readonly Done[]): CompressionStatistics {
  const byStrategy = new Map<string, { strategy: string; count: number; tokensFreed: number }>();
  let ratios = 0;
  for (const record of done) {
    const strategy = record.strategy ?? record.kind;
    const known = byStrategy.get(strategy) ?? { strategy, count: 0, tokensFreed: 0 };
    known.count++;
    known.tokensFreed += freedBy(record);
    byStrategy.set(strategy, known);
    ratios += record.preTokens === 0 ? 1 : record.postTokens / record.preTokens;
  }
  const sum = (amountOf: (record: ReductionRecord) => number | undefined): number =>
    attempts.reduce((total, record) => total + (amountOf(record) ?? 0), 0);
  return {
    count: done.length,
    undone: done.filter(({ isUndone }) => isUndone).length,
    failed: attempts.length - done.length,
    tokensFreed: done.reduce((total, record) => total + freedBy(record), 0),
    meanRatio: done.length === 0 ? 1 : ratios / done.length,
    durationMs: sum(({ durationMs }) => durationMs),
    usage: {
      inputTokens: sum(({ usage }) => usage?.inputTokens),
      outputTokens: sum(({ usage }) => usage?.outputTokens),
    },
    byStrategy: [...byStrategy.values()],
  };
}

/** An undone reduction frees nothing. */
function freedBy({ preTokens, postTokens, isUndone }: Done): number {
  return isUndone ? 0 : Math.max(0, preTokens - postTokens);
}
