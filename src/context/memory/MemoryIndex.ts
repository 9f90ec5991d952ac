/** Full text search over the memories of one file. Loaded when the first search finds a file to search in. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { type Memory, readMemories } from './parseMemories.ts';
import { documentTerms, type QueryWord } from './terms.ts';

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

  /** Reads and indexes a file's text in small slices; undefined when the signal is aborted meanwhile. */
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

  /** Every memory that holds one of the words; none when the signal is aborted meanwhile. */
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
