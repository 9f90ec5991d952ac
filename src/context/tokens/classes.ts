/**
 * Kinds of characters whose tokens a tokenizer may count differently from ours; each has a factor of its own,
 * learnt from reported usage. `fixed` is what was counted exactly, and framing.
 */
export const CLASSES = ['fixed', 'word', 'mark', 'han', 'kana', 'alphabet', 'astral', 'dense'] as const;
export type TokenClass = (typeof CLASSES)[number];

/** Tokens per class, in the order of `CLASSES`, before calibration. */
export type ClassTokens = Float64Array;

export const FIXED = 0;
export const WORD = 1;
/** Digits, punctuation, white space. */
export const MARK = 2;
export const HAN = 3;
/** Kana and hangul. */
export const KANA = 4;
/** Every other script. */
export const ALPHABET = 5;
/** Emoji and whatever else lies beyond the basic plane. */
export const ASTRAL = 6;
/** Unbroken runs that mix letters and digits. */
export const DENSE = 7;

export function noTokens(): ClassTokens {
  return new Float64Array(CLASSES.length);
}

export function sumOf(tokens: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < tokens.length; index++) sum += tokens[index] ?? 0;
  return sum;
}

export function addTo(sum: ClassTokens, tokens: ClassTokens): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (tokens[index] ?? 0);
}
