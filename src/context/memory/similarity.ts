/** How much of a prompt a memory is about, as a number from 0 to 1. Pure; docs/memory.md explains it to users. */
import { type QueryWord, queryWords } from './terms.ts';

/** A prompt as it is looked up: all its telling words, and those of each sentence that has enough of them. */
export interface Query {
  readonly words: readonly QueryWord[];
  /** Sets of keys; a memory is as similar as to the passage that it fits best. */
  readonly passages: readonly ReadonlySet<string>[];
}

/** UTF-16 units of a prompt that are looked at. */
const MAX_CHARACTERS = 8000;
/** Telling words of a prompt; more is a paste. */
const MAX_WORDS = 64;
/** Sentences that are looked at by themselves. */
const MAX_SENTENCES = 20;
/** With fewer telling words a sentence inside a longer prompt says too little to go by. */
const MIN_SENTENCE_WORDS = 4;

/** What to look up for a prompt; code in fences is left out. */
export function parseQuery(prompt: string): Query {
  const text = prompt
    .slice(0, MAX_CHARACTERS)
    .split(/^[ \t]*(?:```|~~~).*$/m)
    .filter((_, index) => index % 2 === 0)
    .join('\n');
  const words = queryWords(text, MAX_WORDS);
  const all = new Set(words.map(({ key }) => key));
  const sentences = text
    .split(/[。！？；\n]|[.!?;](?=\s|$)/, MAX_SENTENCES)
    .map((sentence) => queryWords(sentence, MAX_WORDS).map(({ key }) => key))
    .map((keys) => new Set(keys.filter((key) => all.has(key))))
    .filter((keys) => keys.size >= MIN_SENTENCE_WORDS && keys.size < all.size);
  return { words, passages: all.size === 0 ? [] : [all, ...sentences] };
}

/**
 * The weight of each word among `total` memories. A word that no memory holds counts 1: the prompt is also
 * about something else. One that `df` memories hold counts 1 + ln((total + 1) / (df + 1)) / ln(total + 1):
 * from 1, when all hold it, to nearly 2 for one of many. So a memory reaches 0.6 only when it holds more than
 * three sevenths of the words, however rare.
 */
export function wordWeights(
  words: readonly QueryWord[],
  held: Iterable<ReadonlySet<string>>,
  total: number,
): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const keys of held) for (const key of keys) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  return new Map(
    words.map(({ key }) => {
      const df = frequency.get(key) ?? 0;
      return [key, df === 0 ? 1 : 1 + Math.log((total + 1) / (df + 1)) / Math.log(total + 1)];
    }),
  );
}

/** The weight of the words held as a share of all words of a passage, for the passage where that is most. */
export function similarityOf(
  { passages }: Query,
  weights: ReadonlyMap<string, number>,
  held: ReadonlySet<string>,
): number {
  let best = 0;
  for (const passage of passages) {
    let all = 0;
    let shared = 0;
    for (const key of passage) {
      const weight = weights.get(key) ?? 1;
      all += weight;
      if (held.has(key)) shared += weight;
    }
    best = Math.max(best, all === 0 ? 0 : shared / all);
  }
  return best;
}
