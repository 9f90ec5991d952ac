/** A loopback server that answers POST requests with JSON bodies; the rest is up to each wire. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Received {
  /** Byte for byte. */
  readonly text: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export async function jsonServer(
  answer: (response: ServerResponse, received: Received, index: number) => void,
) {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    // Queries about the server itself are not requests to the model.
    if (incoming.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    const { headers, url: path = '' } = incoming;
    const one = { text: Buffer.concat(chunks).toString('utf8'), path, headers };
    answer(response, one, received.push(one) - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return { origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, received };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Sends named events. */
export function eventWriter(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (event: { readonly type: string; readonly [field: string]: unknown }): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
}
