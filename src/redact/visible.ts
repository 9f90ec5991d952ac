/** Handles invisible characters: terminal colours and zero-width characters. */
import type { Secret } from './types.ts';

const unseen = /\u001b\[[0-9;]{0,20}[A-Za-z]|[\u200b-\u200d\u2060\ufeff\u00ad]/g;

/** Searches the visible text and returns positions in the original; nothing if no character is invisible. */
export function findInVisible(text: string, find: (seen: string) => Secret[]): Secret[] {
  if (!/[\u001b\u200b-\u200d\u2060\ufeff\u00ad]/.test(text)) return [];
  const parts: string[] = [];
  /** Start of each part, in the visible text and in the original. */
  const starts: { readonly seen: number; readonly at: number }[] = [];
  let [at, seen] = [0, 0];
  for (const match of [...text.matchAll(unseen), { index: text.length, 0: '' }]) {
    starts.push({ seen, at });
    parts.push(text.slice(at, match.index));
    seen += match.index - at;
    at = match.index + match[0].length;
  }
  const placeOf = placesIn(starts);
  return find(parts.join('')).map(({ start, end, kind }) => ({
    start: placeOf(start),
    end: placeOf(end - 1) + 1,
    kind,
  }));
}

function placesIn(starts: readonly { readonly seen: number; readonly at: number }[]) {
  return (seen: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle]?.seen ?? 0) <= seen) low = middle;
      else high = middle - 1;
    }
    const part = starts[low] ?? { seen: 0, at: 0 };
    return part.at + seen - part.seen;
  };
}
