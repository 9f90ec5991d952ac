/**
 * A second wire format, as different from chat completions as possible: a small client and its loopback server. Turns
 * are rows of text, results are notes, tools are abilities, a reply is JSON lines, and no field has a name from chat
 * completions. Code that works with both depends only on the port.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Message, ToolCall } from '../../src/protocol/messages.ts';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelRequest,
  SentRequest,
} from '../../src/protocol/models/model.ts';
import type { WireAnswer } from '../agent/wireServer.ts';

/** A line of a reply. */
type Line =
  | { readonly say: string }
  | { readonly ponder: string }
  | { readonly act: { readonly ref: string; readonly ability: string; readonly given: string } }
  | { readonly over: 'complete' | 'acting'; readonly read: number; readonly written: number };

/** The body of a request in this format. */
export function otherBody(request: ModelRequest, wordsAtMost = request.maxOutputTokens): string {
  return JSON.stringify({
    engine: request.model,
    turns: request.messages.map(turnOf),
    abilities: request.tools.map(({ name, description, parameters }) => ({
      name,
      does: description,
      parameters,
    })),
    ...(wordsAtMost === undefined ? {} : { wordsAtMost }),
  });
}

function turnOf(message: Message): object {
  switch (message.role) {
    case 'system':
      return { by: 'house', words: message.content };
    case 'user':
      return { by: 'person', words: message.content };
    case 'tool':
      return { by: 'world', answers: message.toolCallId, words: message.content };
    case 'assistant':
      return {
        by: 'engine',
        words: message.content,
        acts: message.toolCalls.map(({ id, name, arguments: given }) => ({ ref: id, ability: name, given })),
        ...(message.reasoning?.field === 'ponder' ? { ponder: message.reasoning.text } : {}),
      };
  }
}

/** A client for this format. */
export function createOtherClient(url: string): ModelClient {
  return {
    async *stream(request, signal, onSent): AsyncGenerator<ModelEvent> {
      const body = otherBody(request);
      onSent?.(sentAs(body, request));
      try {
        yield* read(await fetch(url, { method: 'POST', body, signal }), signal);
      } catch {
        if (signal.aborted) return;
        yield failed({ kind: 'cut', message: 'The connection closed.', retryable: true });
      }
    },
  };
}

function sentAs(body: string, { maxOutputTokens }: ModelRequest): SentRequest {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { hash, wire: 'other', ...(maxOutputTokens === undefined ? {} : { wordsAtMost: maxOutputTokens }) };
}

async function* read(response: Response, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  if (response.status === 401)
    return yield failed({ kind: 'auth', message: 'The key was refused. Check it.', retryable: false });
  if (response.status === 413)
    return yield failed({ kind: 'overflow', message: 'Too long.', retryable: false, windowTokens: 20_000 });
  let [content, pondered, rest] = ['', '', ''];
  const toolCalls: ToolCall[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    if (signal.aborted) return;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.map((one) => JSON.parse(one) as Line)) {
      if ('say' in line) {
        content += line.say;
        yield { type: 'text_delta', text: line.say };
      } else if ('ponder' in line) {
        pondered += line.ponder;
        yield { type: 'reasoning_delta', text: line.ponder, field: 'ponder' };
      } else if ('act' in line) {
        const { ref: id, ability: name, given } = line.act;
        yield { type: 'tool_call_delta', index: toolCalls.length, name, argumentsLength: given.length };
        toolCalls.push({ id, name, arguments: given });
      } else {
        const reasoning = pondered === '' ? {} : { reasoning: { field: 'ponder', text: pondered } };
        const message = { role: 'assistant' as const, content, toolCalls, ...reasoning };
        const finishReason = line.over === 'acting' ? 'tool_calls' : 'stop';
        const usage = { inputTokens: line.read, outputTokens: line.written };
        return yield { type: 'done', reply: { message, finishReason, usage } };
      }
    }
  }
  throw new Error('cut');
}

const failed = (error: ModelError): ModelEvent => ({ type: 'failed', error });

/** Answers each request with a function of its number; records the bodies verbatim. */
export async function otherServer(answer: (index: number) => WireAnswer) {
  const bodies: string[] = [];
  let refs = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString());
    const { text = '', reasoning, calls = [], error, hangs, cut } = answer(bodies.length - 1);
    const isTooLong = error?.code === 'context_length_exceeded';
    if (error !== undefined) {
      response.writeHead(isTooLong ? 413 : error.status).end();
      return;
    }
    const lines: Line[] = [
      ...(reasoning === undefined ? [] : [{ ponder: reasoning }]),
      ...(text.match(/\S+\s*|\s+/g) ?? []).map((say) => ({ say })),
      ...calls.map(({ name, input }) => ({
        act: { ref: `act-${++refs}`, ability: name, given: JSON.stringify(input) },
      })),
    ];
    for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
    if (hangs === true) return;
    if (cut === true) {
      setTimeout(() => response.socket?.destroy(), 5);
      return;
    }
    const over = calls.length > 0 ? 'acting' : 'complete';
    response.end(`${JSON.stringify({ over, read: 10, written: 5 } satisfies Line)}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/reply`, bodies };
}
