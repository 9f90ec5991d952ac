/**
 * What a model's server counts against what we count: an average of the newest reports, bounded, and deaf
 * to reports that cannot be about the same request.
 */
export class Calibration {
  #ratio: number | undefined;

  ratio(): number {
    return this.#ratio ?? 1;
  }

  observe(countedTokens: number, reportedTokens: number): void {
    const sample = reportedTokens / countedTokens;
    if (!(sample > IMPLAUSIBLE_LOW && sample < IMPLAUSIBLE_HIGH)) return;
    const bounded = Math.min(MAX_RATIO, Math.max(MIN_RATIO, sample));
    this.#ratio = this.#ratio === undefined ? bounded : (this.#ratio + bounded) / 2;
  }
}

const MIN_RATIO = 0.6;
const MAX_RATIO = 3;
/** Beyond these a server counts something else: only what its cache missed, or a figure made up. */
const IMPLAUSIBLE_LOW = 0.3;
const IMPLAUSIBLE_HIGH = 6;
