/** The contract of `ModelClient` as tests, run on every client whatever its wire format. */
import { describe, expect, test } from 'vitest';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelRequest,
  SentRequest,
} from '../../src/protocol/models/model.ts';
import type { WireAnswer } from '../agent/wireServer.ts';

/** One client under test. */
export interface ClientUnderTest {
  /** A client whose server answers every request in this way, and a request to send. */
  open(answer: WireAnswer): Promise<{ readonly client: ModelClient; readonly request: ModelRequest }>;
  /** False for a client with its own text: then only the form of a reply is checked. */
  readonly saysWhatIsAsked: boolean;
  /** True if requests go to a server: then each body is reported, and requests can fail. */
  readonly hasServer: boolean;
}

const anyRequest: ModelRequest = {
  model: 'some-model',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Look at "a" 値' }] },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c1', name: 'Read', arguments: '{"path":"a"}' }],
      reasoning: { field: 'of another client', text: 'I should look.' },
    },
    { role: 'tool', toolCallId: 'c1', name: 'Read', content: 'a\n\tb', isError: false },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ name: 'Read', description: 'Reads.', parameters: { type: 'object', properties: {} } }],
  maxOutputTokens: 100,
};

/** A request that most clients accept; `clientSuite` sends it unless the client needs another. */
export const suiteRequest = (): ModelRequest => structuredClone(anyRequest) as ModelRequest;

/** Collects all events, also after an abort; a client that throws fails the test. */
async function collect(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<{ readonly events: ModelEvent[]; readonly sent: SentRequest[] }> {
  const events: ModelEvent[] = [];
  const sent: SentRequest[] = [];
  for await (const event of client.stream(request, signal, (one) => sent.push(one))) {
    events.push(event);
    onEvent(event);
  }
  return { events, sent };
}

const isEnd = ({ type }: ModelEvent): boolean => type === 'done' || type === 'failed';

function replyOf(events: readonly ModelEvent[]) {
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error(`The stream ended with ${JSON.stringify(last)}.`);
  return last.reply;
}

function errorOf(events: readonly ModelEvent[]): ModelError {
  const last = events.at(-1);
  if (last?.type !== 'failed') throw new Error(`The stream ended with ${JSON.stringify(last)}.`);
  return last.error;
}

export function clientSuite(name: string, { open, saysWhatIsAsked, hasServer }: ClientUnderTest): void {
  describe(`the contract of a model client: ${name}`, () => {
    test('text arrives in deltas and then in full, with one final event', async () => {
      const { client, request } = await open({ text: 'Hello there, 値!' });
      const { events } = await collect(client, request);
      const { message, finishReason, usage } = replyOf(events);
      expect(events.filter(isEnd)).toHaveLength(1);
      expect(events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')).toBe(
        message.content,
      );
      expect({ finishReason, calls: message.toolCalls }).toEqual({ finishReason: 'stop', calls: [] });
      if (saysWhatIsAsked) expect(message.content).toBe('Hello there, 値!');
      for (const count of Object.values(usage ?? {})) expect(count).toBeGreaterThanOrEqual(0);
    });

    test('each call has its own id, a name, and an object as arguments', async () => {
      const input = { path: 'a "quoted" name' };
      const { client, request } = await open({
        calls: [
          { name: 'Read', input },
          { name: 'Read', input: {} },
        ],
      });
      const { events } = await collect(client, request);
      const { message, finishReason } = replyOf(events);
      expect(finishReason).toBe('tool_calls');
      expect(message.toolCalls.length).toBeGreaterThan(0);
      expect(new Set(message.toolCalls.map(({ id }) => id)).size).toBe(message.toolCalls.length);
      for (const call of message.toolCalls) expect(JSON.parse(call.arguments)).toBeTypeOf('object');
      const written = new Set(
        events.flatMap((event) => (event.type === 'tool_call_delta' ? [event.index] : [])),
      );
      for (const index of written) expect(index).toBeLessThan(message.toolCalls.length);
      if (hasServer) expect(written.size).toBe(message.toolCalls.length);
      if (saysWhatIsAsked)
        expect(message.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
          ['Read', input],
          ['Read', {}],
        ]);
    });

    test('a signal that is already aborted ends the stream without a final event', async () => {
      const { client, request } = await open({ text: 'Hello' });
      const { events } = await collect(client, request, AbortSignal.abort());
      expect(events.filter(isEnd)).toEqual([]);
    });

    test('a signal that aborts during the reply ends the stream without a final event', async () => {
      const { client, request } = await open({ text: 'One two three', hangs: true });
      const stop = new AbortController();
      const { events } = await collect(client, request, stop.signal, () => stop.abort());
      expect(events.length).toBeGreaterThan(0);
      expect(events.filter(isEnd)).toEqual([]);
    });

    test('the request is only read: a frozen one works', async () => {
      const { client, request } = await open({ text: 'Hello' });
      const { events } = await collect(client, deepFreeze(request));
      replyOf(events);
    });

    test('two streams of one client are independent', async () => {
      const { client, request } = await open({ text: 'Hello there' });
      const [one, two] = await Promise.all([collect(client, request), collect(client, request)]);
      expect(replyOf(one.events).message).toEqual(replyOf(two.events).message);
    });

    test.runIf(hasServer)(
      'reasoning arrives separately from the text, and is sent back with the reply',
      async () => {
        const { client, request } = await open({ text: 'Yes.', reasoning: 'Let me think.' });
        const { events } = await collect(client, request);
        const thought = events.flatMap((event) => (event.type === 'reasoning_delta' ? [event] : []));
        expect(thought.map(({ text }) => text).join('')).toBe('Let me think.');
        const { message } = replyOf(events);
        expect(message.content).toBe('Yes.');
        expect(message.reasoning).toMatchObject({ field: thought[0]?.field, text: 'Let me think.' });
      },
    );

    test.runIf(hasServer)(
      'each request body is reported as JSON, and equal ones with the same hash',
      async () => {
        const { client, request } = await open({ text: 'Hello' });
        const hashOf = async (one: ModelRequest): Promise<string> => {
          const { sent } = await collect(client, one);
          expect(sent).toHaveLength(1);
          expect(JSON.parse(JSON.stringify(sent))).toEqual(sent);
          return sent[0]?.hash ?? '';
        };
        const first = await hashOf(request);
        expect(first).toMatch(/^[0-9a-f]{16}$/);
        expect(await hashOf(structuredClone(request))).toBe(first);
        expect(await hashOf({ ...request, maxOutputTokens: 7 })).not.toBe(first);
      },
    );

    test.runIf(hasServer)('a request that the server rejects is an event that says what to do', async () => {
      const { client, request } = await open({ error: { status: 401, message: 'bad key' } });
      const error = errorOf((await collect(client, request)).events);
      expect(error).toMatchObject({ kind: 'auth', retryable: false });
      expect(error.message).not.toBe('');
    });

    test.runIf(hasServer)('a broken connection is a failure that may be retried', async () => {
      const { client, request } = await open({ text: 'One two three', cut: true });
      const error = errorOf((await collect(client, request)).events);
      expect(error.retryable).toBe(true);
    });

    test.runIf(hasServer)('a request that is too long is distinguished from other failures', async () => {
      const message = "This model's maximum context length is 20000 tokens. You sent 30000 tokens.";
      const { client, request } = await open({
        error: { status: 400, message, code: 'context_length_exceeded' },
      });
      expect(errorOf((await collect(client, request)).events)).toMatchObject({
        kind: 'overflow',
        retryable: false,
        windowTokens: 20_000,
      });
    });
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const one of Object.values(value)) deepFreeze(one);
  return Object.freeze(value);
}
