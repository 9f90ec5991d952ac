/** The port for HTTP requests to servers: one request, one answer, over any connection. */

import type { LookupFunction } from 'node:net';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Resolves the host instead of the system. A proxy resolves it itself. */
  readonly lookup?: LookupFunction | undefined;
  /** Aborts the request and the reading of its answer. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Bytes as they arrive, decompressed. Can be read once; stopping early closes the connection. Throws if the connection
   * breaks.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Discards the rest of the body without closing the connection, so that it can be reused once the rest has arrived.
   */
  release(): void;
}

/**
 * Resolves with the head of the answer. Rejects with Node's connection error (`code`), or with the reason of the abort.
 */
export type HttpSend = (url: string, request: HttpRequest) => Promise<HttpAnswer>;
