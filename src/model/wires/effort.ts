/** How each wire expresses effort and thinking budget. Pure; facts about models are in the catalogue. */
import {
  type Effort,
  effortLevels,
  efforts,
  type ReasoningOptions,
  type ThinkingDisplay,
} from '../../protocol/models/wires.ts';
import type { WireFacts } from './exchange.ts';

/** The level closest to `effort` that a model accepts: the next lower one, or else its lowest. */
export function acceptedEffort(effort: Effort, accepted?: readonly string[]): Effort | undefined {
  const levels = effortLevels(accepted);
  return levels.findLast((level) => efforts.indexOf(level) <= efforts.indexOf(effort)) ?? levels[0];
}

/** `reasoning_effort` of chat completions. */
export function chatEffort(options: ReasoningOptions, { efforts }: WireFacts) {
  const level = openaiEffort(options, efforts);
  return level === undefined ? {} : { reasoning_effort: level };
}

/** `reasoning` of a Responses request. The summary is what the screen shows of the reasoning. */
export function responsesReasoning(options: ReasoningOptions, { efforts }: WireFacts) {
  const level = openaiEffort(options, efforts);
  return {
    ...(options.thinkingDisplay === 'omitted' ? {} : { summary: 'auto' as const }),
    ...(level === undefined ? {} : { effort: level }),
  };
}

/** OpenAI's APIs have no token budget, so a budget becomes the highest level that usually stays within it. */
function openaiEffort({ effort, thinkingBudget }: ReasoningOptions, accepted?: readonly string[]) {
  if (thinkingBudget === 0) return leastEffort(accepted);
  if (typeof thinkingBudget !== 'number') return effort && acceptedEffort(effort, accepted);
  const within = levelsWithin.findLast((level) => budgets[level] <= thinkingBudget) ?? 'low';
  const isLower = effort !== undefined && efforts.indexOf(effort) < efforts.indexOf(within);
  return acceptedEffort(isLower ? effort : within, accepted);
}

/** A budget is a limit, so it never selects a level above `high`. */
const levelsWithin = ['low', 'medium', 'high'] as const;

/** No reasoning, or as little as the model allows. */
function leastEffort(accepted?: readonly string[]): Effort | 'none' | 'minimal' | undefined {
  const least = (['none', 'minimal'] as const).find((level) => accepted?.includes(level));
  return least ?? effortLevels(accepted)[0];
}

/** Tokens of thinking for models that take a number. */
const budgets: Readonly<Record<Effort, number>> = {
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 31_999,
};

/** The minimum that the API accepts, and the rest for the answer itself. */
const MIN_BUDGET = 1024;

export interface AnthropicThinking {
  readonly thinking?:
    | { readonly type: 'adaptive'; readonly display?: ThinkingDisplay }
    | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: ThinkingDisplay }
    | { readonly type: 'disabled' };
  readonly output_config?: { readonly effort: Effort };
}

/**
 * `thinking` and `output_config` of an Anthropic request whose reply may have `maxTokens` tokens. Adaptive models accept
 * no number of tokens: any budget except 0 lets them decide. The others think only if asked to.
 */
export function anthropicThinking(
  { effort, thinkingBudget, thinkingDisplay: display }: ReasoningOptions,
  { efforts, thinking = 'budget' }: WireFacts,
  maxTokens: number,
): AnthropicThinking {
  const level = effort && efforts && acceptedEffort(effort, efforts);
  const output = level === undefined ? {} : { output_config: { effort: level } };
  if (thinking === 'adaptive') {
    if (thinkingBudget === 0) return { thinking: { type: 'disabled' }, ...output };
    return { thinking: { type: 'adaptive', display: display ?? 'summarized' }, ...output };
  }
  if (thinkingBudget === 0 || (effort === undefined && thinkingBudget === undefined)) return output;
  const wanted = typeof thinkingBudget === 'number' ? thinkingBudget : budgets[effort ?? 'high'];
  const budget = Math.min(wanted, maxTokens - MIN_BUDGET);
  if (budget < MIN_BUDGET) return output;
  return { thinking: { type: 'enabled', budget_tokens: budget, ...(display && { display }) }, ...output };
}
