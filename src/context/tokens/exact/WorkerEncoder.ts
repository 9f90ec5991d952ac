import type { Worker } from 'node:worker_threads';
import { type AskedThread, askThread } from '../../askThread.ts';
import type { TokenEncoder, VocabularyName } from './vocabulary.ts';
import type { CountRequest } from './worker.ts';

/**
 * Counts tokens in a worker thread, which `start` creates on first use; pending requests reject if it dies or is
 * closed.
 */
export class WorkerEncoder implements TokenEncoder {
  readonly #thread: AskedThread<CountRequest>;

  constructor(start: () => Worker) {
    this.#thread = askThread(start, 'the token counter');
  }

  count(vocabulary: VocabularyName, texts: readonly string[]): Promise<readonly number[]> {
    return this.#thread.ask({ vocabulary, texts }) as Promise<readonly number[]>;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
