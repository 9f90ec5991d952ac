/**
 * What a model's server counts against what we count: one factor per class of characters, learnt by recursive
 * least squares from the usage of whole requests. The first report moves all factors together; what sets them
 * apart is learnt from requests of another mixture. Reports that cannot be about the same request are ignored.
 */
import { CLASSES, FIXED, sumOf } from './weigh.ts';

/** Plain data, for JSON. */
export interface CalibrationState {
  readonly factors: readonly number[];
  readonly covariance: readonly (readonly number[])[];
  readonly lastShares?: readonly number[] | undefined;
  readonly isLearnt: boolean;
  readonly error: number;
}

export class Calibration {
  #factors: number[];
  readonly #covariance: number[][];
  #lastShares: readonly number[] | undefined;
  #isLearnt: boolean;
  #error: number;

  constructor(state?: CalibrationState) {
    this.#factors = state === undefined ? CLASSES.map(() => 1) : [...state.factors];
    this.#covariance = state === undefined ? priorCovariance() : state.covariance.map((row) => [...row]);
    this.#lastShares = state?.lastShares;
    this.#isLearnt = state?.isLearnt ?? false;
    this.#error = state?.error ?? UNKNOWN_ERROR;
  }

  state(): CalibrationState {
    return {
      factors: [...this.#factors],
      covariance: this.#covariance.map((row) => [...row]),
      lastShares: this.#lastShares,
      isLearnt: this.#isLearnt,
      error: this.#error,
    };
  }

  /** Reported over counted tokens for a request of this mixture; without one, for that of the last report. */
  ratio(features?: ArrayLike<number>): number {
    const shares = sharesOf(features) ?? this.#lastShares ?? EVEN;
    return shares.reduce((sum, share, at) => sum + share * this.#factorOf(at), 0);
  }

  /** What was counted exactly is never less: an image that costs less than we think must not shrink a text. */
  #factorOf(at: number): number {
    const factor = bounded(this.#factors[at] ?? 1);
    return at === FIXED ? Math.max(1, factor) : factor;
  }

  /** By how much the newest predictions were off, as a share; 0.25 before the first report. */
  error(): number {
    return this.#error;
  }

  /** `features`: tokens per class as they were counted; without them all factors move alike. */
  observe(countedTokens: number, reportedTokens: number, features?: ArrayLike<number>): void {
    const sample = reportedTokens / countedTokens;
    if (!(sample > IMPLAUSIBLE_LOW && sample < IMPLAUSIBLE_HIGH)) return;
    const before = this.ratio(features);
    const missed = Math.abs(before - sample) / sample;
    this.#error = this.#isLearnt ? Math.max(missed, 0.7 * this.#error) : Math.min(missed, UNKNOWN_ERROR);
    const shares = sharesOf(features);
    if (shares === undefined) this.#scale(sample, before);
    else this.#learn(sample, shares);
    this.#lastShares = shares ?? this.#lastShares;
    this.#isLearnt = true;
  }

  #scale(sample: number, before: number): void {
    const wanted = this.#isLearnt ? (before + bounded(sample)) / 2 : bounded(sample);
    this.#factors = this.#factors.map((factor) => bounded((factor * wanted) / before));
  }

  /** One step of a Kalman filter whose state, the factors, drifts slowly. */
  #learn(sample: number, shares: readonly number[]): void {
    for (const [at, row] of this.#covariance.entries()) row[at] = (row[at] ?? 0) + DRIFT ** 2;
    const spread = this.#covariance.map((row) => dot(row, shares));
    const predicted = dot(this.#factors, shares);
    const miss = sample - predicted;
    const expected = dot(spread, shares) + NOISE ** 2;
    // A report far beyond what was thought possible counts little; many of them are a new truth.
    const surprise = Math.max(0, miss ** 2 - 9 * expected);
    const variance = expected + surprise;
    this.#factors = this.#factors.map((factor, at) =>
      bounded(factor + ((spread[at] ?? 0) * miss) / variance),
    );
    for (const [at, row] of this.#covariance.entries()) {
      for (let other = 0; other < row.length; other++) {
        row[other] = (row[other] ?? 0) - ((spread[at] ?? 0) * (spread[other] ?? 0)) / variance;
      }
    }
  }
}

/** Factors beyond these are not believed; cl100k_base, and what is poorer, lie within on every script. */
const MIN_FACTOR = 0.4;
const MAX_FACTOR = 4;
/** Beyond these a server counts something else: only what its cache missed, or a figure made up. */
const IMPLAUSIBLE_LOW = 0.3;
const IMPLAUSIBLE_HIGH = 6;
/** Standard deviations before anything is known: of all factors together, and of each. */
const COMMON = 0.6;
const OWN = 0.5;
/** What was counted exactly is off by framing at most. */
const OWN_FIXED = 0.08;
/** Of one report: how much two texts of one class differ. */
const NOISE = 0.01;
/** Of each factor, from one report to the next. */
const DRIFT = 0.01;
const UNKNOWN_ERROR = 0.25;
const EVEN: readonly number[] = CLASSES.map(() => 1 / CLASSES.length);

function priorCovariance(): number[][] {
  return CLASSES.map((_, at) =>
    CLASSES.map((_, other) => {
      if (at === FIXED || other === FIXED) return at === other ? OWN_FIXED ** 2 : 0;
      return COMMON ** 2 + (at === other ? OWN ** 2 : 0);
    }),
  );
}

function sharesOf(features: ArrayLike<number> | undefined): readonly number[] | undefined {
  if (features === undefined || features.length !== CLASSES.length) return undefined;
  const sum = sumOf(features);
  if (!(sum > 0 && Number.isFinite(sum))) return undefined;
  return Array.from(features, (tokens) => tokens / sum);
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

function bounded(factor: number): number {
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor));
}

// One calibration for each model; see calibration.ts.

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
