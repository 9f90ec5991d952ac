import type { Worker } from 'node:worker_threads';
import type { TokenEncoder, VocabularyName } from '../TokenEncoder.ts';
import type { CountAnswer, CountRequest } from './worker.ts';

/**
 * Counts in a thread that `start` makes with the first question, and again after it has died. While nothing is
 * asked, the thread keeps nobody from leaving; what is asked when it dies or is closed rejects.
 */
export class WorkerEncoder implements TokenEncoder {
  readonly #start: () => Worker;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  count(vocabulary: VocabularyName, texts: readonly string[]): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, vocabulary, texts } satisfies CountRequest);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#fail(worker, new Error('the token counter was closed'));
    await worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#start();
    this.#worker = worker;
    worker.unref();
    worker.on('message', (answer: CountAnswer) => this.#take(answer));
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the token counter has stopped')));
    return worker;
  }

  #take(answer: CountAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('counts' in answer) waiting?.resolve(answer.counts);
    else waiting?.reject(new Error(answer.error));
  }

  #fail(worker: Worker | undefined, error: unknown): void {
    // The end of a thread that was replaced is no news.
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

interface Waiting {
  readonly resolve: (counts: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
}
