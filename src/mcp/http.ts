/** The transport to a server over HTTP, with limits on what it sends. */
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { boundedFetch, type Fetch } from './boundedFetch.ts';
import type { Endpoint } from './endpoint.ts';
import { ServerFault } from './messageBounds.ts';

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
  const onFault = ({ message }: Error): void => {
    transport.onerror?.(new ServerFault(message));
    void transport.close();
  };
  const options = {
    requestInit: { headers },
    fetch: boundedFetch(fetch, { onFault }),
    ...(auth === undefined ? {} : { authProvider: auth }),
  };
  const transport: Transport =
    type === 'sse' ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
  return transport;
}
