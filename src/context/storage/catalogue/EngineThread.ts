import type { Worker } from 'node:worker_threads';
import type { SessionQuery } from '../../../protocol/sessions.ts';
import { createThreadClient, type ThreadClient, type WithoutId } from '../../threadClient.ts';
import type { RefreshOptions, RefreshReport, SearchRequest } from './Engine.ts';
import type { SessionRow } from './rows.ts';
import type { FoundRow } from './searchIndex.ts';

/**
 * Runs the engine in its own thread, which is started with the first request. It does not keep the process alive:
 * unfinished indexing continues the next time. Pending requests reject when the thread dies or is closed.
 */
export class EngineThread implements EnginePort {
  readonly #thread: ThreadClient<EngineRequest>;

  constructor(start: () => Worker) {
    this.#thread = createThreadClient(start, 'the catalogue');
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

  /** The worker answers each request with the result of the method of the same name. */
  #ask<T>(
    question: WithoutId<EngineRequest>,
    signal?: AbortSignal,
    onChange: () => void = () => {},
  ): Promise<T> {
    return this.#thread.ask(question, { signal, onChange, cancel: { type: 'cancel' } }) as Promise<T>;
  }
}

// Requests to the engine, in whichever thread it runs, and their form between threads.

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
  /** Cancels the request with this id. */
  | { readonly type: 'cancel' }
);
