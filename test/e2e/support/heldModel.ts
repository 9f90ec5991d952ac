/**
 * A model whose replies a test writes piece by piece: the screen between two pieces stays until the test continues,
 * however fast the machine is.
 */
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { titleInstruction } from '../../../src/agent/title.ts';
import { type Asked, sendJson, startLocalServer } from './localServers.ts';

export interface HeldModel {
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  /** Resolves with the next request for a reply. */
  asked(): Promise<HeldReply>;
  /** The most recent one. */
  latest(): HeldReply;
}

/** A reply in progress. */
export interface HeldReply {
  think(text: string): void;
  say(text: string): void;
  call(name: string, input: unknown): void;
  /** Starts a tool call; `more` continues its input. */
  begin(name: string, argumentsSoFar: string): void;
  more(argumentsOn: string): void;
  /** Ends the reply; `usage` is the reported usage of the request. */
  end(usage?: { prompt_tokens: number; completion_tokens: number }): void;
  /** Fails instead of replying. */
  refuse(status: number, message: string, headers?: Readonly<Record<string, string>>): void;
}

/** Call it inside a test. Requests for titles fail; queries about the model get no answer. */
export async function startHeldModel(): Promise<HeldModel> {
  const waiting: HeldReply[] = [];
  const heard: ((reply: HeldReply) => void)[] = [];
  let latest: HeldReply | undefined;
  const taken = (reply: HeldReply): HeldReply => {
    latest = reply;
    return reply;
  };
  const server = await startLocalServer({
    '/v1/chat/completions': (response, asked) => {
      if (isForTitle(asked)) return sendJson(response, { error: { message: 'no titles' } }, 400);
      const reply = heldReply(response);
      const next = heard.shift();
      if (next === undefined) waiting.push(reply);
      else next(reply);
    },
  });
  onTestFinished(() => server.close());
  return {
    baseUrl: server.baseUrl,
    async asked() {
      return taken(waiting.shift() ?? (await new Promise<HeldReply>((resolve) => heard.push(resolve))));
    },
    latest() {
      if (latest === undefined) throw new Error('nothing was asked yet');
      return latest;
    },
  };
}

function heldReply(response: ServerResponse): HeldReply {
  let calls = 0;
  const send = (delta: object, rest: object = {}): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'm', ...rest };
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }], ...chunk })}\n\n`);
  };
  const begin = (name: string, argumentsSoFar: string): void => {
    const index = calls++;
    const call = { index, id: `call_${Date.now()}_${index}`, type: 'function' };
    send({ tool_calls: [{ ...call, function: { name, arguments: argumentsSoFar } }] });
  };
  return {
    think: (text) => send({ reasoning_content: text }),
    say: (text) => send({ content: text }),
    call: (name, input) => begin(name, JSON.stringify(input)),
    begin,
    more: (argumentsOn) => send({ tool_calls: [{ index: calls - 1, function: { arguments: argumentsOn } }] }),
    end(usage = { prompt_tokens: 3000, completion_tokens: 40 }) {
      const finish_reason = calls > 0 ? 'tool_calls' : 'stop';
      send({}, { choices: [{ index: 0, delta: {}, finish_reason }] });
      send({}, { choices: [], usage });
      response.end('data: [DONE]\n\n');
    },
    refuse(status, message, headers = {}) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message } }));
    },
  };
}

function isForTitle({ body }: Asked): boolean {
  const [first] = Array.isArray(body.messages) ? body.messages : [];
  return typeof first?.content === 'string' && first.content.startsWith(titleInstruction);
}
