import type { Worker } from 'node:worker_threads';
import { type AskedThread, askThread, type Unasked } from '../../askThread.ts';
import type { EnginePort, EngineRequest } from './enginePort.ts';

/**
 * The engine in a thread of its own, which begins with the first question. It keeps nobody from leaving: what is still
 * being indexed then is taken up the next time. What is asked when it dies or is closed rejects.
 */
export class EngineThread implements EnginePort {
  readonly #thread: AskedThread<EngineRequest>;

  constructor(start: () => Worker) {
    this.#thread = askThread(start, 'the catalogue');
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

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** The other half answers each question with what its method answers. */
  #ask<T>(
    question: Unasked<EngineRequest>,
    signal?: AbortSignal,
    onChange: () => void = () => {},
  ): Promise<T> {
    return this.#thread.ask(question, { signal, onChange, cancel: { type: 'cancel' } }) as Promise<T>;
  }
}
