/** The transport to a server over HTTP, with limits on what it sends. */
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { boundedFetch, type Fetch } from './boundedFetch.ts';
import type { Endpoint } from './endpoint.ts';
import { ServerFault } from './messageBounds.ts';
import { pacedFetch } from './pacedFetch.ts';

interface HttpPorts {
  /** Uses the proxies of the environment. */
  readonly fetch: Fetch;
  /** Supplies and refreshes tokens; absent = requests are sent without. */
  readonly auth?: NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['authProvider'];
}

/** Creates a transport for the SDK's client. Does not follow redirects to another origin. */
export function httpTransport(
  { type, url, headers }: Extract<Endpoint, { type: 'http' | 'sse' }>,
  { fetch, auth }: HttpPorts,
): Transport {
  const onFault = ({ message }: Error): void => {
    transport.onerror?.(new ServerFault(message));
    void transport.close();
  };
  const paced = pacedFetch(withHeaders(fetch, url, headers));
  const options = {
    fetch: boundedFetch(paced.fetch, { onFault, onMessage: paced.onMessage }),
    ...(auth === undefined ? {} : { authProvider: auth }),
  };
  const transport: Transport =
    type === 'sse' ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
  return transport;
}

/**
 * Adds the configured headers to requests to the server itself. Other requests by the SDK, for example to refresh a
 * token, must not have them, since they contain keys.
 */
function withHeaders(fetch: Fetch, server: URL, configured: Readonly<Record<string, string>>): Fetch {
  return (url, init) => {
    if (new URL(url).origin !== server.origin) return fetch(url, init);
    const headers = new Headers(configured);
    for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
}
