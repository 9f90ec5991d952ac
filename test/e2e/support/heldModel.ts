/**
 * A model whose replies a test writes by hand, piece by piece: what stands on the screen between two pieces stays
 * there until the test goes on, however fast the machine is.
 */
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { titleInstruction } from '../../../src/agent/title.ts';
import { type Asked, sendJson, startLocalServer } from './localServers.ts';

export interface HeldModel {
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  /** The next request for a reply, as soon as it has come in. */
  asked(): Promise<HeldReply>;
  /** The one that was asked for last. */
  latest(): HeldReply;
}

/** One reply, as far as it was written. */
export interface HeldReply {
  think(text: string): void;
  say(text: string): void;
  call(name: string, input: unknown): void;
  /** A call as it begins; `more` goes on with its input. */
  begin(name: string, argumentsSoFar: string): void;
  more(argumentsOn: string): void;
  /** Closes it; `usage` is what the request is said to have cost. */
  end(usage?: { prompt_tokens: number; completion_tokens: number }): void;
  /** Instead of a reply. */
  refuse(status: number, message: string, headers?: Readonly<Record<string, string>>): void;
}

/** Call it inside a test. Titles are refused; nobody is asked about the model. */
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
