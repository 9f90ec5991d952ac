/**
 * 12345.6 → "12,346", as `toLocaleString('en-US')` writes whole numbers. That loads the tables of
 * all languages at its first call, which takes 12 ms: more than two whole steps.
 */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A number in the largest unit that keeps it at one or more, e.g. 12,345 as "12.3k"; units rise by a thousand. */
export function scaled(value: number, units: readonly string[]): string {
  let rest = Math.max(0, value);
  let unit = 0;
  while (unit < units.length - 1 && Math.round(rest * 10) / 10 >= 1000) {
    rest /= 1000;
    unit += 1;
  }
  const digits = unit === 0 ? Math.round(rest).toString() : rest.toFixed(rest < 99.95 ? 1 : 0);
  return digits.replace(/\.0$/, '') + (units[unit] ?? '');
}

/** `840`, `12.3k`, `1.2M`. */
export function shortTokens(tokens: number): string {
  return scaled(tokens, ['', 'k', 'M', 'G']);
}

/**
 * The largest of these numbers, and at least `least`. For as many as a stranger likes to send: given to `Math.max` one by
 * one, some 100,000 of them overflow the stack.
 */
export function largest(numbers: Iterable<number>, least: number): number {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
