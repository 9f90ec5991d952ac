/** A loopback HTTP server that sends exactly what a test says, even if malformed or cut off. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Recorded {
  readonly headers: IncomingMessage['headers'];
  readonly path: string;
  readonly body: Record<string, unknown>;
}

export type Answer = (response: ServerResponse, request: Recorded) => void;

/**
 * Sends the answers in order and repeats the last one; `requests` contains the bodies received. Queries about the
 * server itself get a 404 and do not count.
 */
export async function startSseServer(answers: readonly Answer[]) {
  const requests: Recorded[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    if (aboutServer.test(incoming.url ?? '')) {
      response.writeHead(404).end();
      return;
    }
    const { headers, url = '' } = incoming;
    const request = { headers, path: url, body: JSON.parse(text || '{}') as Record<string, unknown> };
    requests.push(request);
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    answer?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The paths that `askServer` queries. */
const aboutServer = /\/(?:version|props|tags|ps|show|models)$/;

/** The pieces of an event stream verbatim, then `end`: close cleanly, cut the socket, or leave it open. */
export function sse(pieces: readonly string[], end: 'close' | 'cut' | 'hang' = 'close'): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 2)); // Lets each piece arrive as a separate chunk.
    }
    if (end === 'close') response.end();
    if (end === 'cut') response.socket?.destroy();
  };
}

/** Any other answer. */
export function plain(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** One event of a chat completion. */
export function event(choice: object, rest: object = {}): string {
  const chunk = {
    id: 'c1',
    object: 'chat.completion.chunk',
    model: 'm-1',
    choices: [{ index: 0, ...choice }],
    ...rest,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export const say = (content: string): string => event({ delta: { content } });
export const stop = (reason = 'stop'): string => event({ delta: {}, finish_reason: reason });
export const usage = (prompt: number, completion: number): string =>
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion } })}\n\n`;
export const end = 'data: [DONE]\n\n';
