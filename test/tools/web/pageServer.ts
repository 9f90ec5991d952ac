/** A real server on loopback that answers by path; stopped at the end of the test file. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageServer {
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** All requests, in order. */
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

export type Pages = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

/** Serves pages by path without the query; anything else is a 404. */
export async function servePages(pages: Pages): Promise<PageServer> {
  const requests: IncomingMessage[] = [];
  const answer: RequestListener = (request, response) => {
    requests.push(request);
    const page = pages[new URL(request.url ?? '/', 'http://x').pathname];
    if (page !== undefined) page(request, response);
    else response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.');
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page with the given type and body. */
export const page =
  (type: string | undefined, body: string | Uint8Array, status = 200, more = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response
      .writeHead(status, { ...(type === undefined ? {} : { 'Content-Type': type }), ...more })
      .end(body);
  };

export const redirect = (location: string, status = 302) =>
  page(undefined, '', status, { Location: location });
