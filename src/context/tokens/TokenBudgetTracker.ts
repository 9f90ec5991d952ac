/** A budget of tokens and what has been granted of it, by category. */
export class TokenBudgetTracker {
  readonly #total: number;
  readonly #granted = new Map<string, number>();
  #used = 0;

  constructor(totalTokens: number) {
    if (!isAmount(totalTokens)) throw new RangeError(`A budget of ${totalTokens} tokens makes no sense.`);
    this.#total = totalTokens;
  }

  /** Grants all of `tokens` or nothing; false for more than is left, and for what is no amount. */
  allocate(category: string, tokens: number): boolean {
    if (!isAmount(tokens) || this.#used + tokens > this.#total) return false;
    this.#used += tokens;
    this.#granted.set(category, (this.#granted.get(category) ?? 0) + tokens);
    return true;
  }

  /** Gives back what a category was granted. */
  release(category: string): void {
    this.#used -= this.#granted.get(category) ?? 0;
    this.#granted.delete(category);
  }

  getRemaining(): number {
    return this.#total - this.#used;
  }

  /** Granted tokens by category, in the order of the first grant. */
  getBreakdown(): Record<string, number> {
    return Object.fromEntries(this.#granted);
  }
}

function isAmount(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens >= 0;
}
