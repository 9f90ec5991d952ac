/** The `context_usage` of the result: the numbers of `/context`, in snake_case. All in tokens. */
import { tokensSaved } from '../commands/pages/reductionLines.ts';
import type { ContextReport, ReductionRecord } from '../protocol/contextReport.ts';

export function contextUsage(report: ContextReport): object {
  const { measure, next, marks = {}, cache, nextInputUsd, reductions, compactions } = report;
  return {
    model: measure.model,
    context_window: measure.windowTokens,
    window_source: measure.windowSource,
    compacts_at: measure.triggerTokens,
    masks_at: marks.maskAt ?? null,
    removes_at: marks.removeAt ?? null,
    limit: marks.limit ?? null,
    reply_reserve: measure.replyReserveTokens,
    used_tokens: measure.usedTokens,
    free_tokens: Math.max(0, measure.triggerTokens - measure.usedTokens),
    exact: measure.exact,
    parts: measure.parts,
    next: { action: next.action, at_tokens: next.atTokens },
    reductions: reductions.length,
    tokens_saved: tokensSaved(reductions),
    compactions: compactions.map(recordOnWire),
    cache:
      cache === undefined ? null : { cached_tokens: cache.cachedTokens, input_tokens: cache.inputTokens },
    next_input_usd: nextInputUsd ?? null,
    draft: report.draft,
    breaker_open: report.breakerIsOpen,
    warnings: report.warnings,
  };
}

function recordOnWire(record: ReductionRecord): object {
  const { uuid, seq, timestamp, kind, strategy, reason, preTokens, postTokens, durationMs, usage } = record;
  return {
    uuid,
    seq,
    timestamp: new Date(timestamp).toISOString(),
    kind,
    strategy: strategy ?? null,
    reason,
    pre_tokens: preTokens,
    post_tokens: postTokens ?? null,
    duration_ms: durationMs ?? null,
    covers: record.covers,
    usage:
      usage === undefined ? null : { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    undone: record.isUndone,
  };
}
