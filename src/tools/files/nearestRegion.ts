/** Finds the part of a file that an edit most likely meant, for the error message when the text was not found. */

const MAX_LINES = 30;
const MAX_LINE_CHARACTERS = 200;
const MARGIN = 2;
/** Lines that occur more often do not help to locate the text. */
const MAX_OCCURRENCES = 50;
const MIN_LIKENESS = 0.45;

/** Numbered lines around the best guess; undefined if nothing is similar to the wanted text. Pure. */
export function nearestRegion(text: string, wanted: string): string | undefined {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const wantedLines = wanted.split('\n').map((line) => line.trim());
  const start = byEqualLines(lines, wantedLines) ?? byLikeLine(lines, wantedLines);
  if (start === undefined) return undefined;
  const first = Math.max(0, start - MARGIN);
  const last = Math.min(lines.length, start + wantedLines.length + MARGIN, first + MAX_LINES);
  return lines
    .slice(first, last)
    .map((line, index) => `${String(first + index + 1).padStart(6)}\t${line.slice(0, MAX_LINE_CHARACTERS)}`)
    .join('\n');
}

/** Each line that both texts contain votes for the start of the wanted text; rare lines weigh more. */
function byEqualLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const line of wanted) if (/\w/.test(line)) places.set(line, []);
  for (const [index, line] of lines.entries()) places.get(line.trim())?.push(index);
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.entries()) {
    const found = places.get(line) ?? [];
    if (found.length > MAX_OCCURRENCES) continue;
    for (const index of found) votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1 / found.length);
  }
  const best = [...votes].sort(([a, x], [b, y]) => y - x || a - b)[0];
  return best === undefined ? undefined : Math.max(0, best[0]);
}

/** If no line is equal: the line most similar to the longest wanted one, by shared pairs of characters. */
function byLikeLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line) => (line.length > best.length ? line : best), '').slice(0, 500);
  const pairs = characterPairs(longest);
  const offset = wanted.findIndex((line) => line.startsWith(longest));
  let best = { likeness: MIN_LIKENESS, index: -1 };
  for (const [index, line] of lines.entries()) {
    const likeness = dice(pairs, characterPairs(line.trim().slice(0, 500)));
    if (likeness > best.likeness) best = { likeness, index };
  }
  return best.index === -1 ? undefined : Math.max(0, best.index - offset);
}

function characterPairs(line: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < line.length; index += 1) pairs.add(line.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of two sets: 0 = nothing shared, 1 = equal. */
function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
