// Figures of several runs.

export function median(numbers) {
  return quantile(numbers, 0.5);
}

/** Between the two that stand beside the place. */
export function quantile(numbers, at) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const low = Math.floor(place);
  const [before, after] = [sorted[low], sorted[Math.min(low + 1, sorted.length - 1)]];
  return before + (after - before) * (place - low);
}

export const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Least squares: what comes from one to the next. */
export function slope(times) {
  const middle = (times.length - 1) / 2;
  const average = mean(times);
  const over = times.reduce((sum, time, index) => sum + (index - middle) * (time - average), 0);
  return over / times.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
