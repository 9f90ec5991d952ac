import type { ContextSettings } from '../../protocol/contextSettings.ts';

/** S2's division of a budget, in tokens. The shares are caps: what a part does not use goes to the messages. */
export interface ContextBudget {
  readonly systemPrompt: number;
  readonly summary: number;
  readonly retrieved: number;
  readonly recentMessages: number;
  readonly currentInput: number;
}

/** Divides `total` tokens by the shares of the settings (S2: 20, 10, 10, 55 and 5 percent). */
export function allocateBudget(total: number, shares: ContextSettings['budget']): ContextBudget {
  const part = (share: number): number => Math.floor(total * share + 1e-9);
  return {
    systemPrompt: part(shares.systemPrompt),
    summary: part(shares.summary),
    retrieved: part(shares.retrieved),
    recentMessages: part(shares.messages),
    currentInput: part(shares.currentInput),
  };
}
