/** What the catalogue asks of its other half, wherever that runs, and how it is said between threads. */
import type { SessionQuery } from '../../../protocol/sessions.ts';
import type { RefreshOptions, RefreshReport, SearchRequest } from './Engine.ts';
import type { SessionRow } from './rows.ts';
import type { FoundRow } from './searchIndex.ts';

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
  /** Of the request with this id nobody wants the answer any more. */
  | { readonly type: 'cancel' }
);
