/** Public vocabularies, whose tokens can be counted exactly. */
export const vocabularies = ['o200k_base', 'cl100k_base'] as const;
export type VocabularyName = (typeof vocabularies)[number];

/**
 * Port to an exact tokenizer outside the main thread. May reject (no memory, no thread): the counter then uses
 * estimates.
 */
export interface TokenEncoder {
  /** Tokens of each text, in order; special tokens are counted as plain text. */
  count(vocabulary: VocabularyName, texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void> | void;
}
