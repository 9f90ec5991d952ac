import { type Coefficients, estimateTokens, S1 } from './estimate.ts';
import { headOf } from './wellFormed.ts';

/**
 * The longest beginning of a text that, with the suffix, stays within `maxTokens`; the text itself when it
 * fits. Ends at a sentence where one ends in the second half; never splits a surrogate pair. Empty when not
 * even the suffix fits.
 */
export function truncateToTokens(
  text: string,
  maxTokens: number,
  suffix = '...',
  set: Coefficients = S1,
): string {
  const most = Math.ceil(maxTokens * MAX_CHARACTERS_PER_TOKEN);
  if (text.length <= most && estimateTokens(text, set) <= maxTokens) return text;
  const fits = (length: number): boolean => estimateTokens(headOf(text, length) + suffix, set) <= maxTokens;
  if (!fits(0)) return '';
  let low = 0;
  let high = Math.min(text.length, most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  // An estimate is not quite monotonic where a longer run changes its class: shrink until it holds.
  while (low > 0 && !fits(low)) low = Math.floor(low * 0.9);
  const head = headOf(text, low);
  const sentence = lastSentenceEnd(head);
  const cut = sentence > head.length / 2 ? head.slice(0, sentence) + suffix : head + suffix;
  return estimateTokens(cut, set) <= maxTokens ? cut : head + suffix;
}

/** No class of any coefficient set has more. */
const MAX_CHARACTERS_PER_TOKEN = 40;

/** Index just behind the last end of a sentence; a dot counts only before white space, so paths have none. */
function lastSentenceEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[。！？]|[.!?](?=\s)|\n/g)) end = match.index + match[0].length;
  return end;
}
