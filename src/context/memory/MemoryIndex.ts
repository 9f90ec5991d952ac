/** Full text search over the memories of one file. Loaded when the first search finds a file to search in. */
import MiniSearch from 'minisearch';
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

/** Words from this length on are also found with one letter wrong. */
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
    let sliceEnd = performance.now() + SLICE_MS;
    for (const memory of readMemories(text)) {
      if (performance.now() >= sliceEnd) {
        await new Promise(setImmediate);
        sliceEnd = performance.now() + SLICE_MS;
      }
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

  search(words: readonly QueryWord[]): Hit[] {
    const queries = words.flatMap(({ alternatives }) =>
      alternatives.map((terms) => ({ combineWith: 'AND' as const, queries: [...new Set(terms)] })),
    );
    const results = this.#index.search(
      { combineWith: 'OR', queries },
      {
        tokenize: (term) => [term],
        fuzzy: (term) => (term.length >= FUZZY_FROM ? 1 : false),
      },
    );
    return results.flatMap(({ id, score, queryTerms }) => {
      const memory = this.#memories[id];
      const terms = new Set(queryTerms);
      const held = words
        .filter(({ alternatives }) => alternatives.some((all) => all.every((term) => terms.has(term))))
        .map(({ key }) => key);
      return memory === undefined || held.length === 0 ? [] : [{ memory, held: new Set(held), score }];
    });
  }
}
