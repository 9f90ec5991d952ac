import { type Coefficients, estimateTokens, S1 } from './estimate.ts';

/**
 * The longest beginning of a text that, with the suffix, fits `maxTokens`; the text itself if it fits. Ends at a
 * sentence if one ends in the second half; never splits a surrogate pair. Empty if not even the suffix fits.
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
  // The estimate is not monotonic where a longer run changes its class: shrink until it fits.
  while (low > 0 && !fits(low)) low = Math.floor(low * 0.9);
  const head = headOf(text, low);
  const sentence = lastSentenceEnd(head);
  const cut = sentence > head.length / 2 ? head.slice(0, sentence) + suffix : head + suffix;
  return estimateTokens(cut, set) <= maxTokens ? cut : head + suffix;
}

/** Higher than the characters per token of every class and set. */
const MAX_CHARACTERS_PER_TOKEN = 40;

/** Index after the last sentence end; a dot counts only before white space, so paths do not match. */
function lastSentenceEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[。！？]|[.!?](?=\s)|\n/g)) end = match.index + match[0].length;
  return end;
}

/** Replaces lone surrogates, which are invalid in UTF-8 and rejected by servers, with U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The first `length` UTF-16 units, or one less if that would split a pair. */
export function headOf(text: string, length: number): string {
  const end = isHighSurrogate(text, length - 1) && length < text.length ? length - 1 : length;
  return text.slice(0, Math.max(0, end));
}

/** The last `length` UTF-16 units, or one less if that would split a pair. */
export function tailOf(text: string, length: number): string {
  if (length <= 0) return '';
  const start = Math.max(0, text.length - length);
  return text.slice(start > 0 && isHighSurrogate(text, start - 1) ? start + 1 : start);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
