/**
 * A real OpenAI-compatible server on loopback that answers from a script, one reply per request, in order. An
 * unexpected request is an error on the wire; `left` reports unused replies.
 */
import { LLMock } from '@copilotkit/aimock';
import { titleInstruction } from '../../../src/agent/title.ts';
import { countRequest, countText } from './tokens.ts';

export interface WireMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export interface WireRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { function: { name: string } }[];
  readonly tool_choice?: unknown;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { name: string; input: unknown; rawArguments?: string }[];
  readonly error?: { status: number; message: string; retryAfter?: number; code?: string };
  /** Usage that the server reports; by default it counts the tokens, including tool schemas. */
  readonly usage?: { prompt_tokens: number; completion_tokens: number };
  readonly finishReason?: string;
  /** Milliseconds before each chunk. */
  readonly latency?: number;
  /** Characters per chunk. */
  readonly chunkSize?: number;
  /** Cuts the connection after this many chunks. */
  readonly cutAfterChunks?: number;
}

type Answer = ScriptedReply | ((request: WireRequest) => ScriptedReply);

export interface ModelServer {
  readonly baseUrl: string;
  /** Adds replies to the script. */
  script(...answers: Answer[]): void;
  /** Answers every request after the end of the script. */
  otherwise(answer: (request: WireRequest) => ScriptedReply): void;
  /** Answers requests for a session's title, which are not part of the script; by default they fail. */
  nameSessions(title: string): void;
  /** All requests so far, oldest first, without those for titles. */
  requests(): WireRequest[];
  /** Waits until this many requests have arrived. */
  waitForRequests(many: number, timeoutMs?: number): Promise<WireRequest[]>;
  /** Number of unused replies in the script. */
  left(): number;
  stop(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  let scripted = 0;
  let served = 0;
  /** Makes the ids of calls unique. */
  let answered = 0;
  const add = (answer: Answer): void => {
    const index = scripted++;
    // Faults belong to the fixture, so a computed answer cannot have them.
    const fixed = typeof answer === 'function' ? {} : answer;
    mock.addFixture({
      match: { predicate: (request) => served === index && !isForTitle(request) },
      response: (request) => {
        served++;
        const asked = request as WireRequest;
        return toFixture(typeof answer === 'function' ? answer(asked) : answer, asked, answered++);
      },
      ...(fixed.latency === undefined ? {} : { latency: fixed.latency }),
      ...(fixed.chunkSize === undefined ? {} : { chunkSize: fixed.chunkSize }),
      ...(fixed.cutAfterChunks === undefined ? {} : { truncateAfterChunks: fixed.cutAfterChunks }),
    });
  };
  let title: string | undefined;
  mock.addFixture({
    match: { predicate: (request) => isForTitle(request) },
    response: (request) => {
      const reply = title === undefined ? { error: { status: 400, message: 'no titles' } } : { text: title };
      return toFixture(reply, request as WireRequest, answered++);
    },
  });
  // The server's own journal omits large bodies, so the first fixture sees each request and answers none.
  const seen: WireRequest[] = [];
  mock.addFixture({
    match: {
      predicate: (request) => {
        if (!isForTitle(request)) seen.push(structuredClone(request) as WireRequest);
        return false;
      },
    },
    response: { content: '' },
  });
  await mock.start();
  return {
    baseUrl: `${mock.url}/v1`,
    script: (...answers) => answers.forEach(add),
    otherwise(answer) {
      mock.addFixture({
        match: { predicate: (request) => served >= scripted && !isForTitle(request) },
        response: (request) => toFixture(answer(request as WireRequest), request as WireRequest, answered++),
      });
    },
    nameSessions(given) {
      title = given;
    },
    requests: () => [...seen],
    async waitForRequests(many, timeoutMs = 60_000) {
      for (const deadline = Date.now() + timeoutMs; seen.length < many; ) {
        if (Date.now() > deadline) throw new Error(`Only ${seen.length} of ${many} requests came in.`);
        await new Promise((done) => setTimeout(done, 20));
      }
      return [...seen];
    },
    left: () => scripted - served,
    stop: () => mock.stop(),
  };
}

function isForTitle(request: object): boolean {
  const [first] = (request as WireRequest).messages;
  return typeof first?.content === 'string' && first.content.startsWith(titleInstruction);
}

function toFixture(reply: ScriptedReply, request: WireRequest, index: number) {
  if (reply.error !== undefined) {
    const { status, message, retryAfter, code } = reply.error;
    return {
      error: { message, ...(code === undefined ? {} : { code }) },
      status,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  }
  const common = {
    ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
    usage: reply.usage ?? {
      prompt_tokens: countRequest(request),
      completion_tokens: countText((reply.text ?? '') + JSON.stringify(reply.calls ?? '')),
    },
    ...(reply.finishReason === undefined ? {} : { finishReason: reply.finishReason }),
  };
  if (reply.calls === undefined) return { content: reply.text ?? '', ...common };
  const toolCalls = reply.calls.map((call, position) => ({
    id: `call_${index}_${position}`,
    name: call.name,
    arguments: call.rawArguments ?? JSON.stringify(call.input),
  }));
  return reply.text === undefined ? { toolCalls, ...common } : { content: reply.text, toolCalls, ...common };
}
