/**
 * Formats whole numbers like `toLocaleString('en-US')`: 12345.6 → "12,346". That function loads the tables of all
 * languages on its first call, which takes 12 ms: longer than two whole steps.
 */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/**
 * Formats a number in the largest unit in which it is at least one, e.g. 12,345 as "12.3k"; each unit is 1000 times the
 * previous.
 */
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
 * Returns the largest of the numbers, and at least `least`. Unlike `Math.max(...)`, it handles any amount of untrusted
 * input: spreading some 100,000 numbers overflows the stack.
 */
export function largest(numbers: Iterable<number>, least: number): number {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

/** `1 line`, `2 lines`; thousands separated. */
export function count(
  number: number,
  noun: string,
  plural = noun.endsWith('ch') ? `${noun}es` : `${noun}s`,
): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}
