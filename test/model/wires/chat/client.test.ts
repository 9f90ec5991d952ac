import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOpenAIClient } from '../../../../src/model/wires/chat/client.ts';
import type { ModelClientOptions } from '../../../../src/model/wires/exchange.ts';
import type { ModelEvent, ModelRequest } from '../../../../src/protocol/models/model.ts';
import { type Answer, end, event, plain, say, sse, startSseServer, stop, usage } from '../../sseServer.ts';

const request: ModelRequest = {
  model: 'm-1',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
};
const closing: (() => Promise<void>)[] = [];
let stderr: ReturnType<typeof vi.spyOn>;
let stdout: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  stderr = vi.spyOn(process.stderr, 'write');
  stdout = vi.spyOn(process.stdout, 'write');
});

afterEach(async () => {
  const texts = [...stderr.mock.calls, ...stdout.mock.calls].map(([text]) => String(text));
  stderr.mockRestore();
  stdout.mockRestore();
  while (closing.length > 0) await closing.pop()?.();
  expect(texts.join('')).toBe(''); // text there would appear on the screen
});

async function serve(...answers: Answer[]) {
  const server = await startSseServer(answers);
  closing.push(server.close);
  return server;
}

async function collect(
  options: Partial<ModelClientOptions> & { baseUrl: string },
  asked: ModelRequest = request,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const client = createOpenAIClient({ apiKey: 'sk-secret-key', ...options });
  const events: ModelEvent[] = [];
  for await (const one of client.stream(asked, signal)) events.push(one);
  return events;
}

const text = (said: string): ModelEvent => ({ type: 'text_delta', text: said });
const done = (content: string, rest: object = {}) => ({
  type: 'done',
  reply: {
    message: { role: 'assistant', content, toolCalls: [] },
    finishReason: 'stop',
    model: 'm-1',
    ...rest,
  },
});
const failed = (kind: string, retryable: boolean, rest: object = {}) => ({
  type: 'failed',
  error: expect.objectContaining({ kind, retryable, ...rest }),
});

const scenarios: readonly (readonly [string, Answer, readonly unknown[]])[] = [
  [
    'text with usage',
    sse([say('Hel'), say('lo'), stop(), usage(7, 2), end]),
    [text('Hel'), text('lo'), done('Hello', { usage: { inputTokens: 7, outputTokens: 2 } })],
  ],
  [
    'a comment, CRLF line ends and no blank line at the end',
    sse([': hi\r\n\r\n', say('a').replaceAll('\n', '\r\n'), stop().trimEnd()]),
    [text('a'), done('a')],
  ],
  [
    'malformed events between good ones',
    sse(['data: {"choices"\n\n', say('a'), 'data: oops\n\n', 'data: null\n\n', say('b'), stop(), end]),
    [text('a'), text('b'), done('ab')],
  ],
  [
    'two events without the blank line between them',
    sse([`${say('a').trimEnd()}\n${say('b')}`, stop(), end]),
    [text('a'), text('b'), done('ab')],
  ],
  ['an event split at any byte', sse([...`${say('ü😀')}${stop()}${end}`]), [text('ü😀'), done('ü😀')]],
  ['a clean end without a finish reason', sse([say('a'), end]), [text('a'), failed('cut', true)]],
  ['a clean end at once', sse([]), [failed('cut', true)]],
  [
    'a finish reason that means the server gave up',
    sse([say('a'), stop('error'), end]),
    [text('a'), failed('cut', true)],
  ],
  ['a cut socket', sse([say('a')], 'cut'), [text('a'), failed('cut', true)]],
  ['a connection lost after the finish reason', sse([say('a'), stop()], 'cut'), [text('a'), done('a')]],
  [
    'an error event in the stream',
    sse([say('a'), 'data: {"error":{"message":"upstream died","code":502}}\n\n']),
    [text('a'), failed('server', true, { status: 502, message: expect.stringContaining('upstream died') })],
  ],
  [
    'an error event with a name',
    sse(['event: error\ndata: {"message":"overloaded"}\n\n']),
    [failed('server', true, { message: expect.stringContaining('overloaded') })],
  ],
  [
    "an error event in vLLM's older form",
    sse(['data: {"object":"error","message":"boom","code":500}\n\n']),
    [failed('server', true, { status: 500 })],
  ],
  [
    'an HTML page',
    plain(200, '<!doctype html><p>hi', { 'content-type': 'text/html' }),
    [failed('bad_url', false)],
  ],
  ['other JSON', plain(200, '{"status":"ok"}'), [failed('bad_url', false)]],
  ['nothing at all', plain(204, ''), [failed('bad_url', false)]],
  [
    'a full reply from a server that does not stream',
    plain(
      200,
      JSON.stringify(
        { model: 'm-1', choices: [{ message: { content: 'all' }, finish_reason: 'stop' }] },
        null,
        2,
      ),
    ),
    [text('all'), done('all')],
  ],
  [
    '429 with retry-after',
    plain(429, '{"error":{"message":"slow down"}}', { 'retry-after': '3' }),
    [failed('rate_limit', true, { retryAfterMs: 3000, status: 429 })],
  ],
  [
    '429 with retry-after-ms',
    plain(429, '', { 'retry-after-ms': '40' }),
    [failed('rate_limit', true, { retryAfterMs: 40 })],
  ],
  [
    '429 for want of money',
    plain(429, '{"error":{"code":"insufficient_quota","message":"no"}}'),
    [failed('quota', false)],
  ],
  ['500 without a body', plain(500, ''), [failed('server', true, { status: 500 })]],
  [
    '503 with HTML',
    plain(503, '<html>busy</html>', { 'content-type': 'text/html' }),
    [failed('server', true)],
  ],
  [
    'a rejected key that the server quotes',
    plain(401, '{"error":{"message":"bad key sk-secret-key"}}'),
    [failed('auth', false, { message: expect.not.stringContaining('sk-secret-key') })],
  ],
  ['404 in JSON without a model', plain(404, '{"detail":"Not Found"}'), [failed('bad_url', false)]],
  [
    '404 about the model',
    plain(404, '{"error":{"message":"The model `m-1` does not exist","code":"model_not_found"}}'),
    [failed('model_not_found', false)],
  ],
  [
    'an overflow outside `error`',
    plain(
      400,
      '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, you requested 5000"}',
    ),
    [failed('overflow', false, { windowTokens: 4096 })],
  ],
];

describe('each stream ends in exactly one done or failed', () => {
  test.each(scenarios)('%s', async (_name, answer, expected) => {
    const { baseUrl } = await serve(answer);
    expect(await collect({ baseUrl })).toEqual(expected);
  });

  test('a stall during the reply has its own timeout', async () => {
    const { baseUrl } = await serve(sse([say('a')], 'hang'));
    expect(await collect({ baseUrl, idleTimeoutMs: 50 })).toEqual([text('a'), failed('stalled', true)]);
  });

  test('a stall before the first event', async () => {
    const { baseUrl } = await serve(sse([], 'hang'));
    expect(await collect({ baseUrl, firstEventTimeoutMs: 100 })).toEqual([failed('stalled', true)]);
  });

  test.each<readonly [string, beginning: readonly string[], progressTimeoutMs: number]>([
    ['before any reply', [], 200],
    // Includes the time until the start arrives, which on a busy machine may take a second.
    ['after the start of a reply', [say('a')], 5_000],
  ])('keep-alives %s for too long', async (_name, beginning, progressTimeoutMs) => {
    const { baseUrl } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(beginning.join(''));
      const wait = setInterval(() => response.write(`: wait\n\n${event({ delta: {} })}`), 20);
      response.once('close', () => clearInterval(wait));
    });
    expect(await collect({ baseUrl, idleTimeoutMs: 60_000, progressTimeoutMs })).toEqual([
      ...beginning.map(() => text('a')),
      failed('stalled', true, { message: expect.stringContaining('without adding to its reply') }),
    ]);
  });

  test('keep-alives after the end do not delay it', { tags: 'long' }, async () => {
    const most = 4000;
    let written = 0;
    const { baseUrl } = await serve(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(say('a') + stop());
      for (; written < most && !response.destroyed; written++) {
        response.write(': wait\n\n');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    });
    expect(await collect({ baseUrl })).toEqual([text('a'), done('a')]);
    expect(written).toBeLessThan(most);
  });

  test('silence with keep-alives is not a stall', { tags: 'long' }, async () => {
    const { baseUrl } = await serve(
      sse([...Array.from({ length: 400 }, () => ': wait\n\n'), say('a'), stop(), end]),
    );
    expect(await collect({ baseUrl, firstEventTimeoutMs: 500 })).toEqual([text('a'), done('a')]);
  });
});

test('tool calls, reasoning and the finish reason are passed on', async () => {
  const call = (fragment: object) => event({ delta: { tool_calls: [fragment] } });
  const { baseUrl } = await serve(
    sse([
      event({ delta: { reasoning_content: 'hm' } }),
      call({ index: 0, id: 'a', function: { name: 'Read', arguments: '' } }),
      call({ index: 1, id: 'b', function: { name: 'Bash', arguments: '{"command":' } }),
      call({ index: 0, function: { arguments: '{"path":"x"}' } }),
      call({ index: 1, function: { arguments: '"ls"}' } }),
      stop('tool_calls'),
      end,
    ]),
  );
  expect(await collect({ baseUrl })).toEqual([
    { type: 'reasoning_delta', text: 'hm', field: 'reasoning_content' },
    { type: 'tool_call_delta', index: 0, name: 'Read', argumentsLength: 0 },
    { type: 'tool_call_delta', index: 1, name: 'Bash', argumentsLength: 11 },
    { type: 'tool_call_delta', index: 0, name: 'Read', argumentsLength: 12 },
    { type: 'tool_call_delta', index: 1, name: 'Bash', argumentsLength: 16 },
    {
      type: 'done',
      reply: {
        message: {
          role: 'assistant',
          content: '',
          reasoning: { field: 'reasoning_content', text: 'hm' },
          toolCalls: [
            { id: 'a', name: 'Read', arguments: '{"path":"x"}' },
            { id: 'b', name: 'Bash', arguments: '{"command":"ls"}' },
          ],
        },
        finishReason: 'tool_calls',
        model: 'm-1',
      },
    },
  ]);
});

test('the request contains only what is needed', async () => {
  const { baseUrl, requests } = await serve(sse([say('a'), stop(), end]));
  await collect({ baseUrl, apiKey: undefined, headers: { 'X-Team': 'blue-team' } });
  expect(requests[0]?.body).toEqual({
    model: 'm-1',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(requests[0]?.path).toBe('/v1/chat/completions');
  expect(requests[0]?.headers).toMatchObject({ 'user-agent': 'clawdcode', 'x-team': 'blue-team' });
  expect(requests[0]?.headers.authorization).toBeUndefined();
});

test('fields that a server rejects are omitted from then on', async () => {
  const refuse = (message: string) => plain(400, JSON.stringify({ error: { message } }));
  const good = sse([say('a'), stop(), end]);
  const { baseUrl, requests } = await serve(
    refuse(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    refuse('Unrecognized request argument supplied: stream_options'),
    good,
  );
  const client = createOpenAIClient({ apiKey: 'k', baseUrl });
  const ask = async () => {
    const events: ModelEvent[] = [];
    for await (const one of client.stream({ ...request, maxOutputTokens: 9 }, new AbortController().signal))
      events.push(one);
    return events;
  };
  expect(await ask()).toEqual([text('a'), done('a')]);
  expect(await ask()).toEqual([text('a'), done('a')]);
  expect(
    requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens, 'stream_options' in body]),
  ).toEqual([
    [9, undefined, true],
    [undefined, 9, true],
    [undefined, 9, false],
    [undefined, 9, false],
  ]);
});

test('a server that rejects everything gets only a few requests', async () => {
  const { baseUrl, requests } = await serve(
    plain(
      400,
      '{"error":{"message":"unknown field max_tokens, max_completion_tokens, stream_options, temperature"}}',
    ),
  );
  const events = await collect({ baseUrl }, { ...request, maxOutputTokens: 9, temperature: 0 });
  expect(events).toEqual([failed('bad_request', false)]);
  expect(requests).toHaveLength(5);
});

describe('an abort ends the stream silently and at once', () => {
  test('during a reply', async () => {
    const { baseUrl } = await serve(sse([say('a')], 'hang'));
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    for await (const one of createOpenAIClient({ apiKey: 'k', baseUrl }).stream(request, controller.signal)) {
      events.push(one);
      setTimeout(() => controller.abort(), 10);
    }
    // Otherwise it would hang.
    expect(events).toEqual([text('a')]);
  });

  test('before the response, and before the request', async () => {
    const { baseUrl, requests } = await serve(sse([], 'hang'));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(await collect({ baseUrl }, request, controller.signal)).toEqual([]);
    expect(await collect({ baseUrl }, request, AbortSignal.abort())).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  test('and a consumer that stops listening ends the request', async () => {
    let closed = false;
    const { baseUrl } = await serve((response, asked) => {
      response.on('close', () => {
        closed = true;
      });
      return sse([say('a')], 'hang')(response, asked);
    });
    for await (const _ of createOpenAIClient({ apiKey: 'k', baseUrl }).stream(
      request,
      new AbortController().signal,
    ))
      break;
    await vi.waitFor(() => expect(closed).toBe(true), 15_000);
  });
});

test('a missing server is reported at once, and retried only if it has replied before', async () => {
  const server = await startSseServer([sse([say('a'), stop(), end])]);
  const client = createOpenAIClient({ apiKey: 'k', baseUrl: server.baseUrl });
  const ask = async () => {
    for await (const one of client.stream(request, new AbortController().signal))
      if (one.type !== 'text_delta') return one;
    return undefined;
  };
  expect(await ask()).toMatchObject({ type: 'done' });
  await server.close();
  expect(await ask()).toEqual(
    failed('network', true, { message: expect.stringContaining('connection refused') }),
  );
  expect(await collect({ baseUrl: server.baseUrl })).toEqual([failed('network', false)]);
  expect(await collect({ baseUrl: 'not a url' })).toEqual([failed('bad_url', false)]);
});

describe('against a full OpenAI-compatible server', () => {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });

  beforeEach(async () => {
    mock.onMessage('hello', { content: 'Hello from the mock', reasoning: 'let me think' });
    mock.onMessage('call', {
      toolCalls: [
        { name: 'Read', arguments: { path: 'a.ts' } },
        { name: 'Glob', arguments: '{"pattern": "*.ts"' },
      ],
    });
    mock.onMessage(
      'cut',
      { content: 'A long reply that never ends' },
      { truncateAfterChunks: 3, chunkSize: 3, latency: 15 },
    );
    await mock.start();
    closing.push(async () => {
      await mock.stop();
      mock.clearFixtures();
    });
  });

  const ask = (content: string) =>
    collect(
      { baseUrl: `${mock.url}/v1` },
      { ...request, model: 'gpt-4o', messages: [{ role: 'user', content }] },
    );

  test('text, reasoning and usage', async () => {
    const events = await ask('hello');
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      reply: {
        message: { content: 'Hello from the mock' },
        finishReason: 'stop',
        usage: { inputTokens: expect.any(Number) },
      },
    });
    expect(events.flatMap((one) => (one.type === 'text_delta' ? one.text : [])).join('')).toBe(
      'Hello from the mock',
    );
  });

  test('parallel calls, one of them without its last bracket', async () => {
    expect((await ask('call')).at(-1)).toMatchObject({
      type: 'done',
      reply: {
        finishReason: 'tool_calls',
        message: {
          toolCalls: [
            { name: 'Read', arguments: '{"path":"a.ts"}' },
            { name: 'Glob', arguments: '{"pattern": "*.ts"}', rawArguments: '{"pattern": "*.ts"' },
          ],
        },
      },
    });
  });

  test('a stream that breaks off, and an error', async () => {
    expect((await ask('cut')).at(-1)).toEqual(failed('cut', true));
    mock.nextRequestError(503, { message: 'loading model' });
    expect(await ask('hello')).toEqual([
      failed('server', true, { message: expect.stringContaining('loading model') }),
    ]);
  });
});
