import { randomUUID } from 'node:crypto';
import { tokensSaved } from '../commands/pages/reductionLines.ts';
import type { ContextReport, ReductionRecord } from '../protocol/contextReport.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import type { Outcome } from './outcome.ts';
import { sum, type Tally, type UsageFigures } from './tally.ts';
import type { ReportOptions } from './types.ts';
import { type Line, stopReason } from './wireMessages.ts';

/** The `result` object: the entire output of `json`, the last line of `stream-json`. */
export function resultMessage(
  outcome: Outcome,
  tally: Tally,
  { agent, modelInfo }: Pick<ReportOptions, 'agent' | 'modelInfo'>,
): Line {
  const { sessionId, demo } = agent.state();
  const usage = tally.isCounted() ? [...tally.usageByModel().values()].reduce(sum, nothing) : null;
  return {
    type: 'result',
    subtype: outcome.ok ? 'success' : outcome.subtype,
    is_error: !outcome.ok,
    ...(outcome.ok ? { result: outcome.text } : { errors: [outcome.reason] }),
    ...(outcome.ok && outcome.structured && { structured_output: outcome.structured.value }),
    num_turns: outcome.steps,
    duration_ms: tally.durationMs(),
    duration_api_ms: tally.apiDurationMs(),
    stop_reason: stopReason(tally.finishReason()),
    total_cost_usd: cents(tally.costUsd()),
    usage,
    modelUsage: modelUsage(tally, agent.state().model, modelInfo),
    permission_denials: tally.denials(),
    context_usage: contextUsage(agent.report()),
    ...(demo ? { demo } : {}),
    session_id: sessionId,
    uuid: randomUUID(),
  };
}

const nothing: UsageFigures = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** Figures per model; null if unknown rather than zero. */
export function modelUsage(
  tally: Tally,
  current: ModelInfo,
  modelInfo: ReportOptions['modelInfo'],
): Record<string, object> {
  const used = [...tally.usageByModel()];
  return Object.fromEntries(
    used.map(([id, figures]) => {
      // A server may answer with a longer id than requested; if only one model was used, it is the current one.
      const isCurrent = used.length === 1 || id === current.id;
      const { source, ...sizes } = isCurrent ? current : modelInfo(id);
      const isKnown = isCurrent || source !== 'assumed';
      return [
        id,
        {
          inputTokens: figures.input_tokens,
          outputTokens: figures.output_tokens,
          cacheReadInputTokens: figures.cache_read_input_tokens,
          cacheCreationInputTokens: figures.cache_creation_input_tokens,
          webSearchRequests: 0,
          costUSD: cents(tally.costOfModel(id)),
          contextWindow: isKnown ? sizes.windowTokens : null,
          maxOutputTokens: isKnown ? sizes.maxOutputTokens : null,
        },
      ];
    }),
  );
}

/** Dollars rounded to a millionth, without floating-point noise; null if unknown. */
function cents(amount: number | undefined): number | null {
  return amount === undefined ? null : Math.round(amount * 1e6) / 1e6;
}

// The `context_usage` of the result: the numbers of `/context`, in snake_case. All in tokens.

function contextUsage(report: ContextReport): object {
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
