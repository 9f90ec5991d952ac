import type { Worker } from 'node:worker_threads';
import type { EngineAnswer, EnginePort, EngineRequest } from './enginePort.ts';

/** A request before it has an id. */
type Asked = EngineRequest extends infer Request
  ? Request extends EngineRequest
    ? Omit<Request, 'id'>
    : never
  : never;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onChange: () => void;
}

/**
 * The engine in a thread of its own, which begins with the first question. It keeps nobody from leaving: what is still
 * being indexed then is taken up the next time. What is asked when it dies or is closed rejects.
 */
export class EngineThread implements EnginePort {
  readonly #start: () => Worker;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  refresh(
    ...[options, onChange, signal]: Parameters<EnginePort['refresh']>
  ): ReturnType<EnginePort['refresh']> {
    return this.#ask({ type: 'refresh', options }, signal, onChange);
  }

  search(...[request, signal]: Parameters<EnginePort['search']>): ReturnType<EnginePort['search']> {
    return this.#ask({ type: 'search', request }, signal);
  }

  forget(...[project, session, signal]: Parameters<EnginePort['forget']>): ReturnType<EnginePort['forget']> {
    return this.#ask({ type: 'forget', project, session }, signal);
  }

  list(...[query]: Parameters<EnginePort['list']>): ReturnType<EnginePort['list']> {
    return this.#ask({ type: 'list', query });
  }

  find(...[prefix, projects]: Parameters<EnginePort['find']>): ReturnType<EnginePort['find']> {
    return this.#ask({ type: 'find', prefix, projects });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#fail(worker, new Error('the catalogue was closed'));
    await worker?.terminate();
  }

  #ask<T>(asked: Asked, signal?: AbortSignal, onChange: () => void = () => {}): Promise<T> {
    const id = ++this.#lastId;
    const worker = this.#running();
    const cancel = (): void => worker.postMessage({ id, type: 'cancel' } satisfies EngineRequest);
    const asking = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onChange });
      worker.ref();
      worker.postMessage({ ...asked, id } as EngineRequest);
      if (signal?.aborted === true) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
    // The other half answers each question with what its method answers.
    return asking.finally(() => signal?.removeEventListener('abort', cancel)) as Promise<T>;
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#start();
    this.#worker = worker;
    worker.on('message', (answer: EngineAnswer) => this.#take(answer));
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the catalogue has stopped')));
    return worker;
  }

  #take(answer: EngineAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (answer.type === 'changed') {
      waiting?.onChange();
      return;
    }
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (answer.type === 'done') waiting?.resolve(answer.result);
    else waiting?.reject(new Error(answer.message));
  }

  #fail(worker: Worker | undefined, error: unknown): void {
    // The end of a thread that was replaced is no news.
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error instanceof Error ? error : new Error(String(error)));
  }
}
