import { type ClassTokens, FIXED, noTokens, sumOf } from './classes.ts';
import type { Coefficients } from './coefficients.ts';
import { estimateLarge } from './estimateLarge.ts';
import type { Countable } from './messageParts.ts';
import { weigh } from './weigh.ts';
import { yieldToOthers } from './yieldToOthers.ts';

/** What one message, tool or text was counted as. */
export interface Measured {
  readonly tokens: number;
  /** The same by class; what was counted exactly, and framing, is `fixed`. */
  readonly classes: ClassTokens;
  readonly exact: boolean;
  /** True where only samples of a large text were read. */
  readonly sampled: boolean;
}

export function measuredExactly(tokens: number): Measured {
  const classes = noTokens();
  classes[FIXED] = tokens;
  return { tokens, classes, exact: true, sampled: false };
}

/** An estimate at once, whatever the size; `known` gives the tokens of texts that were counted exactly. */
export function measuredNow(
  { texts, fixed }: Countable,
  set: Coefficients,
  known: (text: string) => number | undefined,
): Measured {
  const classes = noTokens();
  classes[FIXED] = fixed;
  let [isExact, isSampled] = [true, false];
  for (const text of texts) {
    const tokens = text === '' ? 0 : known(text);
    if (tokens !== undefined) {
      classes[FIXED] += tokens;
      continue;
    }
    isExact = false;
    const estimate = estimateLarge(text, set);
    if (estimate.error > 0) isSampled = true;
    for (let at = 0; at < classes.length; at++)
      classes[at] = (classes[at] ?? 0) + (estimate.classes[at] ?? 0);
  }
  return { tokens: tokensOf(classes), classes, exact: isExact, sampled: isSampled };
}

/** Reads every character, a slice at a time; undefined when aborted. */
export async function measuredInSlices(
  { texts, fixed }: Countable,
  set: Coefficients,
  signal?: AbortSignal,
): Promise<Measured | undefined> {
  const classes = noTokens();
  classes[FIXED] = fixed;
  for (const text of texts) {
    for (let start = 0; start < text.length; start += SLICE) {
      if (signal?.aborted === true) return undefined;
      weigh(text, set, classes, start, Math.min(text.length, start + SLICE));
      await yieldToOthers();
    }
  }
  return { tokens: tokensOf(classes), classes, exact: false, sampled: false };
}

/** Characters that are read without a pause: less than a millisecond. */
const SLICE = 65_536;

function tokensOf(classes: ClassTokens): number {
  return Math.ceil(sumOf(classes) - 1e-9);
}
