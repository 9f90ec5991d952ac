import { describe, expect, test } from 'vitest';
import { findServers, refineServers } from '../../../src/cli/onboarding/findServers.ts';
import { localAddresses } from '../../../src/cli/onboarding/localAddresses.ts';
import { rankModels } from '../../../src/cli/onboarding/rankModels.ts';
import { askServer } from '../../../src/model/servers/askServer.ts';
import type { FoundServer } from '../../../src/ui/onboarding/SetupPort.ts';
import {
  type LocalServer,
  llamaCpp,
  lmStudio,
  ollama,
  type Routes,
  sendJson,
  startLocalServer,
  vllm,
} from '../../e2e/support/localServers.ts';
import { serve } from '../../e2e/support/onboarding.ts';

const SEARCH_MS = 300;

const ask = (baseUrl: string, signal: AbortSignal) => askServer({ baseUrl, apiKey: undefined, signal });
const search = async (servers: readonly LocalServer[], timeoutMs = 5000): Promise<readonly FoundServer[]> =>
  (
    await findServers(
      servers.map(({ baseUrl }) => ({ name: 'a server', baseUrl })),
      ask,
      timeoutMs,
    )
  ).servers;

test('all four kinds are found in parallel, the one with the best model first', async () => {
  const found = await search([
    await serve(vllm({ id: 'mistral-small', maxModelLen: 32_768 })),
    await serve(llamaCpp({ id: 'phi-4', context: 8192, maxContext: 16_384 })),
    await serve(lmStudio([{ id: 'gpt-oss-20b', maxContext: 131_072, tools: true }])),
    await serve(
      ollama([
        { name: 'nomic-embed-text', maxContext: 2048, capabilities: ['embedding'] },
        { name: 'llava:7b', maxContext: 4096, capabilities: ['completion', 'vision'] },
        { name: 'qwen3-coder:30b', maxContext: 262_144, running: 65_536 },
      ]),
    ),
  ]);
  expect(found.map(({ name }) => name)).toEqual(['Ollama', 'LM Studio', 'vLLM', 'llama.cpp']);
  const [first] = found;
  expect(first?.state.type === 'models' && first.state.models.map(({ id }) => id)).toEqual([
    'qwen3-coder:30b',
    'llava:7b',
  ]);
});

const forever = (): void => {};
test.each<[string, Routes]>([
  [
    'never responds',
    { '/v1/models': forever, '/api/version': forever, '/api/tags': forever, '/props': forever },
  ],
  ['sends HTML', { '/v1/models': (response) => response.end('<html>It works!</html>') }],
  ['fails', { '/v1/models': (response) => sendJson(response, { error: 'broken' }, 500) }],
  ['hangs up', { '/v1/models': (response) => response.destroy() }],
  [
    'sends endless data',
    {
      '/v1/models': (response) => {
        const more = (): void => {
          if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(more));
        };
        more();
      },
    },
  ],
])('a server that %s is absent and delays nothing', { tags: 'long' }, async (_, routes) => {
  const good = await serve(vllm({ id: 'good', maxModelLen: 32_768 }));
  const startedAt = performance.now();
  const found = await search([await serve(routes), good], 3000);
  expect(found.map(({ baseUrl }) => baseUrl)).toEqual([good.baseUrl]);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test('late details are requested again, only where some are missing', async () => {
  const server = await serve(
    ollama([
      { name: 'all-minilm', maxContext: 512, capabilities: ['embedding'] },
      { name: 'qwen3:8b', maxContext: 40_960 },
    ]),
  );
  const early: FoundServer = {
    name: 'Ollama',
    baseUrl: server.baseUrl,
    state: { type: 'models', models: [{ id: 'all-minilm' }, { id: 'qwen3:8b' }] },
  };
  const [refined] = await refineServers({ servers: [early], late: [] }, ask);
  expect(refined?.state).toMatchObject({ type: 'models', models: [{ id: 'qwen3:8b', tools: true }] });
  expect(refined?.state.type === 'models' && refined.state.models).toHaveLength(1);
  const known = [refined ?? early];
  const refuse = (): Promise<never> => Promise.reject(new Error('it was asked'));
  expect(await refineServers({ servers: known, late: [] }, refuse)).toBe(known);
});

test('a server too late for the first list is in the second; an absent one is not queried again', async () => {
  const server = await serve(vllm({ id: 'slow', maxModelLen: 32_768 }));
  const gone = await startLocalServer({});
  await gone.close();
  const addresses = [server, gone].map(({ baseUrl }) => ({ name: 'a server', baseUrl }));
  const refused = await ask(gone.baseUrl, AbortSignal.timeout(60_000));
  let isTime = (): void => undefined;
  const time = new Promise<void>((resolve) => {
    isTime = resolve;
  });
  const slowly = async (baseUrl: string, signal: AbortSignal) => {
    if (baseUrl === gone.baseUrl) return refused;
    await time;
    return ask(baseUrl, signal);
  };
  const first = await findServers(addresses, slowly, 100);
  isTime();
  expect(first).toEqual({ servers: [], late: [addresses[0]] });
  const refined = await refineServers(first, slowly, 60_000);
  expect(refined.map(({ name }) => name)).toEqual(['vLLM']);
});

test('a query that ignores its signal is not waited for', async () => {
  const startedAt = performance.now();
  const found = await findServers(
    [{ name: 'x', baseUrl: 'http://127.0.0.1:1/v1' }],
    () => new Promise(() => {}),
  );
  expect(found.servers).toEqual([]);
  expect(found.late).toHaveLength(1);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(SEARCH_MS - 5);
});

test('a server without a model, or one that needs a key, is listed as well', async () => {
  const refuses: Routes = {
    '/v1/models': (response) => sendJson(response, { error: { message: 'no key' } }, 401),
  };
  const found = await search([await serve(refuses), await serve(ollama([]))]);
  expect(found.map(({ state }) => state.type).toSorted()).toEqual(['empty', 'wants_key']);
});

test('a server on another machine is shown but not queried', async () => {
  const asked: string[] = [];
  const found = await findServers(
    localAddresses({ OLLAMA_HOST: 'gpu.lan', CLAWDCODE_LOCAL_SERVERS: 'none' }),
    (url) => {
      asked.push(url);
      return new Promise(() => {});
    },
  );
  expect(asked).toEqual([]);
  expect(found.servers).toEqual([
    {
      name: 'Ollama',
      baseUrl: 'http://gpu.lan:11434/v1',
      state: { type: 'unasked', source: 'OLLAMA_HOST' },
    },
  ]);
});

describe('the addresses', () => {
  const urls = (env: Record<string, string>): string[] => localAddresses(env).map(({ baseUrl }) => baseUrl);
  test('are the default ports of this machine only', () => {
    expect(urls({})).toEqual([
      'http://127.0.0.1:11434/v1',
      'http://127.0.0.1:1234/v1',
      'http://127.0.0.1:8080/v1',
      'http://127.0.0.1:8000/v1',
    ]);
  });
  test.each([
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    ['127.0.0.1:8888', 'http://127.0.0.1:8888/v1'],
    [':8888', 'http://127.0.0.1:8888/v1'],
    ['http://localhost:8888/', 'http://localhost:8888/v1'],
    ['[::1]:8888', 'http://[::1]:8888/v1'],
    ['"localhost"', 'http://localhost:11434/v1'],
    ['https://gpu.example', 'https://gpu.example/v1'],
  ])('OLLAMA_HOST=%s is %s', (host, expected) => {
    expect(urls({ OLLAMA_HOST: host })[0]).toBe(expected);
    expect(urls({ OLLAMA_HOST: host })).toHaveLength(4);
  });
  test('an invalid OLLAMA_HOST leaves the default', () => {
    expect(urls({ OLLAMA_HOST: 'http://[' })).toHaveLength(4);
  });
  test('CLAWDCODE_LOCAL_SERVERS replaces them, and only this machine is queried', () => {
    const given = localAddresses({ CLAWDCODE_LOCAL_SERVERS: '127.0.0.1:5001, http://gpu.lan:1/v1' });
    expect(given).toEqual([
      { name: '127.0.0.1:5001', baseUrl: 'http://127.0.0.1:5001/v1' },
      { name: 'gpu.lan:1', baseUrl: 'http://gpu.lan:1/v1', unaskedFrom: 'CLAWDCODE_LOCAL_SERVERS' },
    ]);
    expect(localAddresses({ CLAWDCODE_LOCAL_SERVERS: 'none' })).toEqual([]);
  });
});

test.each([
  ['one that calls tools before one that does not', [{ id: 'a', tools: false }, { id: 'b' }], 'b'],
  ['one in memory before one that must be loaded', [{ id: 'a' }, { id: 'b', loaded: true }], 'b'],
  ['one for code', [{ id: 'llama3.1:8b' }, { id: 'qwen2.5-coder:7b' }], 'qwen2.5-coder:7b'],
  [
    'the larger window',
    [
      { id: 'a', windowTokens: 16_384 },
      { id: 'b', windowTokens: 65_536 },
    ],
    'b',
  ],
  ['never a window that the prompt fills', [{ id: 'a', windowTokens: 4096, loaded: true }, { id: 'b' }], 'b'],
  ['or one that was made for no more', [{ id: 'a', maxWindowTokens: 8192, tools: true }, { id: 'b' }], 'b'],
  ['the first, if nothing is known', [{ id: 'x' }, { id: 'y' }], 'x'],
  ['never an embedding model', [{ id: 'a', unfit: true, tools: true }, { id: 'b' }], 'b'],
])('the first model is %s', (_, models, expected) => {
  expect(rankModels(models)[0]?.id).toBe(expected);
});
