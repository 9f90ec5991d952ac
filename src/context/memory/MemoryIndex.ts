/** Full text search over the memories of one file. Loaded when the first search finds a file to search in. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { type Memory, readMemories } from './parseMemories.ts';
import { documentTerms, type QueryWord, queryWords } from './terms.ts';

/** A memory that holds at least one of the words. */
export interface Hit {
  readonly memory: Memory;
  /** Keys of the words that it holds. */
  readonly held: ReadonlySet<string>;
  /** BM25+ within its file; only ranks what is equally similar. */
  readonly score: number;
}

/** Stems from this length on are also found with one letter wrong. */
const FUZZY_FROM = 6;
/** Milliseconds of work between two breaths of the event loop. */
const SLICE_MS = 6;

export class MemoryIndex {
  readonly #memories: Memory[] = [];
  readonly #index = new MiniSearch<{ readonly id: number; readonly content: string }>({
    fields: ['content'],
    tokenize: documentTerms,
    processTerm: (term) => term,
  });

  /** Reads and indexes a file's text in small slices; undefined if the signal is aborted. */
  static async build(text: string, signal: AbortSignal): Promise<MemoryIndex | undefined> {
    const built = new MemoryIndex();
    const slices = new Slices();
    for (const memory of readMemories(text)) {
      await slices.rest();
      if (signal.aborted) return undefined;
      if (memory !== undefined) built.#add(memory);
    }
    return built;
  }

  /** How many memories it holds. */
  get size(): number {
    return this.#memories.length;
  }

  #add(memory: Memory): void {
    this.#index.add({ id: this.#memories.length, content: memory.content });
    this.#memories.push(memory);
  }

  /** Every memory that holds one of the words; none if the signal is aborted. */
  async search(words: readonly QueryWord[], signal: AbortSignal): Promise<readonly Hit[]> {
    const slices = new Slices();
    const hits = new Map<number, { readonly held: Set<string>; score: number }>();
    for (const { key, alternatives } of words) {
      await slices.rest();
      if (signal.aborted) return [];
      for (const { id, score } of this.#holding(alternatives)) {
        const hit = hits.get(id) ?? { held: new Set<string>(), score: 0 };
        hit.held.add(key);
        hit.score += score;
        hits.set(id, hit);
      }
    }
    return [...hits].flatMap(([id, hit]) => {
      const memory = this.#memories[id];
      return memory === undefined ? [] : [{ memory, ...hit }];
    });
  }

  #holding(alternatives: QueryWord['alternatives']): SearchResult[] {
    const queries = alternatives.map((terms) => ({
      combineWith: 'AND' as const,
      queries: [...new Set(terms)],
    }));
    return this.#index.search(
      { combineWith: 'OR', queries },
      { tokenize: (term) => [term], fuzzy: (term) => (term.length >= FUZZY_FROM ? 1 : false) },
    );
  }
}

/** Lets others have the event loop after each few milliseconds of work. */
class Slices {
  #end = performance.now() + SLICE_MS;

  async rest(): Promise<void> {
    if (performance.now() < this.#end) return;
    await new Promise(setImmediate);
    this.#end = performance.now() + SLICE_MS;
  }
}

// How much of a prompt a memory is about, as a number from 0 to 1. Pure; docs/memory.md explains it to users.

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
