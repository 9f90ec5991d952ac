/** Removes known secrets from text that arrives in pieces, even if a secret is split between two of them. Pure. */
import { printedForms } from './printedForms.ts';

/** A secret value and its replacement. */
export interface KnownSecret {
  readonly value: string;
  readonly mark: string;
}

export interface ValueRedactor {
  /** Returns the text so far, redacted; holds back an end that could be the beginning of a secret. */
  push(text: string): string;
  /** Returns the held-back text; no more follows. */
  flush(): string;
}

export function createValueRedactor(secrets: readonly KnownSecret[]): ValueRedactor {
  // Longest first: one value may be part of another.
  const known = secrets
    .filter(({ value }) => value !== '')
    .flatMap(({ value, mark }) => printedForms(value).map((form) => ({ value: form, mark })))
    .sort((a, b) => b.value.length - a.value.length);
  const longest = known[0]?.value.length ?? 0;
  const beginnings = new Set(known.map(({ value }) => value[0]));
  let kept = '';
  return {
    push(text) {
      if (longest === 0) return text;
      const whole = known.reduce((all, { value, mark }) => all.replaceAll(value, mark), kept + text);
      const from = Math.max(0, whole.length - longest + 1);
      let cut = whole.length;
      for (let at = from; at < whole.length; at++) {
        if (beginnings.has(whole[at]) && known.some(({ value }) => value.startsWith(whole.slice(at)))) {
          cut = at;
          break;
        }
      }
      kept = whole.slice(cut);
      return whole.slice(0, cut);
    },
    flush() {
      const rest = kept;
      kept = '';
      return rest;
    },
  };
}
