/** How an effort is put on each wire. Pure; the facts about models are in the catalogue. */
import { type Effort, effortLevels, efforts } from '../../protocol/wires.ts';
import type { WireFacts } from './exchange.ts';

/** The level closest to `effort` that a model accepts: the next lower one, or else its lowest. */
export function acceptedEffort(effort: Effort, accepted?: readonly string[]): Effort | undefined {
  const levels = effortLevels(accepted);
  return levels.findLast((level) => efforts.indexOf(level) <= efforts.indexOf(effort)) ?? levels[0];
}

/** `reasoning_effort` of chat completions. */
export function chatEffort(effort: Effort | undefined, { efforts }: WireFacts) {
  const level = effort && acceptedEffort(effort, efforts);
  return level === undefined ? {} : { reasoning_effort: level };
}

/** `reasoning` of a Responses request. The summary is what the screen shows of the reasoning. */
export function responsesReasoning(effort: Effort | undefined, { efforts }: WireFacts) {
  const level = effort && acceptedEffort(effort, efforts);
  return { summary: 'auto' as const, ...(level === undefined ? {} : { effort: level }) };
}

/** Tokens of thinking for models that take a number. */
const budgets: Readonly<Record<Effort, number>> = {
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 31_999,
};

/** The least that the API accepts, and what is left for the answer itself. */
const MIN_BUDGET = 1024;

export interface AnthropicThinking {
  readonly thinking?:
    | { readonly type: 'adaptive'; readonly display?: 'summarized' }
    | { readonly type: 'enabled'; readonly budget_tokens: number };
  readonly output_config?: { readonly effort: Effort };
}

/** `thinking` and `output_config` of an Anthropic request whose reply may have `maxTokens` tokens. */
export function anthropicThinking(
  effort: Effort | undefined,
  { efforts, thinking = 'budget' }: WireFacts,
  maxTokens: number,
): AnthropicThinking {
  const level = effort && efforts && acceptedEffort(effort, efforts);
  const output = level === undefined ? {} : { output_config: { effort: level } };
  if (thinking === 'adaptive') return { thinking: { type: 'adaptive', display: 'summarized' }, ...output };
  if (effort === undefined) return {};
  const budget = Math.min(budgets[effort], maxTokens - MIN_BUDGET);
  if (budget < MIN_BUDGET) return output;
  return { thinking: { type: 'enabled', budget_tokens: budget }, ...output };
}
