/** What ends a run early, or makes it go on: its budget, and an answer in the form that was asked for. */
import type { Agent } from '../agent/types.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Tally } from './tally.ts';
import type { LimitOptions, RunEnd } from './types.ts';

export interface RunLimits {
  /** Why a prompt must not even begin. */
  begin(): RunEnd | undefined;
  /** Interrupts the turn if a limit is reached. */
  hear(event: AgentEvent): void;
  /** The end of the turn as the limits see it; a text if the model has to be asked again. */
  end(reported: RunEnd): RunEnd | { readonly type: 'ask'; readonly text: string };
}

/** Calls that do not fit the schema. */
const MAX_FAILURES = 5;
/** Times that a model which answered in text is asked for the call. */
const MAX_ASKED = 2;

const ASK = 'Give your final answer now, by calling StructuredOutput.';
const UNFIT = `The model gave no answer that fits the schema of --json-schema.`;

export function createRunLimits(
  { maxBudgetUsd, structured }: LimitOptions,
  agent: Agent,
  tally: Tally,
): RunLimits {
  let reached: 'budget' | 'structured_output' | undefined;
  let asked = 0;
  const overBudget = (): string | undefined => {
    if (maxBudgetUsd === undefined) return undefined;
    const cost = tally.costUsd();
    const model = agent.state().model.id;
    if (cost === undefined)
      return `What ${model} costs is unknown, so --max-budget-usd cannot be kept. Set its price in the settings (models).`;
    return cost < maxBudgetUsd
      ? undefined
      : `The budget of $${maxBudgetUsd} is used up ($${cost.toFixed(4)}).`;
  };
  const ended = (limit: 'budget' | 'structured_output', steps: number): RunEnd => ({
    type: 'limit',
    limit,
    reason: limit === 'budget' ? (overBudget() ?? '') : UNFIT,
    steps,
  });
  return {
    begin() {
      [reached, asked] = [undefined, 0];
      structured?.begin();
      return overBudget() === undefined ? undefined : ended('budget', 0);
    },
    hear(event) {
      // Before the request of the step is sent.
      if (event.type !== 'step_started' || reached !== undefined) return;
      if (overBudget() !== undefined) reached = 'budget';
      else if ((structured?.failures() ?? 0) >= MAX_FAILURES) reached = 'structured_output';
      if (reached !== undefined) agent.submit({ type: 'interrupt' });
    },
    end(reported) {
      if (reported.type !== 'turn') return reported;
      // The step in which the limit was noticed sent nothing.
      if (reached !== undefined) return ended(reached, Math.max(0, reported.steps - 1));
      if (structured === undefined) return reported;
      const answer = structured.answer();
      if (reported.outcome === 'done' && answer !== undefined) return { ...reported, structured: answer };
      if (reported.outcome === 'loop' && structured.failures() > 0)
        return ended('structured_output', reported.steps);
      if (reported.outcome !== 'done') return reported;
      return asked++ < MAX_ASKED ? { type: 'ask', text: ASK } : ended('structured_output', reported.steps);
    },
  };
}
