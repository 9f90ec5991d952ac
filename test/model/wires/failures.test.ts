/** Failures of servers with the Responses and Anthropic formats: known errors, odd replies, hostile ones. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { createModelClient } from '../../../src/model/createModelClient.ts';
import type { ModelClientOptions } from '../../../src/model/wires/exchange.ts';
import type { ModelEvent, ModelRequest } from '../../../src/protocol/models/model.ts';
import { firstIsQuick } from '../../e2e/support/long.ts';
import { suiteRequest } from '../clientSuite.ts';
import { anthropicServer } from './anthropicServer.ts';
import { jsonServer, sendJson } from './jsonServer.ts';
import { responsesServer } from './responsesServer.ts';

type Name = 'responses' | 'anthropic';
const names: readonly Name[] = ['responses', 'anthropic'];

async function ask(
  name: Name,
  options: Omit<ModelClientOptions, 'apiKey'>,
  request: ModelRequest = suiteRequest(),
): Promise<ModelEvent | undefined> {
  const client = createModelClient(name, { apiKey: 'k-secret-key', ...options });
  let last: ModelEvent | undefined;
  for await (const event of client.stream(request, new AbortController().signal)) last = event;
  return last;
}

/** Answers every request with these chunks of an event stream. */
async function streams(name: Name, pieces: readonly string[], end: 'close' | 'hang' = 'close') {
  const raw = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.on('error', () => undefined);
    for (const piece of pieces) response.write(piece);
    if (end === 'close') response.end();
  };
  return name === 'responses' ? responsesServer(() => ({ raw })) : anthropicServer(() => ({ raw }));
}

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** The events of a reply that says "Hi", without names. */
const hi: Readonly<Record<Name, readonly string[]>> = {
  responses: [
    data({ type: 'response.created', response: { model: 'm' } }),
    data({ type: 'response.output_text.delta', output_index: 0, delta: 'Hi' }),
    data({ type: 'response.completed', response: { model: 'm', status: 'completed', output: [] } }),
  ],
  anthropic: [
    data({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } }),
    data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
    data({ type: 'content_block_stop', index: 0 }),
    data({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    data({ type: 'message_stop' }),
  ],
};

const said = (event: ModelEvent | undefined): unknown =>
  event?.type === 'done' ? event.reply.message.content : event;
const failure = (event: ModelEvent | undefined) => (event?.type === 'failed' ? event.error : event);

describe.each(names)('%s', (name) => {
  test('events without names, and one that is not JSON, do no harm', async () => {
    const [first = '', ...others] = hi[name];
    const { baseUrl } = await streams(name, [first, 'data: {oops\n\n', ': comment\n\n', ...others]);
    expect(said(await ask(name, { baseUrl }))).toBe('Hi');
  });

  test('a reply is complete with its last event, even if the server keeps the connection open', async () => {
    const { baseUrl } = await streams(name, hi[name], 'hang');
    expect(said(await ask(name, { baseUrl }))).toBe('Hi');
  });

  test('also reads an unstreamed response', async () => {
    const whole = {
      responses: {
        object: 'response',
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
      },
      anthropic: {
        type: 'message',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        usage: {},
      },
    };
    const raw = (response: ServerResponse): void => sendJson(response, 200, whole[name]);
    const { baseUrl } = await (name === 'responses'
      ? responsesServer(() => ({ raw }))
      : anthropicServer(() => ({ raw })));
    expect(said(await ask(name, { baseUrl }))).toBe('Hi');
  });

  test('a byte limit that the server no longer has is forgotten with the second request', async () => {
    const { baseUrl } = await streams(name, hi[name]);
    const requestLimit = { rejectedBytes: () => 1, learn: vi.fn(), forget: vi.fn(async () => undefined) };
    const client = createModelClient(name, { apiKey: 'k', baseUrl, requestLimit });
    const again = async () => {
      let last: ModelEvent | undefined;
      for await (const event of client.stream(suiteRequest(), new AbortController().signal)) last = event;
      return last;
    };
    expect(failure(await again())).toMatchObject({ isByteLimit: true });
    expect(requestLimit.forget).not.toHaveBeenCalled();
    expect(said(await again())).toBe('Hi');
    expect(requestLimit.forget).toHaveBeenCalledOnce();
  });

  test('silence during a reply is a stall, and a web page is a wrong address', async () => {
    const { baseUrl } = await streams(name, hi[name].slice(0, 2), 'hang');
    expect(failure(await ask(name, { baseUrl, idleTimeoutMs: 50 }))).toMatchObject({
      kind: 'stalled',
      retryable: true,
    });
    const page = await jsonServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>');
    });
    const error = failure(await ask(name, { baseUrl: page.origin }));
    expect(error).toMatchObject({ kind: 'bad_url', retryable: false });
    expect(JSON.stringify(error)).toContain(name === 'responses' ? 'Responses API' : 'Messages API');
  });

  test('another host gets neither the conversation nor the key', async () => {
    const other = await jsonServer((response) => sendJson(response, 200, {}));
    const server = await jsonServer((response) => {
      // The same machine under another name.
      response.writeHead(307, { location: other.origin.replace('127.0.0.1', 'localhost') }).end();
    });
    expect(failure(await ask(name, { baseUrl: server.origin }))).toMatchObject({ kind: 'bad_url' });
    expect(other.received).toEqual([]);
  });

  test('the key has its own header, is never quoted, and gives way to an authorization header', async () => {
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-from-environment: 1').stubEnv(
      'ANTHROPIC_CUSTOM_HEADERS',
      'x-from-environment: 1',
    );
    const server = await jsonServer((response, { headers }) =>
      sendJson(response, 401, {
        error: { message: `bad key ${headers['x-api-key'] ?? headers.authorization}` },
      }),
    );
    const error = failure(await ask(name, { baseUrl: server.origin, headers: { 'X-Team': 'blue' } }));
    expect(error).toMatchObject({ kind: 'auth' });
    expect(JSON.stringify(error)).not.toContain('k-secret-key');
    await ask(name, { baseUrl: server.origin, headers: { Authorization: 'Bearer own' } });
    vi.unstubAllEnvs();
    const [first, second] = server.received.map(({ headers }) => headers);
    expect(first).toMatchObject({
      'x-team': 'blue',
      'user-agent': 'clawdcode',
      ...(name === 'responses' ? { authorization: 'Bearer k-secret-key' } : { 'x-api-key': 'k-secret-key' }),
    });
    expect(Object.keys(first ?? {}).filter((header) => /stainless|from-environment/.test(header))).toEqual(
      [],
    );
    expect([second?.authorization, second?.['x-api-key']]).toEqual(['Bearer own', undefined]);
  });

  const floods: readonly (readonly [string, (name: Name) => readonly string[]])[] = [
    [
      'endless text',
      (one) => [...hi[one].slice(0, 2), ...Array.from({ length: 5 }, () => growth(one, 'x'.repeat(500_000)))],
    ],
    ['an event that is too long', (one) => [...hi[one].slice(0, 2), growth(one, 'x'.repeat(4_100_000))]],
    [
      'too many values',
      (one) => [...hi[one].slice(0, 2), data({ type: 'odd', all: Array.from({ length: 20_000 }, () => 1) })],
    ],
    ['endless sealed reasoning', (one) => [...hi[one].slice(0, 1), ...sealed(one)]],
  ];
  for (const {
    row: [what, pieces],
    options,
  } of firstIsQuick(floods))
    test(`${what} ends the reply for good`, options, async () => {
      const { baseUrl } = await streams(name, pieces(name), 'hang');
      const error = failure(await ask(name, { baseUrl }));
      expect(error).toMatchObject({ kind: 'bad_request', retryable: false });
      expect(JSON.stringify(error)).toContain('was aborted');
    });
});

function growth(name: Name, words: string): string {
  return name === 'responses'
    ? data({ type: 'response.output_text.delta', output_index: 0, delta: words })
    : data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } });
}

function sealed(name: Name): readonly string[] {
  const large = 'x'.repeat(900_000);
  if (name === 'responses')
    return [0, 1, 2].map((output_index) =>
      data({
        type: 'response.output_item.done',
        output_index,
        item: { type: 'reasoning', encrypted_content: large },
      }),
    );
  const delta = { type: 'signature_delta', signature: large };
  return [
    data({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    ...[0, 1, 2].map(() => data({ type: 'content_block_delta', index: 0, delta })),
  ];
}

test.each([
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'server', true],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
    'overflow',
    false,
  ],
  [
    413,
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    'overflow',
    false,
  ],
  [429, { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }, 'rate_limit', true],
  [
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
    'quota',
    false,
  ],
  [
    404,
    { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } },
    'model_not_found',
    false,
  ],
])('Anthropic: %i %j is %s', async (status, body, kind, retryable) => {
  const { baseUrl } = await anthropicServer(() => ({ raw: (response) => sendJson(response, status, body) }));
  expect(failure(await ask('anthropic', { baseUrl }))).toMatchObject({ kind, retryable });
});

test('an error inside the stream is classified like one before it', async () => {
  const overloaded = `event: error\n${data({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}`;
  const claude = await streams('anthropic', [...hi.anthropic.slice(0, 3), overloaded]);
  expect(failure(await ask('anthropic', { baseUrl: claude.baseUrl }))).toMatchObject({
    kind: 'server',
    retryable: true,
  });
  const failed = (code: string) =>
    data({ type: 'response.failed', response: { error: { code, message: 'It failed.' } } });
  for (const [code, kind, retryable] of [
    ['server_error', 'server', true],
    ['rate_limit_exceeded', 'rate_limit', true],
    ['context_length_exceeded', 'overflow', false],
    ['invalid_prompt', 'bad_request', false],
  ] as const) {
    const { baseUrl } = await streams('responses', [...hi.responses.slice(0, 2), failed(code)]);
    expect(failure(await ask('responses', { baseUrl }))).toMatchObject({ kind, retryable });
  }
});

test('a reply cut by its limit is reported as cut, on both wires', async () => {
  const incomplete = {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [],
  };
  const one = await streams('responses', [
    ...hi.responses.slice(0, 2),
    data({ type: 'response.incomplete', response: incomplete }),
  ]);
  const two = await streams('anthropic', [
    ...hi.anthropic.slice(0, 4),
    data({ type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: {} }),
    data({ type: 'message_stop' }),
  ]);
  expect(await ask('responses', { baseUrl: one.baseUrl })).toMatchObject({
    reply: { finishReason: 'length' },
  });
  expect(await ask('anthropic', { baseUrl: two.baseUrl })).toMatchObject({
    reply: { finishReason: 'length' },
  });
});

test('fields that a server does not know are omitted from then on', async () => {
  const server = await responsesServer((body) => {
    if (body.include !== undefined) throw new Error('Encrypted content is not supported with this model.');
    if (body.prompt_cache_key !== undefined) throw new Error("Unknown parameter: 'prompt_cache_key'.");
    if (body.reasoning !== undefined) throw new Error("Unsupported parameter: 'reasoning.effort'");
    return { text: 'Yes.' };
  });
  const client = createModelClient('responses', { apiKey: 'k', baseUrl: server.baseUrl });
  const request: ModelRequest = { ...suiteRequest(), effort: 'high' };
  for (let count = 0; count < 2; count += 1)
    for await (const event of client.stream(request, new AbortController().signal))
      expect(event.type).not.toBe('failed');
  expect(server.received).toHaveLength(5);
});

test('Anthropic: limits and thinking that a model does not support are dropped one by one', async () => {
  const server = await anthropicServer((body) => {
    if (body.max_tokens > 9000)
      throw new Error(
        `max_tokens: ${body.max_tokens} > 9000, which is the maximum allowed number of output tokens`,
      );
    if (body.output_config !== undefined) throw new Error('output_config: Extra inputs are not permitted');
    if (body.thinking !== undefined)
      throw new Error('"thinking.type.adaptive" is not supported for this model');
    return { text: 'Yes.' };
  });
  const request: ModelRequest = { ...suiteRequest(), model: 'claude-opus-4-6', effort: 'max' };
  const { maxOutputTokens: _, ...unlimited } = request;
  expect(said(await ask('anthropic', { baseUrl: server.baseUrl }, unlimited))).toBe('Yes.');
  const bodies = server.received.map(({ text }) => JSON.parse(text));
  expect(
    bodies.map(({ max_tokens, thinking, output_config }) => [
      max_tokens,
      thinking?.type,
      output_config?.effort,
    ]),
  ).toEqual([
    [128_000, 'adaptive', 'max'],
    [9000, 'adaptive', 'max'],
    [9000, 'adaptive', undefined],
    [9000, undefined, undefined],
  ]);
});

test('Anthropic: a reply that might not fit is made shorter for one request', async () => {
  let isFull = true;
  const server = await anthropicServer(({ max_tokens }) => {
    if (isFull && 190_000 + max_tokens > 200_000)
      throw new Error(
        `input length and \`max_tokens\` exceed context limit: 190000 + ${max_tokens} > 200000, decrease it`,
      );
    return { text: 'Yes.' };
  });
  // The SDK would print a warning about this model.
  const warn = vi.spyOn(console, 'warn');
  const { maxOutputTokens: _, ...request } = { ...suiteRequest(), model: 'claude-sonnet-4-5' };
  const client = createModelClient('anthropic', { apiKey: 'k', baseUrl: server.baseUrl });
  const once = async () => {
    for await (const event of client.stream(request, new AbortController().signal))
      expect(event.type).not.toBe('failed');
  };
  await once();
  isFull = false;
  await once();
  expect(server.received.map(({ text }) => JSON.parse(text).max_tokens)).toEqual([64_000, 10_000, 64_000]);
  expect(warn).not.toHaveBeenCalled();
});

test('Anthropic: cache reads and writes are in the usage', async () => {
  const { baseUrl } = await anthropicServer(() => ({ text: 'Yes.' }));
  expect(await ask('anthropic', { baseUrl })).toMatchObject({
    reply: { usage: { inputTokens: 960, cachedTokens: 800, cacheWriteTokens: 60, outputTokens: 25 } },
  });
});

test.each(['chat', 'responses', 'anthropic'] as const)(
  '%s: a request with as many bytes as a rejected one is not sent at first, images included',
  async (wire) => {
    const server = await jsonServer((response) => sendJson(response, 413, { error: 'Entity too large' }));
    const learned: number[] = [];
    const requestLimit = {
      rejectedBytes: () => learned.at(-1),
      learn: async (bytes: number) => void learned.push(bytes),
      forget: async () => void learned.splice(0),
    };
    const client = createModelClient(wire, { apiKey: 'k', baseUrl: `${server.origin}/v1`, requestLimit });
    const askWith = async (...sizes: readonly number[]) => {
      const images = sizes.map((size) => ({
        type: 'image' as const,
        mediaType: 'image/png',
        data: 'A'.repeat(size),
      }));
      const request: ModelRequest = { model: 'm', messages: [{ role: 'user', content: images }], tools: [] };
      let last: ModelEvent | undefined;
      for await (const event of client.stream(request, new AbortController().signal)) last = event;
      return failure(last);
    };
    const tooLarge = { kind: 'overflow', isByteLimit: true, retryable: false };
    const sent: number[] = [];
    for (const sizes of [
      [100_000, 100_000],
      [100_000, 100_001],
      [100_000, 100_000],
      [100_000, 100_000],
      [100_000],
    ]) {
      expect(await askWith(...sizes)).toMatchObject(tooLarge);
      sent.push(server.received.length);
    }
    // The third leaves out too little, so the next is sent although it is known to be too large.
    expect(sent).toEqual([1, 1, 1, 2, 3]);
    expect(learned).toEqual(server.received.map(({ text }) => Buffer.byteLength(text)));
    // A request this small was not rejected for its bytes.
    await askWith(1000);
    expect([server.received.length, learned.length]).toEqual([4, 3]);
  },
);
