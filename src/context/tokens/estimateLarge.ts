import { addTo, type ClassTokens, noTokens, sumOf } from './classes.ts';
import type { Coefficients } from './coefficients.ts';
import { weigh } from './weigh.ts';

export interface Estimate {
  /** Tokens by class. */
  readonly classes: ClassTokens;
  /** By how many tokens a sample may be below the estimate of the whole; 0 where all of it was read. */
  readonly error: number;
}

/** Characters up to which a text is read whole: less than a millisecond. */
export const WHOLE = 65_536;

/**
 * Estimates a text of any size in a moment: beyond 64 kB from 64 slices of 1,024 characters, one at a chosen
 * place in each 64th of the text. What is returned lies `error` above the mean, so that it is never below the
 * estimate of the whole by more than that; a stretch denser than all that was seen fits into the error too.
 */
export function estimateLarge(text: string, set: Coefficients): Estimate {
  const classes = noTokens();
  if (text.length <= WHOLE) {
    weigh(text, set, classes);
    return { classes, error: 0 };
  }
  const stride = text.length / SLICES;
  const densities: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const tokens = noTokens();
    const start = Math.floor(slice * stride + place(slice) * (stride - SLICE));
    weigh(text, set, tokens, start, start + SLICE);
    densities.push(sumOf(tokens) / SLICE);
    addTo(classes, tokens);
  }
  const mean = sumOf(classes);
  const deviation = Math.sqrt(
    densities.reduce((sum, one) => sum + (one - mean / (SLICES * SLICE)) ** 2, 0) / SLICES,
  );
  const unread = stride - SLICE;
  const error = (3 * deviation * text.length) / Math.sqrt(SLICES) + unread * Math.max(DENSEST, ...densities);
  const tokens = (mean * text.length) / (SLICES * SLICE);
  const scale = (tokens + error) / mean;
  for (let at = 0; at < classes.length; at++) classes[at] = (classes[at] ?? 0) * scale;
  return { classes, error };
}

const SLICES = 64;
const SLICE = 1024;
/** Tokens per character of the densest text that is no attack: punctuation, CJK. */
const DENSEST = 1;

/** Where in its share a slice lies, 0 to 1: not at equal distances, which a table of equal lines would meet. */
function place(slice: number): number {
  return (slice * 0.618_033_988_75) % 1;
}
