/** Full-text search over the memories of one file. Loaded when a search finds the first file. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { type Memory, readMemories } from './parseMemories.ts';
import { documentTerms, type QueryWord, queryWords } from './terms.ts';

/** A memory that contains at least one of the words. */
export interface Hit {
  readonly memory: Memory;
  /** Keys of the words that it contains. */
  readonly held: ReadonlySet<string>;
  /** BM25+ score within its file; only orders memories of equal similarity. */
  readonly score: number;
}

/** Stems of at least this length also match with one letter wrong. */
const FUZZY_FROM = 6;
/** Milliseconds of work between two yields. */
const SLICE_MS = 6;

export class MemoryIndex {
  readonly #memories: Memory[] = [];
  readonly #index = new MiniSearch<{ readonly id: number; readonly content: string }>({
    fields: ['content'],
    tokenize: documentTerms,
    processTerm: (term) => term,
  });

  /** Indexes a file's text in small slices; undefined if the signal is aborted. */
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

  /** Number of memories. */
  get size(): number {
    return this.#memories.length;
  }

  #add(memory: Memory): void {
    this.#index.add({ id: this.#memories.length, content: memory.content });
    this.#memories.push(memory);
  }

  /** All memories that contain one of the words; empty if the signal is aborted. */
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

/** Yields to the event loop every few milliseconds. */
class Slices {
  #end = performance.now() + SLICE_MS;

  async rest(): Promise<void> {
    if (performance.now() < this.#end) return;
    await new Promise(setImmediate);
    this.#end = performance.now() + SLICE_MS;
  }
}

// Similarity of a memory to a prompt, from 0 to 1. Pure; docs/memory.md explains it to users.

/** A parsed prompt: all its significant words, and those of each sentence that has enough of them. */
interface Query {
  readonly words: readonly QueryWord[];
  /** Sets of word keys; a memory's similarity is that to the best matching set. */
  readonly passages: readonly ReadonlySet<string>[];
}

/** Maximum UTF-16 units of a prompt that are used. */
const MAX_CHARACTERS = 8000;
/** Maximum significant words of a prompt; more words mean that it is a paste. */
const MAX_WORDS = 64;
/** Maximum sentences that are also matched separately. */
const MAX_SENTENCES = 20;
/** A sentence with fewer significant words is too unspecific to match separately. */
const MIN_SENTENCE_WORDS = 4;

/** Parses a prompt for the search; fenced code is skipped. */
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
 * The weight of each word among `total` memories. A word in no memory has weight 1: the prompt is also about something
 * else. A word in `df` memories has weight 1 + ln((total + 1) / (df + 1)) / ln(total + 1): from 1 if all memories
 * contain it to nearly 2 if only one of many does. So a memory reaches 0.6 only if it contains more than three sevenths
 * of the words, however rare they are.
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

/** The weight of the matched words divided by that of all words of a passage, for the best passage. */
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
