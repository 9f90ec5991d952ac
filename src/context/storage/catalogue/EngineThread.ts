import type { Worker } from 'node:worker_threads';
import type { SessionQuery } from '../../../protocol/sessions.ts';
import { type AskedThread, askThread, type Unasked } from '../../askThread.ts';
import type { RefreshOptions, RefreshReport, SearchRequest } from './Engine.ts';
import type { SessionRow } from './rows.ts';
import type { FoundRow } from './searchIndex.ts';

/**
 * The engine in a thread of its own, which begins with the first question. It does not keep the program from exiting: what is still
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

// What the catalogue asks of its other half, wherever that runs, and how it is said between threads.

export interface EnginePort {
  refresh(options: RefreshOptions, onChange: () => void, signal: AbortSignal): Promise<RefreshReport>;
  search(request: SearchRequest, signal: AbortSignal): Promise<readonly FoundRow[]>;
  forget(project: string, id: string, signal: AbortSignal): Promise<void>;
  list(query: SessionQuery): Promise<readonly SessionRow[]>;
  find(prefix: string, projects: readonly string[] | undefined): Promise<readonly SessionRow[]>;
  close(): void | Promise<void>;
}

export type EngineRequest = { readonly id: number } & (
  | { readonly type: 'refresh'; readonly options: RefreshOptions }
  | { readonly type: 'search'; readonly request: SearchRequest }
  | { readonly type: 'forget'; readonly project: string; readonly session: string }
  | { readonly type: 'list'; readonly query: SessionQuery }
  | { readonly type: 'find'; readonly prefix: string; readonly projects: readonly string[] | undefined }
  /** The answer to the request with this id is no longer wanted. */
  | { readonly type: 'cancel' }
);
