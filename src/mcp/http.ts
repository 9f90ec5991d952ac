/** The way to a server on the web, with an end to what one answer may hold. */
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Endpoint } from './endpoint.ts';
import { MAX_MESSAGE_BYTES } from './stdio.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpPorts {
  /** Goes where the environment's proxies lead. */
  readonly fetch: Fetch;
  /** Keeps tokens and asks for new ones; absent = the server is called without. */
  readonly auth?: NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['authProvider'];
}

/** A transport for the SDK's client. A redirect to another origin is not followed, so headers stay where they belong. */
export function httpTransport(
  { type, url, headers }: Extract<Endpoint, { type: 'http' | 'sse' }>,
  { fetch, auth }: HttpPorts,
): Transport {
  const options = {
    requestInit: { headers },
    fetch: bounded(fetch),
    ...(auth === undefined ? {} : { authProvider: auth }),
  };
  return type === 'sse'
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
}

/** Cuts an answer off that is longer than a message may be; of a stream of events, a single one that is. */
function bounded(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    let bytes = 0;
    let isLineEnd = false;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        for (const byte of isStream ? chunk : []) {
          // An empty line ends an event.
          if (byte === 10 && isLineEnd) bytes = 0;
          if (byte !== 13) isLineEnd = byte === 10;
          bytes++;
        }
        if (!isStream) bytes += chunk.length;
        if (bytes > MAX_MESSAGE_BYTES)
          controller.error(new Error(`It sent a message of more than ${MAX_MESSAGE_BYTES / 2 ** 20} MB.`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText } = response;
    const body = response.body.pipeThrough(limit);
    const copy = new Response(body, { status, statusText, headers: response.headers });
    Object.defineProperty(copy, 'url', { value: response.url });
    return copy;
  };
}
