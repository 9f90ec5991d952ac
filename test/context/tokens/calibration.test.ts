import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Calibration } from '../../../src/context/tokens/calibration.ts';
import { CLASSES, sumOf } from '../../../src/context/tokens/tokenClasses.ts';

/** A server with a different factor for each class. */
const factors = [1, 0.9, 1.2, 1.8, 1.5, 2, 0.8, 0.7];
const reported = (features: readonly number[]): number =>
  features.reduce((sum, tokens, at) => sum + tokens * (factors[at] ?? 1), 0);

const grow = (sum: readonly number[], by: readonly number[]): number[] =>
  sum.map((tokens, at) => tokens + (by[at] ?? 0));

const learn = (calibration: Calibration, requests: readonly (readonly number[])[]): void => {
  for (const features of requests) calibration.observe(sumOf(features), reported(features), features);
};

test('after three reports a request of the same mixture is predicted within a percent', () => {
  const block = [300, 4000, 5000, 900, 0, 200, 50, 600];
  const requests = [1, 2, 3].map((times) => block.map((tokens) => tokens * times));
  const calibration = new Calibration();
  learn(calibration, requests);
  const next = block.map((tokens) => tokens * 5);
  expect(sumOf(next) * calibration.ratio(next)).toBeCloseTo(
    reported(next),
    -Math.log10(reported(next) * 0.02),
  );
});

test('each script’s ratio is learned separately', () => {
  const english = [100, 6000, 3000, 0, 0, 0, 0, 0];
  const chinese = [0, 300, 500, 8000, 0, 0, 0, 0];
  const first = english;
  const second = grow(first, chinese);
  const third = grow(second, english);
  const calibration = new Calibration();
  learn(calibration, [first, second, third, grow(third, chinese)]);
  for (const features of [english, chinese]) {
    const truth = reported(features) / sumOf(features);
    expect(Math.abs(calibration.ratio(features) / truth - 1)).toBeLessThan(0.03);
  }
  expect(calibration.error()).toBeLessThan(0.25);
});

test('a ratio stays within its bounds, whatever is reported', () => {
  const tokens = fc.array(fc.nat(100_000), { minLength: CLASSES.length, maxLength: CLASSES.length });
  const report = fc.record({
    counted: fc.oneof(fc.nat(1_000_000), fc.constantFrom(Number.NaN, -1, Number.POSITIVE_INFINITY)),
    reported: fc.oneof(fc.nat(10_000_000), fc.constantFrom(Number.NaN, -1)),
    features: fc.oneof(tokens, fc.constant(undefined), fc.constant([1, 2, 3])),
  });
  fc.assert(
    fc.property(fc.array(report, { maxLength: 40 }), tokens, (reports, mixture) => {
      const calibration = new Calibration();
      for (const one of reports) calibration.observe(one.counted, one.reported, one.features);
      for (const ratio of [calibration.ratio(), calibration.ratio(mixture)]) {
        expect(ratio).toBeGreaterThanOrEqual(0.4 - 1e-9);
        expect(ratio).toBeLessThanOrEqual(4 + 1e-9);
      }
      expect(calibration.error()).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a server that once reports only uncached tokens does not undo what was learned', () => {
  const block = [100, 5000, 4000, 0, 0, 0, 0, 400];
  const calibration = new Calibration();
  for (let times = 1; times <= 6; times++) learn(calibration, [block.map((tokens) => tokens * times)]);
  const before = calibration.ratio(block);
  calibration.observe(100_000, 45_000, block);
  expect(Math.abs(calibration.ratio(block) / before - 1)).toBeLessThan(0.05);
});

test('a report without a mixture adjusts everything', () => {
  const block = [100, 5000, 4000, 0, 0, 0, 0, 400];
  const calibration = new Calibration();
  learn(calibration, [block, block]);
  const before = calibration.ratio(block);
  calibration.observe(1000, before * 1000 * 1.4);
  expect(calibration.ratio(block)).toBeGreaterThan(before * 1.15);
});

test('the same reports in the same order lead to the same ratio', () => {
  const block = [10, 500, 400, 30, 0, 0, 0, 40];
  const [first, second] = [new Calibration(), new Calibration()];
  for (const calibration of [first, second])
    learn(calibration, [block, grow(block, [0, 9, 9, 400, 0, 0, 0, 0])]);
  expect(second.ratio(block)).toBe(first.ratio(block));
});

test('an exact count is never reduced by reports of a server that charges little for images', () => {
  const exact = [1000, 0, 0, 0, 0, 0, 0, 0];
  const calibration = new Calibration();
  for (let report = 0; report < 5; report++) calibration.observe(1000, 700, exact);
  expect(calibration.ratio(exact)).toBe(1);
  const more = new Calibration();
  for (let report = 0; report < 5; report++) more.observe(1000, 1200, exact);
  expect(more.ratio(exact)).toBeGreaterThan(1.1);
});
