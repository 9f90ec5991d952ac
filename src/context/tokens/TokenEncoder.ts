/** Vocabularies that are public, so that their tokens can be counted exactly. */
export const vocabularies = ['o200k_base', 'cl100k_base'] as const;
export type VocabularyName = (typeof vocabularies)[number];

/**
 * Port to an exact tokenizer in another thread than the one that draws the screen. May reject (no memory, no
 * thread): the counter then goes on with estimates.
 */
export interface TokenEncoder {
  /** Tokens of each text, in order; the texts of special tokens count as text. */
  count(vocabulary: VocabularyName, texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void> | void;
}
