/** The candidate that was probably meant: with few enough typos for the length of the word; otherwise undefined. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: string | undefined;
  let bestSlips = Math.max(1, Math.floor(typed.length / 4)) + 1;
  for (const candidate of candidates) {
    // Each extra or missing character is a typo. So a key of a megabyte is not compared at all.
    const name = candidate.toLowerCase();
    if (Math.abs(name.length - typed.length) >= bestSlips) continue;
    const slips = distance(typed, name);
    if (slips < bestSlips) [best, bestSlips] = [candidate, slips];
  }
  return best;
}

/** Edits between two words; swapping neighboring characters counts as one (optimal string alignment). */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
