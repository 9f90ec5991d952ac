/** One calibration for each model; see calibration.ts. */
import { Calibration, type CalibrationState, UNKNOWN_ERROR } from './calibration.ts';

/** By model; plain data, for JSON. */
export type CalibrationsState = readonly (readonly [string, CalibrationState])[];

export class Calibrations {
  readonly #byModel: Map<string, Calibration>;

  constructor(state: CalibrationsState = []) {
    this.#byModel = new Map(state.map(([model, one]) => [model, new Calibration(one)]));
  }

  state(): CalibrationsState {
    return [...this.#byModel].map(([model, one]) => [model, one.state()]);
  }

  /**
   * What a count has to be multiplied by for this model; 1 until its server has reported usage. With
   * `features`, for a request of that mixture; else for one like the last that was reported.
   */
  ratio(model: string, features?: readonly number[]): number {
    return this.#byModel.get(model)?.ratio(features) ?? 1;
  }

  /** By what share the newest predictions for this model were off; 0.25 before the first. */
  errorShare(model: string): number {
    return this.#byModel.get(model)?.error() ?? UNKNOWN_ERROR;
  }

  /** Learns from one reply: what the request was counted as (uncalibrated), and what the server counted. */
  observe(model: string, countedTokens: number, reportedTokens: number, features?: readonly number[]): void {
    let calibration = this.#byModel.get(model);
    if (calibration === undefined) {
      calibration = new Calibration();
      this.#byModel.set(model, calibration);
    }
    calibration.observe(countedTokens, reportedTokens, features);
  }
}
