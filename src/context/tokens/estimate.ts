/** Token estimates without a tokenizer: each kind of character has its own number of characters per token. */
import { noTokens, sumOf } from './classes.ts';
import { type Coefficients, S1 } from './coefficients.ts';
import { weigh } from './weigh.ts';

export { type Coefficients, HIGH, S1, S5 } from './coefficients.ts';

/** Estimated tokens of a text, rounded up; 0 for the empty one. */
export function estimateTokens(text: string, set: Coefficients = S1): number {
  if (text === '') return 0;
  const tokens = noTokens();
  weigh(text, set, tokens);
  return Math.ceil(sumOf(tokens) - 1e-9);
}

/** Share of Chinese characters, 0 to 1. */
export function getChineseRatio(text: string): number {
  let han = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf)) han++;
  }
  return text.length === 0 ? 0 : han / text.length;
}
