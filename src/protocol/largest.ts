/**
 * The largest of these numbers, and at least `least`. For as many as a stranger likes to send: given to `Math.max` one by
 * one, some 100,000 of them overflow the stack.
 */
export function largest(numbers: Iterable<number>, least: number): number {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
