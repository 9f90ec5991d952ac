/** Entry of the thread that counts exactly; a vocabulary is read when it is first asked for. */
import { parentPort } from 'node:worker_threads';
import type { VocabularyName } from '../TokenEncoder.ts';
import { countExactly } from './countExactly.ts';
import { loadVocabulary } from './loadVocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface CountRequest {
  readonly id: number;
  readonly vocabulary: VocabularyName;
  readonly texts: readonly string[];
}

export type CountAnswer =
  | { readonly id: number; readonly counts: readonly number[] }
  | { readonly id: number; readonly error: string };

const loaded = new Map<VocabularyName, Promise<Vocabulary>>();

parentPort?.on('message', async ({ id, vocabulary: name, texts }: CountRequest) => {
  try {
    const loading = loaded.get(name) ?? loadVocabulary(name);
    loaded.set(name, loading);
    const vocabulary = await loading;
    answer({ id, counts: texts.map((text) => countExactly(vocabulary, text)) });
  } catch (error) {
    loaded.delete(name);
    answer({ id, error: error instanceof Error ? error.message : String(error) });
  }
});

function answer(message: CountAnswer): void {
  parentPort?.postMessage(message);
}
