import { afterEach, describe, expect, test } from 'vitest';
import type { HttpSend } from '../../../src/model/http/types.ts';
import { askServer } from '../../../src/model/servers/askServer.ts';
import type { ServerAnswer, ServerFacts } from '../../../src/protocol/models/server.ts';
import {
  llamaCpp,
  lmStudio,
  ollama,
  type Route,
  type Routes,
  sendJson,
  startLocalServer,
  vllm,
} from '../../e2e/support/localServers.ts';
import { answerWith } from '../http/answerWith.ts';

type ServerQuery = Parameters<typeof askServer>[0];

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

async function serve(routes: Routes) {
  const server = await startLocalServer(routes);
  closing.push(server.close);
  return server;
}

async function answerOf(routes: Routes, more: Partial<ServerQuery> = {}): Promise<ServerAnswer> {
  const { baseUrl } = await serve(routes);
  return askServer({ baseUrl, apiKey: undefined, signal: AbortSignal.timeout(5000), ...more });
}

async function factsOf(routes: Routes, more: Partial<ServerQuery> = {}): Promise<ServerFacts> {
  const answer = await answerOf(routes, more);
  if (answer.type !== 'server') throw new Error(answer.error.message);
  return answer.facts;
}

const plainList = (...data: readonly object[]): Routes => ({ '/v1/models': { object: 'list', data } });

describe('the kinds of servers', () => {
  test('Ollama: the running model reports its window; a Modelfile takes precedence; otherwise it is unknown', async () => {
    const facts = await factsOf(
      ollama([
        { name: 'idle:8b', maxContext: 131_072 },
        { name: 'fixed:8b', maxContext: 40_960, numCtx: 16_384, running: 8192 },
        { name: 'nomic-embed-text:latest', maxContext: 2048, capabilities: ['embedding'] },
        {
          name: 'runs:latest',
          maxContext: 262_144,
          running: 4096,
          capabilities: ['completion', 'vision', 'thinking'],
        },
        { name: 'greedy:1b', maxContext: 8192, numCtx: 131_072 },
      ]),
    );
    expect(facts).toMatchObject({ kind: 'ollama', version: '0.15.2' });
    expect(facts.baseUrl).toMatch(/\/v1$/);
    const can = { tools: true, vision: false, reasoning: false };
    expect(facts.models).toEqual([
      { id: 'fixed:8b', windowTokens: 16_384, maxWindowTokens: 40_960, loaded: true, ...can },
      {
        id: 'runs:latest',
        windowTokens: 4096,
        maxWindowTokens: 262_144,
        loaded: true,
        tools: false,
        vision: true,
        reasoning: true,
      },
      { id: 'idle:8b', maxWindowTokens: 131_072, ...can },
      { id: 'greedy:1b', windowTokens: 8192, maxWindowTokens: 8192, ...can },
      { id: 'nomic-embed-text:latest', maxWindowTokens: 2048, ...can, tools: false, unfit: true },
    ]);
  });

  test('only the requested Ollama model’s details are queried', async () => {
    const server = await serve(
      ollama([
        { name: 'a:latest', maxContext: 4096 },
        { name: 'b:latest', maxContext: 8192 },
      ]),
    );
    const { baseUrl } = server;
    const answer = await askServer({ baseUrl, apiKey: 'k', model: 'b', signal: AbortSignal.timeout(5000) });
    expect(answer).toMatchObject({
      facts: { models: [{ id: 'a:latest' }, { id: 'b:latest', maxWindowTokens: 8192 }] },
    });
    const shown = server.asked.filter(({ path }) => path === '/api/show');
    expect(shown.map(({ body }) => body.model)).toEqual(['b:latest']);
    expect(shown[0]?.headers.authorization).toBe('Bearer k');
  });

  test.each(['v0', 'v1'] as const)(
    'LM Studio with its %s list: the loaded window and the maximum',
    async (api) => {
      const facts = await factsOf(
        lmStudio(
          [
            { id: 'idle', maxContext: 32_768 },
            { id: 'embedder', maxContext: 512, type: 'embeddings' },
            { id: 'sees', maxContext: 131_072, loaded: 4096, type: 'vlm', tools: true },
          ],
          { api },
        ),
      );
      expect(facts.kind).toBe('lmstudio');
      expect(facts.models).toEqual([
        { id: 'sees', windowTokens: 4096, maxWindowTokens: 131_072, loaded: true, tools: true, vision: true },
        { id: 'idle', maxWindowTokens: 32_768, vision: false },
        { id: 'embedder', maxWindowTokens: 512, unfit: true },
      ]);
    },
  );

  test('llama.cpp: the window of a slot, not of the model', async () => {
    const facts = await factsOf(llamaCpp({ id: 'q', context: 8192, maxContext: 131_072, vision: true }));
    expect(facts).toMatchObject({
      kind: 'llamacpp',
      version: 'b6600-abcdef',
      models: [
        { id: 'q', windowTokens: 8192, maxWindowTokens: 131_072, tools: true, vision: true, loaded: true },
      ],
    });
  });

  test('vLLM: the length that it was started with', async () => {
    const facts = await factsOf(vllm({ id: 'org/model', maxModelLen: 65_536 }));
    expect(facts).toMatchObject({
      kind: 'vllm',
      version: '0.11.0',
      models: [{ id: 'org/model', windowTokens: 65_536 }],
    });
  });

  test('a plain list has only names, and which models are not for conversations', async () => {
    const facts = await factsOf(
      plainList(
        ...[
          'text-embedding-3-small',
          'gpt-x',
          'whisper-1',
          'dall-e-3',
          'tts-1',
          'gpt-image-1',
          'omni-moderation',
        ].map((id) => ({ id, owned_by: 'system' })),
      ),
    );
    expect(facts.kind).toBe('openai');
    expect(facts.models.filter(({ unfit }) => unfit !== true)).toEqual([{ id: 'gpt-x' }]);
  });

  const fields: readonly (readonly [string, object, object])[] = [
    [
      'OpenRouter',
      {
        context_length: 262_144,
        top_provider: { context_length: 131_072 },
        supported_parameters: ['tools', 'reasoning'],
        architecture: { input_modalities: ['text', 'image'] },
      },
      { windowTokens: 131_072, maxWindowTokens: 262_144, tools: true, vision: true, reasoning: true },
    ],
    ['Groq', { context_window: 131_072 }, { windowTokens: 131_072 }],
    [
      'Mistral',
      {
        max_context_length: 32_768,
        capabilities: { completion_chat: true, function_calling: false, vision: true },
      },
      { windowTokens: 32_768, tools: false, vision: true },
    ],
    [
      'Together',
      { context_length: 8192, type: 'embedding' },
      { windowTokens: 8192, maxWindowTokens: 8192, unfit: true },
    ],
    [
      'Copilot',
      { capabilities: { limits: { max_context_window_tokens: 64_000 } } },
      { windowTokens: 64_000 },
    ],
    ['nobody', {}, {}],
  ];
  test.each(fields)('what a list adds: %s', async (_name, added, expected) => {
    const facts = await factsOf(plainList({ id: 'm', ...added }));
    expect(facts.models).toEqual([{ id: 'm', ...expected }]);
  });

  test('an address without /v1 is corrected to where the list is', async () => {
    const server = await serve(plainList({ id: 'm' }));
    const answer = await askServer({
      baseUrl: `${server.origin}/`,
      apiKey: undefined,
      signal: AbortSignal.timeout(5000),
    });
    expect(answer).toMatchObject({ type: 'server', facts: { baseUrl: server.baseUrl } });
  });
});

describe('untrusted servers', () => {
  test.each([0, -1, 1e12, 1.5, null, '0', 'many', {}, Number.MAX_SAFE_INTEGER])(
    'a window of %j is ignored',
    async (said) => {
      expect((await factsOf(plainList({ id: 'm', max_model_len: said }))).models).toEqual([{ id: 'm' }]);
      expect(
        (await factsOf(llamaCpp({ id: 'm', context: said as number, maxContext: 4096 }))).models,
      ).toEqual([{ id: 'm', maxWindowTokens: 4096, loaded: true, tools: true, vision: false }]);
    },
  );

  test('names that could control a terminal are left out', async () => {
    const facts = await factsOf(
      plainList({ id: 'a\u001b[2J' }, { id: 'b\nc' }, { id: 'd\u202e' }, { id: 7 }, { id: 'ok' }),
    );
    expect(facts.models).toEqual([{ id: 'ok' }]);
  });

  const failures: readonly (readonly [string, Routes, object])[] = [
    ['a page', { '/v1/models': (response) => void response.end('<html>') }, { kind: 'bad_url' }],
    ['a missing page', {}, { kind: 'bad_url' }],
    ['other JSON', { '/v1/models': { status: 'ok' } }, { kind: 'bad_url' }],
    [
      'no key',
      { '/v1/models': (response) => sendJson(response, { error: { message: 'who are you' } }, 401) },
      { kind: 'auth', message: expect.stringContaining('none is set') },
    ],
    [
      'a response that is too long',
      { '/v1/models': (response) => void response.end(Buffer.alloc(9 * 2 ** 20, ' ')) },
      { kind: 'bad_request', message: expect.stringContaining('more than 4,000,000 bytes') },
    ],
    [
      'a response with endless values',
      { '/v1/models': (response) => void response.end(`{"data":[${'{},'.repeat(100_001)}{}]}`) },
      { kind: 'bad_request', message: expect.stringContaining('more values') },
    ],
    ['a failure', { '/v1/models': (response) => sendJson(response, {}, 500) }, { kind: 'server' }],
  ];
  test.each(failures)('%s is reported', async (_name, routes, expected) => {
    expect(await answerOf(routes)).toEqual({ type: 'failed', error: expect.objectContaining(expected) });
  });

  test('a server that never responds counts as failed once the signal aborts', async () => {
    const silent: Route = () => {};
    const answer = await answerOf(
      { '/v1/models': silent, '/api/version': silent },
      { signal: AbortSignal.timeout(100) },
    );
    expect(answer).toMatchObject({ type: 'failed', error: { kind: 'stalled' } });
  });

  test('one silent path costs only its own details', async () => {
    const answer = await answerOf(
      { ...ollama([{ name: 'm:latest', maxContext: 4096 }]), '/api/show': () => {} },
      { signal: AbortSignal.timeout(300) },
    );
    expect(answer).toMatchObject({ type: 'server', facts: { kind: 'ollama', models: [{ id: 'm:latest' }] } });
  });

  test('redirects to another host are not followed, so no key is sent there', async () => {
    const other = await serve(plainList({ id: 'thief' }));
    const answer = await answerOf(
      {
        '/v1/models': (response) =>
          void response.writeHead(307, { location: `${other.baseUrl}/models` }).end(),
      },
      { apiKey: 'secret' },
    );
    expect(answer.type).toBe('failed');
    expect(other.asked).toEqual([]);
  });

  test('a redirect on the same host is followed', async () => {
    const facts = await factsOf({
      '/v1/models': (response) => void response.writeHead(308, { location: '/v2/models' }).end(),
      '/v2/models': { data: [{ id: 'm' }] },
    });
    expect(facts.models).toEqual([{ id: 'm' }]);
  });

  test.each([
    ['to TLS is followed', 'https://models.example/v1/models', { type: 'server' }],
    [
      'to another host is reported, not followed',
      'https://login.example/',
      { type: 'failed', error: { message: expect.stringContaining('https://login.example') } },
    ],
  ])('a redirect %s is treated like a prompt’s', async (_, location, expected) => {
    const send: HttpSend = async (url) =>
      url.startsWith('http:') ? answerWith('', 301, { location }) : answerWith('{"data":[{"id":"m"}]}');
    const answer = await askServer({
      baseUrl: 'http://models.example/v1',
      apiKey: 'sk-1',
      send,
      signal: AbortSignal.timeout(5000),
    });
    expect(answer).toMatchObject(expected);
  });

  test('a key quoted by the server is not shown', async () => {
    const apiKey = 'sk-quoted0123456789';
    const answer = await answerOf(
      { '/v1/models': (response) => sendJson(response, { error: { message: `no ${apiKey}` } }, 401) },
      { apiKey },
    );
    expect(answer).toMatchObject({ error: { kind: 'auth', message: expect.stringContaining('"no ***"') } });
  });

  test('an invalid address, and a port where no server listens', async () => {
    const signal = AbortSignal.timeout(5000);
    const server = await startLocalServer({});
    await server.close();
    expect(await askServer({ baseUrl: 'not a url', apiKey: undefined, signal })).toMatchObject({
      error: { kind: 'bad_url' },
    });
    expect(await askServer({ baseUrl: server.baseUrl, apiKey: undefined, signal })).toMatchObject({
      error: { kind: 'network', message: expect.stringContaining('refused') },
    });
  });
});
