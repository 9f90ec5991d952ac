import { afterEach, expect, test } from 'vitest';
import { createServedModels, type RememberedKind } from '../../../src/model/servers/servedModels.ts';
import { windowAdvice } from '../../../src/model/servers/windowAdvice.ts';
import { llamaCpp, ollama, type Routes, startLocalServer, vllm } from '../../e2e/support/localServers.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

async function setUp(routes: Routes, patienceMs?: number, kinds: RememberedKind[] = []) {
  const server = await startLocalServer(routes);
  closing.push(server.close);
  let now = 1_000_000;
  const served = createServedModels({
    baseUrl: server.baseUrl,
    apiKey: undefined,
    now: () => now,
    memory: {
      recall: async () => kinds.at(-1),
      remember: async (kind) => void kinds.push(kind),
    },
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  return {
    server,
    served,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const open = new AbortController().signal;

test('the server’s facts are there after waiting for them', async () => {
  const { served } = await setUp(vllm({ id: 'm', maxModelLen: 30_000 }), 5000);
  expect(served.get('m')).toBeUndefined();
  await served.waitForFacts('m', open);
  expect(served.get('m')).toMatchObject({ kind: 'vllm', windowTokens: 30_000 });
  await served.waitForFacts('other', open);
  expect(served.get('other')).toBeUndefined();
});

test('an Ollama model that is not loaded is loaded before the first request, and then its real window is known', async () => {
  const { server, served } = await setUp(
    ollama([{ name: 'idle:latest', maxContext: 131_072 }], { defaultContext: 4096 }),
    5000,
  );
  served.ask('idle');
  expect(server.asked.some(({ path }) => path === '/api/generate')).toBe(false);
  await served.waitForFacts('idle', open);
  expect(served.get('idle')).toMatchObject({ windowTokens: 4096, maxWindowTokens: 131_072, loaded: true });
  await served.waitForFacts('idle', open);
  expect(server.asked.filter(({ path }) => path === '/api/generate')).toHaveLength(1);
});

test('nothing is loaded if the Modelfile or the running model names the window', async () => {
  const { server, served } = await setUp(
    ollama([
      { name: 'fixed:latest', maxContext: 131_072, numCtx: 16_384 },
      { name: 'runs:latest', maxContext: 131_072, running: 8192 },
    ]),
    5000,
  );
  await served.waitForFacts('fixed', open);
  await served.waitForFacts('runs', open);
  expect([served.get('fixed')?.windowTokens, served.get('runs')?.windowTokens]).toEqual([16_384, 8192]);
  expect(server.asked.some(({ path }) => path === '/api/generate')).toBe(false);
});

test('a silent server is waited for only briefly, and an interrupt ends the wait', async () => {
  const { served } = await setUp({ '/v1/models': () => {} }, 50);
  await served.waitForFacts('m', open);
  expect(served.get('m')).toBeUndefined();
  const patient = await setUp({ '/v1/models': () => {} }, 60_000);
  const controller = new AbortController();
  const waiting = patient.served.waitForFacts('m', controller.signal);
  controller.abort();
  await waiting;
});

test('a request that fits any window does not wait for a late response, and the next session does not wait at all', {
  tags: 'long',
}, async () => {
  const kinds: RememberedKind[] = [];
  const { served } = await setUp({ '/v1/models': () => {} }, 2 ** 30, kinds);
  await served.waitForFacts('m', open, true);
  expect(kinds).toEqual(['silent']);
  const next = await setUp({ '/v1/models': () => {} }, 2 ** 30, kinds);
  await next.served.waitForFacts('m', open);
  expect(next.server.asked).toEqual([]);
});

test.each([
  ['nothing', {}, []],
  ['a list with the window', { '/v1/models': { data: [{ id: 'm', context_window: 9000 }] } }, []],
  ['a vLLM list', vllm({ id: 'm', maxModelLen: 9000 }), []],
  [
    'an Ollama list',
    ollama([{ name: 'm', maxContext: 9000, running: 9000 }]),
    ['/api/ps', '/api/show', '/api/tags', '/api/version'],
  ],
] as const)('after a response with %s, only the missing facts are queried', async (_, routes, more) => {
  const { served, server } = await setUp(routes, 5000);
  await served.waitForFacts('m', open);
  const [first, ...others] = server.asked.map(({ path }) => path);
  expect(first).toBe('/v1/models');
  expect(others.sort()).toEqual(more);
  expect(served.get('m')?.windowTokens).toBe(Object.keys(routes).length === 0 ? undefined : 9000);
});

test('a busy server nearby has time to report its window before the first prompt is sent', async () => {
  const routes = llamaCpp({ id: 'm', context: 8192, maxContext: 65_536 });
  const models = routes['/v1/models'] as object;
  const { served } = await setUp({
    ...routes,
    '/v1/models': (response) => {
      setTimeout(() => response.end(JSON.stringify(models)), 500);
    },
  });
  await served.waitForFacts('m', open);
  expect(served.get('m')?.windowTokens).toBe(8192);
});

test('an interrupt ends the wait for a model that never loads', async () => {
  const { served } = await setUp(
    { ...ollama([{ name: 'idle:latest', maxContext: 131_072 }]), '/api/generate': () => {} },
    5000,
  );
  const controller = new AbortController();
  const waiting = served.waitForFacts('idle', controller.signal);
  setTimeout(() => controller.abort(), 100);
  await waiting;
  expect(served.get('idle')?.windowTokens).toBeUndefined();
});

test('a local server is queried again after a minute, since it may have been restarted', async () => {
  let context = 8192;
  const routes = llamaCpp({ id: 'm', context, maxContext: 65_536 });
  const props = routes['/props'] as object;
  const { served, server, pass } = await setUp(
    {
      ...routes,
      '/props': (response) =>
        response.end(JSON.stringify({ ...props, default_generation_settings: { n_ctx: context } })),
    },
    5000,
  );
  await served.waitForFacts('m', open);
  context = 32_768;
  const count = server.asked.length;
  served.ask('m');
  await served.waitForFacts('m', open);
  expect(server.asked).toHaveLength(count);
  expect(served.get('m')?.windowTokens).toBe(8192);
  pass(61_000);
  await served.waitForFacts('m', open);
  await expect.poll(() => served.get('m')?.windowTokens).toBe(32_768);
});

test('a server of a known kind gets only its own query', async () => {
  const routes = llamaCpp({ id: 'm', context: 8192, maxContext: 65_536 });
  const kinds: RememberedKind[] = [];
  const first = await setUp(routes, 5000, kinds);
  await first.served.waitForFacts('m', open);
  expect(kinds).toEqual(['llamacpp']);
  expect(first.server.asked.map(({ path }) => path)).toEqual(['/v1/models', '/props']);
  const next = await setUp(routes, 5000, kinds);
  await next.served.waitForFacts('m', open);
  expect(next.served.get('m')?.windowTokens).toBe(8192);
  expect(next.server.asked.map(({ path }) => path).sort()).toEqual(['/props', '/v1/models']);
});

test('if another server responds now, all queries are tried', async () => {
  const kinds: RememberedKind[] = ['llamacpp'];
  const { served } = await setUp(ollama([{ name: 'm', maxContext: 131_072, running: 8192 }]), 5000, kinds);
  await served.waitForFacts('m', open);
  expect(served.get('m')).toMatchObject({ kind: 'ollama', windowTokens: 8192 });
  expect(kinds).toEqual(['llamacpp', 'ollama']);
});

test('a server that reports nothing is queried once before the first prompt, later in the background', async () => {
  const kinds: RememberedKind[] = [];
  const first = await setUp({}, 5000, kinds);
  await first.served.waitForFacts('m', open);
  expect(kinds).toEqual(['silent']);
  const next = await setUp(vllm({ id: 'm', maxModelLen: 30_000 }), 5000, kinds);
  await next.served.waitForFacts('m', open);
  expect(next.server.asked).toEqual([]);
  await next.served.ask('m');
  expect(next.served.get('m')?.windowTokens).toBe(30_000);
  expect(kinds).toEqual(['silent', 'vllm']);
});

test('a missing server, or one that rejects the key, is not remembered as one that reports nothing', async () => {
  const kinds: RememberedKind[] = [];
  const { served } = await setUp(
    { '/v1/models': (response) => void response.writeHead(401).end('{}') },
    5000,
    kinds,
  );
  await served.waitForFacts('m', open);
  const gone = createServedModels({
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: undefined,
    now: () => 0,
    memory: { recall: async () => undefined, remember: async (kind) => void kinds.push(kind) },
  });
  await gone.waitForFacts('m', open);
  expect(kinds).toEqual([]);
});

const facts = { id: 'm', kind: 'ollama', windowTokens: 4096, maxWindowTokens: 131_072 } as const;
const byServer = { windowTokens: 4096, source: 'server' } as const;

test.each([
  [
    'a small window of Ollama',
    facts,
    byServer,
    /4,096 tokens; the model supports 131,072\. .*OLLAMA_CONTEXT_LENGTH=32768/,
  ],
  ['of LM Studio', { ...facts, kind: 'lmstudio' }, byServer, /lms load --context-length 32768/],
  ['of llama.cpp', { ...facts, kind: 'llamacpp' }, byServer, /--ctx-size/],
  ['a model with hardly more', { ...facts, maxWindowTokens: 8000 }, byServer, undefined],
  ['a model with twice as much', { ...facts, maxWindowTokens: 8192 }, byServer, /=8192/],
  ['a window that is large enough', { ...facts, windowTokens: 65_536 }, byServer, undefined],
  ['a setting that claims more', facts, { windowTokens: 64_000, source: 'setting' }, /silently truncated/],
  ['a setting that claims less', facts, { windowTokens: 4000, source: 'setting' }, undefined],
  ['unknown facts', { id: 'm', kind: 'ollama' }, byServer, undefined],
] as const)('%s', (_name, served, model, expected) => {
  const advice = windowAdvice(served, model);
  if (expected === undefined) expect(advice).toBeUndefined();
  else expect(advice).toMatch(expected);
});
