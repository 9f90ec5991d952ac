/** Entry point of the thread that counts tokens exactly; loads a vocabulary when it is first needed. */
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from '../../threadClient.ts';
import { countExactly } from './countExactly.ts';
import { loadVocabulary, type Vocabulary, type VocabularyName } from './vocabulary.ts';

export interface CountRequest {
  readonly id: number;
  readonly vocabulary: VocabularyName;
  readonly texts: readonly string[];
}

const loaded = new Map<VocabularyName, Promise<Vocabulary>>();

parentPort?.on('message', async ({ id, vocabulary: name, texts }: CountRequest) => {
  try {
    const loading = loaded.get(name) ?? loadVocabulary(name);
    loaded.set(name, loading);
    const vocabulary = await loading;
    answer({ id, type: 'done', result: texts.map((text) => countExactly(vocabulary, text)) });
  } catch (error) {
    loaded.delete(name);
    answer({ id, type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});

function answer(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}
