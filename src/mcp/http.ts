/** The transport to a server over HTTP, with a limit on the size of each message. */
import { setImmediate } from 'node:timers/promises';
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Endpoint } from './endpoint.ts';
import { MAX_MESSAGE_BYTES } from './stdio.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface HttpPorts {
  /** Uses the proxies of the environment. */
  readonly fetch: Fetch;
  /** Supplies and refreshes tokens; absent = requests are sent without. */
  readonly auth?: NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['authProvider'];
}

/**
 * Creates a transport for the SDK's client. Does not follow redirects to another origin, so that headers are not sent
 * elsewhere.
 */
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

/**
 * Cuts off an answer that exceeds the maximum size; in an event stream, the limit applies to each event. Yields to the
 * event loop between the pieces of a stream: the SDK handles all that is there at once, however much a server sends.
 */
export function bounded(fetch: Fetch, maxBytes = MAX_MESSAGE_BYTES): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    let bytes = 0;
    let isLineEnd = false;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        const step = isStream ? MAX_PIECE_BYTES : chunk.length;
        for (let at = 0; at < chunk.length; at += step) {
          const piece = chunk.subarray(at, at + step);
          if (isStream) await setImmediate();
          for (const byte of isStream ? piece : []) {
            // An empty line ends an event.
            if (byte === 10 && isLineEnd) bytes = 0;
            if (byte !== 13) isLineEnd = byte === 10;
            bytes++;
          }
          if (!isStream) bytes += piece.length;
          if (bytes > maxBytes)
            return controller.error(new Error(`It sent a message of more than ${maxBytes / 2 ** 20} MB.`));
          controller.enqueue(piece);
        }
      },
    });
    const { status, statusText } = response;
    const body = response.body.pipeThrough(limit);
    const copy = new Response(body, { status, statusText, headers: response.headers });
    Object.defineProperty(copy, 'url', { value: response.url });
    return copy;
  };
}

/** A hundred small messages, which take a few milliseconds. */
const MAX_PIECE_BYTES = 16 * 1024;
