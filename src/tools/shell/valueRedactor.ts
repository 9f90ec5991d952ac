/** Takes known secrets out of text that comes in pieces, wherever they are broken between two of them. Pure. */
import { printedForms } from './printedForms.ts';

/** A secret value, and what stands in its place. */
export interface KnownSecret {
  readonly value: string;
  readonly mark: string;
}

export interface ValueRedactor {
  /** What can be said of the text so far; an end that could be the beginning of a secret is kept back. */
  push(text: string): string;
  /** What was kept back: nothing more comes. */
  flush(): string;
}

export function createValueRedactor(secrets: readonly KnownSecret[]): ValueRedactor {
  // The longer first: one may be a part of another.
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
