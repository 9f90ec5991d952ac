/** A Messages server on loopback that answers from a script, for any program that speaks the Anthropic API. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { titleInstruction } from '../../src/agent/title.ts';

export interface Reply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** The HTTP status of an error. */
  readonly error?: number;
  /** Never responds: the request ends when the program gives up. */
  readonly hangs?: true;
}

/** The parts of a request that scripts look at. */
export interface ModelCall {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly thinking?: unknown;
  readonly output_config?: { readonly effort?: string };
}

export interface ScriptedModel {
  /** Without `/v1`. */
  readonly url: string;
  /** Adds replies to the script. */
  add(...replies: readonly Reply[]): void;
  /** The requests so far, without those for titles and the like. */
  readonly calls: readonly ModelCall[];
  /** Resolves when this many requests have arrived. */
  waitFor(calls: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const replies: Reply[] = [];
  const calls: ModelCall[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const isPrompt = request.method === 'POST' && /^\/v1\/messages(\?|$)/.test(request.url ?? '');
    if (!isPrompt) return void response.writeHead(404).end('{}');
    const call = JSON.parse(text) as ModelCall & { max_tokens: number };
    if (isAside(call, text)) return send(response, { text: 'A title' }, call, 'aside');
    calls.push(call);
    for (const wake of waiting) wake();
    const index = calls.length - 1;
    send(response, replies[index] ?? { error: 400 }, call, String(index));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (...more) => void replies.push(...more),
    calls,
    async waitFor(count) {
      while (calls.length < count)
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Requests for titles and summaries of titles, which both programs send in addition to the conversation. */
function isAside(call: { max_tokens: number; stream?: boolean }, text: string): boolean {
  return (
    call.max_tokens === 1 ||
    call.stream !== true ||
    text.includes(JSON.stringify(titleInstruction).slice(1, 60))
  );
}

function send(response: ServerResponse, reply: Reply, { model, stream }: ModelCall, id: string): void {
  if (reply.hangs === true)
    return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n');
  if (reply.error !== undefined) {
    const type = reply.error === 529 ? 'overloaded_error' : 'invalid_request_error';
    response.writeHead(reply.error, { 'content-type': 'application/json', 'x-should-retry': 'false' });
    return void response.end(JSON.stringify({ type: 'error', error: { type, message: 'as scripted' } }));
  }
  if (stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const content = [{ type: 'text', text: reply.text ?? '' }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content, usage };
    return void response.end(JSON.stringify({ ...head, stop_reason: 'end_turn', stop_sequence: null }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (type: string, data: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: 100, output_tokens: 10 };
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [] };
  event('message_start', { message: { ...head, stop_reason: null, stop_sequence: null, usage } });
  let index = 0;
  const block = (content_block: object, delta: object): void => {
    event('content_block_start', { index, content_block });
    event('content_block_delta', { index, delta });
    event('content_block_stop', { index: index++ });
  };
  const { text, calls = [] } = reply;
  if (text !== undefined) block({ type: 'text', text: '' }, { type: 'text_delta', text });
  for (const [at, { name, input }] of calls.entries())
    block(
      { type: 'tool_use', id: `toolu_${id}_${at}`, name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    );
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } });
  event('message_stop', {});
  response.end();
}
