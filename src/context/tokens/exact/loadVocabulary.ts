import type { VocabularyName } from '../TokenEncoder.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** Reads a public vocabulary: some 100 ms and 10 MB, so only off the main thread. */
export async function loadVocabulary(name: VocabularyName): Promise<Vocabulary> {
  const { default: file } =
    name === 'o200k_base'
      ? await import('js-tiktoken/ranks/o200k_base')
      : await import('js-tiktoken/ranks/cl100k_base');
  return readVocabulary(file);
}
