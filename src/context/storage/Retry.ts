/** Tries something again while it keeps failing, at growing intervals; never keeps the program alive. */
export class Retry {
  readonly #attempt: () => Promise<unknown>;
  readonly #firstMs: number;
  readonly #longestMs: number;
  #timer: NodeJS.Timeout | undefined;
  #nextMs: number;

  /** `attempt` calls `schedule` when it failed and `stop` when it did not. */
  constructor(attempt: () => Promise<unknown>, firstMs = 1000, longestMs = 30_000) {
    this.#attempt = attempt;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  /** Sees to it that another attempt is made; one that is due already stays as it is. */
  schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#attempt().catch(() => undefined);
    }, this.#nextMs);
    this.#timer.unref();
    this.#nextMs = Math.min(2 * this.#nextMs, this.#longestMs);
  }

  /** Nothing is due any more; the next failure begins with the shortest interval. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextMs = this.#firstMs;
  }
}
