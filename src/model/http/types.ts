/** The port to servers: one request, one answer, over whatever way leads there. */

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; several of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes as they come, unpacked. Once; left before its end, it is cut. Fails when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Nothing more is wanted, and nothing is said by cutting it: what is left may still come, and the connection stay. */
  release(): void;
}

/** Resolves with the head of the answer. Rejects with what Node says of the connection (`code`), or with the abort. */
export type HttpSend = (url: string, request: HttpRequest) => Promise<HttpAnswer>;
