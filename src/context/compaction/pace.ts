/** How fast a request grows and how long a summary takes: when a draft has to be begun to be ready at the trigger. */

/** Steps that are looked back at. */
const STEPS = 8;
/** What a summary is taken to last before one was seen, in milliseconds. */
const FIRST_SUMMARY_MS = 20_000;
/** A summary is never expected to take more steps than this: between fast steps nobody knows. */
const MAX_STEPS = 6;

export class Pace {
  readonly #growth: number[] = [];
  readonly #stepMs: number[] = [];
  #last: { readonly tokens: number; readonly at: number } | undefined;
  #summaryMs = FIRST_SUMMARY_MS;

  /** After each step: tokens of the request as it is, and the time. */
  noteStep(tokens: number, at: number): void {
    const last = this.#last;
    this.#last = { tokens, at };
    // After a reduction the request begins anew.
    if (last === undefined || tokens < last.tokens) return;
    keep(this.#growth, tokens - last.tokens);
    keep(this.#stepMs, Math.max(0, at - last.at));
  }

  noteSummary(durationMs: number): void {
    this.#summaryMs = durationMs;
  }

  /**
   * Tokens that the request will grow by while a summary is written, by the last steps: their mean for each step that
   * a summary takes, and once their largest. Undefined before the first step.
   */
  leadTokens(): number | undefined {
    if (this.#growth.length === 0) return undefined;
    const stepMs = Math.max(1, median(this.#stepMs));
    const steps = Math.min(MAX_STEPS, Math.ceil(this.#summaryMs / stepMs));
    return steps * mean(this.#growth) + Math.max(...this.#growth);
  }
}

function keep(list: number[], value: number): void {
  list.push(value);
  if (list.length > STEPS) list.shift();
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
