/** The test server on loopback: streamable HTTP at `/mcp`, the older SSE transport at `/sse`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnswers } from './server.mjs';

export interface WebServer {
  readonly origin: string;
  /** Headers of every request so far. */
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
}

export async function serveMcp(
  /** Answers a request itself, or returns false to leave it to the server. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> = () => false,
): Promise<WebServer> {
  const requests: WebServer['requests'] = [];
  const streams = new Set<ServerResponse>();
  const answers = createAnswers((message) => {
    for (const stream of streams)
      stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  });
  const answerTo = async (message: Message): Promise<string | undefined> => {
    if (message.id === undefined || message.method === undefined) return undefined;
    const { id } = message;
    const answer = await answers(message).then(
      (result: unknown) => ({ result }),
      (error: Error) => ({ error: { code: -32000, message: error.message } }),
    );
    return JSON.stringify({ jsonrpc: '2.0', id, ...answer });
  };
  const events = (response: ServerResponse): ServerResponse => {
    streams.add(response);
    return response.writeHead(200, { 'content-type': 'text/event-stream' });
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers });
      if (await before(request, response)) return;
      if (method === 'GET' && url === '/sse') {
        events(response).write('event: endpoint\ndata: /messages\n\n');
        return;
      }
      if (method === 'GET' && url === '/mcp') {
        events(response).flushHeaders();
        return;
      }
      if (method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = await answerTo(JSON.parse(Buffer.concat(chunks).toString()) as Message);
      if (url === '/messages') {
        response.writeHead(202).end();
        if (text !== undefined)
          for (const stream of streams) stream.write(`event: message\ndata: ${text}\n\n`);
      } else if (text === undefined) response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const stream of streams) stream.end();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
