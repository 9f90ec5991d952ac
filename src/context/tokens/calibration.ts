/**
 * Learns how a model's server counts compared with our estimates: one factor per character class, by recursive least
 * squares on the usage of whole requests. The first report moves all factors together; later requests with a different
 * mix of classes separate them. Reports that cannot belong to the same request are ignored.
 */
import { CLASSES, FIXED, sumOf } from './tokenClasses.ts';

/** Plain data for JSON. */
interface CalibrationState {
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

  /** Expected ratio of reported to counted tokens for this mix of classes, by default that of the last report. */
  ratio(features?: ArrayLike<number>): number {
    const shares = sharesOf(features) ?? this.#lastShares ?? EVEN;
    return shares.reduce((sum, share, at) => sum + share * this.#factorOf(at), 0);
  }

  /** The factor for exact counts is at least 1: images cheaper than assumed must not reduce the count of text. */
  #factorOf(at: number): number {
    const factor = bounded(this.#factors[at] ?? 1);
    return at === FIXED ? Math.max(1, factor) : factor;
  }

  /** Relative error of the latest predictions; 0.25 before the first report. */
  error(): number {
    return this.#error;
  }

  /** `features`: counted tokens per class; without them all factors are scaled together. */
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
    // A very unlikely report has little weight; repeated ones still move the factors.
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

/** Limits for the factors; cl100k_base and less efficient vocabularies are within them for every script. */
const MIN_FACTOR = 0.4;
const MAX_FACTOR = 4;
/** Outside these limits the server counts something else, such as only uncached tokens, or made up a figure. */
const IMPLAUSIBLE_LOW = 0.3;
const IMPLAUSIBLE_HIGH = 6;
/** Prior standard deviations: of all factors together, and of each one. */
const COMMON = 0.6;
const OWN = 0.5;
/** Exact counts can only be off by framing. */
const OWN_FIXED = 0.08;
/** Noise of one report: how much two texts with the same classes differ. */
const NOISE = 0.01;
/** Drift of each factor between two reports. */
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

// The calibrations of all models.

/** By model; plain data for JSON. */
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
   * Factor by which to multiply a count for this model; 1 until its server has reported usage. `features` describes the
   * mix of character classes of the request; without them the last reported request is used.
   */
  ratio(model: string, features?: readonly number[]): number {
    return this.#byModel.get(model)?.ratio(features) ?? 1;
  }

  /** Relative error of the latest predictions for this model; 0.25 before the first. */
  errorShare(model: string): number {
    return this.#byModel.get(model)?.error() ?? UNKNOWN_ERROR;
  }

  /** Learns from one reply: the uncalibrated count of the request and the count that the server reported. */
  observe(model: string, countedTokens: number, reportedTokens: number, features?: readonly number[]): void {
    let calibration = this.#byModel.get(model);
    if (calibration === undefined) {
      calibration = new Calibration();
      this.#byModel.set(model, calibration);
    }
    calibration.observe(countedTokens, reportedTokens, features);
  }
}
