import type { RequestPart } from '../protocol/contextReport.ts';
import type { ContextMeasure } from '../protocol/events.ts';
import { grouped } from '../protocol/grouped.ts';
import type { ModelInfo } from '../protocol/model.ts';
import type { WindowBudget } from './tokens/budgets.ts';

/** Tokens of a request by part, before calibration. */
export interface RequestSizes {
  readonly parts: readonly { readonly name: RequestPart; readonly tokens: number }[];
  readonly total: number;
  /** What no compaction can shrink: tools, system prompt, instructions. */
  readonly fixed: number;
  /** False while any of it is an estimate. */
  readonly exact: boolean;
  /** Tokens by class of characters, for calibration. */
  readonly features: readonly number[];
}

/** One measurement for everybody: sizes, calibrated for the model, against its window. */
export function measureRequest(
  sizes: RequestSizes,
  model: ModelInfo,
  budget: WindowBudget,
  ratio: number,
): ContextMeasure {
  const parts = sizes.parts.map(({ name, tokens }) => ({ name, tokens: Math.ceil(tokens * ratio) }));
  return {
    model: model.id,
    windowTokens: budget.window,
    triggerTokens: budget.trigger,
    usedTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    replyReserveTokens: budget.replyReserve,
    parts,
    exact: sizes.exact,
    windowSource: budget.isLearned ? 'learned' : model.source,
  };
}

/** What to tell the user when a request cannot be sent; `auto`: whether it was compacted first. */
export function tooLarge({ usedTokens, windowTokens, model }: ContextMeasure, auto: boolean): string {
  const first = auto
    ? 'Shorten the last message'
    : 'Run /compact (automatic compaction is off), shorten the last message';
  return `The request has about ${grouped(usedTokens)} tokens, and ${model} takes ${grouped(windowTokens)}. ${first}, start afresh with /clear, remove instructions or tools, or choose a model with a larger window (/model, --context-window).`;
}
