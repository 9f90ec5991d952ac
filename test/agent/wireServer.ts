/** A model server on loopback that records every body byte for byte and answers with a function. */
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { end, event, say, stop, usage } from '../model/sseServer.ts';

export interface WireAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly error?: { readonly status: number; readonly message: string; readonly code?: string };
  /** True: sends its text, then nothing more; the connection stays open. */
  readonly hangs?: boolean;
  /** True: cuts the connection before the end. */
  readonly cut?: boolean;
}

export interface WireServer {
  readonly baseUrl: string;
  /** Bodies in order of arrival. */
  readonly bodies: string[];
}

interface Body {
  readonly messages: readonly { readonly content: unknown }[];
  readonly tool_choice?: string;
  readonly stream_options?: unknown;
}

export async function wireServer(answer: (body: Body, index: number) => WireAnswer): Promise<WireServer> {
  const bodies: string[] = [];
  let ids = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    // Queries about the server itself are not requests to the model.
    if (incoming.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    const text = Buffer.concat(chunks).toString('utf8');
    const index = bodies.push(text) - 1;
    const given = answer(JSON.parse(text) as Body, index);
    if (given.error !== undefined) {
      const { status, ...error } = given.error;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (given.reasoning !== undefined)
      response.write(event({ delta: { reasoning_content: given.reasoning } }));
    if (given.text !== undefined) response.write(say(given.text));
    if (given.hangs === true) return;
    if (given.cut === true) return void response.socket?.destroySoon();
    for (const [position, { name, input }] of (given.calls ?? []).entries()) {
      const call = {
        index: position,
        id: `call_${ids++}`,
        function: { name, arguments: JSON.stringify(input) },
      };
      response.write(event({ delta: { tool_calls: [call] } }));
    }
    response.write(stop(given.calls === undefined ? 'stop' : 'tool_calls'));
    response.end(usage(Math.ceil(text.length / 4), 20) + end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return { baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`, bodies };
}
