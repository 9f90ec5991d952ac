import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createModelChoice, listModels } from '../../src/cli/models.ts';
import { settingsSchema } from '../../src/config/schema.ts';
import { DEMO_MODEL } from '../../src/model/demo.ts';
import { createServedModels } from '../../src/model/servers/servedModels.ts';
import { ollama, startLocalServer } from '../e2e/support/localServers.ts';

const settings = (given: unknown) => settingsSchema.parse(given);

test.each([
  ['a known model', 'gpt-4.1', {}, { windowTokens: 1_047_576, source: 'catalogue' }],
  ['an unknown model', 'nobody/knows', {}, { windowTokens: 48_000, source: 'assumed' }],
  [
    'an unknown model and another default',
    'nobody/knows',
    { context: { unknownWindow: 9000 } },
    { windowTokens: 9000, source: 'assumed' },
  ],
  [
    'an unknown model and --context-window',
    'nobody/knows',
    { contextWindow: 8000 },
    { windowTokens: 8000, source: 'setting' },
  ],
  [
    'a model with facts of its own in the settings',
    'mine',
    { models: { mine: { contextWindow: 64_000, maxOutputTokens: 2000 } } },
    { windowTokens: 64_000, maxOutputTokens: 2000, source: 'setting' },
  ],
  [
    'a model with facts of its own and --context-window',
    'mine',
    { contextWindow: 8000, models: { mine: { contextWindow: 64_000 } } },
    { windowTokens: 8000, source: 'setting' },
  ],
  ['the demo model', DEMO_MODEL, {}, { windowTokens: 32_000, source: 'catalogue' }],
  ['the demo model in a smaller window', DEMO_MODEL, { contextWindow: 8000 }, { windowTokens: 8000 }],
])('what is known of %s', (_, id, given, expected) => {
  expect(createModelChoice(id, settings(given)).current()).toMatchObject({ id, ...expected });
});

test('what the server tells without a turn is passed on, once and only when it is news', async () => {
  const server = await startLocalServer(ollama([{ name: 'm', maxContext: 131_072, running: 65_536 }]));
  onTestFinished(server.close);
  const served = createServedModels({ baseUrl: server.baseUrl, apiKey: undefined, now: Date.now });
  const learned = vi.fn();
  const choice = createModelChoice('m', settings({ baseUrl: server.baseUrl }), served, learned);
  await expect.poll(() => learned.mock.calls.length, { timeout: 10_000 }).toBe(1);
  expect(choice.current()).toMatchObject({ windowTokens: 65_536, source: 'server' });
  choice.select('m');
  await served.ask('m');
  expect(learned).toHaveBeenCalledOnce();
});

test('the server is believed over the catalogue, and the settings over the server', async () => {
  const server = await startLocalServer(
    ollama([
      { name: 'gpt-oss-20b', maxContext: 131_072, running: 4096, capabilities: ['completion', 'vision'] },
    ]),
  );
  onTestFinished(server.close);
  const served = () =>
    createServedModels({ baseUrl: server.baseUrl, apiKey: undefined, now: Date.now, patienceMs: 5000 });
  const signal = new AbortController().signal;
  const choice = createModelChoice('gpt-oss-20b', settings({ baseUrl: server.baseUrl }), served());
  expect(choice.current().source).toBe('catalogue');
  expect(await choice.settle(signal)).toEqual([expect.stringContaining('OLLAMA_CONTEXT_LENGTH')]);
  expect(choice.current()).toMatchObject({
    windowTokens: 4096,
    maxOutputTokens: 1024,
    source: 'server',
    seesImages: true,
    callsTools: false,
    provider: 'local',
  });
  expect(choice.current()).toBe(choice.current());
  expect(await choice.settle(signal)).toEqual([]);

  const own = createModelChoice(
    'gpt-oss-20b',
    settings({ baseUrl: server.baseUrl, models: { 'gpt-*': { contextWindow: 3000, tools: true } } }),
    served(),
  );
  expect(await own.settle(signal)).toEqual([]);
  expect(own.current()).toMatchObject({
    windowTokens: 3000,
    source: 'setting',
    callsTools: true,
    seesImages: true,
  });
});

test('of a model that its provider alone serves no server is asked: the first request does not wait for that', async () => {
  const asked: string[] = [];
  const baseUrl = await endpoint((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  });
  const choice = createModelChoice(
    'gpt-4.1',
    settings({ baseUrl }),
    createServedModels({ baseUrl, apiKey: undefined, now: Date.now }),
  );
  expect(await choice.settle(new AbortController().signal)).toEqual([]);
  choice.select('claude-sonnet-4-6');
  expect(asked).toEqual([]);
  choice.select('llama3.2');
  await choice.settle(new AbortController().signal);
  expect(asked).not.toEqual([]);
});

test("a user's own prices count", () => {
  const models = { 'mine/*': { price: { input: 2, output: 4 } } };
  const choice = createModelChoice('x', settings({ models }));
  const usage = { inputTokens: 1_000_000, outputTokens: 500_000, cachedTokens: 300_000 };
  expect(choice.costUsd('mine/model', usage)).toBeCloseTo(4);
  expect(choice.costUsd('gpt-4.1', usage)).toBeCloseTo(0.7 * 2 + 0.3 * 0.5 + 4);
});

test('a switch changes what is current', () => {
  const choice = createModelChoice('gpt-4.1', settings({}));
  expect(choice.select('nobody/knows')).toEqual(choice.current());
  expect(choice.current().id).toBe('nobody/knows');
});

test('the cost follows the model that was used, not the one that is current', () => {
  const choice = createModelChoice(DEMO_MODEL, settings({}));
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  expect(choice.costUsd(DEMO_MODEL, usage)).toBe(0);
  expect(choice.costUsd('gpt-4.1', usage)).toBeGreaterThan(0);
  expect(choice.costUsd('nobody/knows', usage)).toBeUndefined();
});

async function endpoint(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test('the models of an endpoint are listed by name, with the key', async () => {
  const asked: unknown[] = [];
  const url = await endpoint((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    response.end(JSON.stringify({ data: [{ id: 'b' }, { id: 'a' }, { id: 7 }, {}] }));
  });
  expect(await listModels(`${url}/`, 'key')).toEqual({ ids: ['a', 'b'] });
  expect(await listModels(url, undefined)).toEqual({ ids: ['a', 'b'] });
  expect(asked).toEqual([
    ['/v1/models', 'Bearer key'],
    ['/v1/models', undefined],
  ]);
});

test.each([
  ['says no', undefined, (_: unknown, response) => response.writeHead(404).end('none'), 'does not say'],
  ['answers in another shape', undefined, (_: unknown, response) => response.end('{"models":[]}'), 'not say'],
  ['answers with nothing', undefined, (_: unknown, response) => response.end('null'), 'does not say'],
  ['has none', undefined, (_: unknown, response) => response.end('{"data":[]}'), 'does not say'],
  ['hangs up', undefined, (request) => request.destroy(), 'broke. Check the server'],
  [
    'sends on to another host',
    undefined,
    (_: unknown, response) =>
      response.writeHead(302, { location: 'http://elsewhere.example/v1/models' }).end(),
    'sends requests on to http://elsewhere.example',
  ],
  ['fails', undefined, (_: unknown, response) => response.writeHead(502).end('bad gateway'), 'HTTP 502'],
  ['wants a key', undefined, (_: unknown, response) => response.writeHead(401).end('{}'), 'none is set'],
  [
    'refuses the key',
    'bad',
    (_: unknown, response) => response.writeHead(403).end('{}'),
    'refused the API key',
  ],
] satisfies [string, string | undefined, RequestListener, string][])(
  'an endpoint that %s has no list, and that is the reason given',
  async (_, key, listener, reason) => {
    const list = await listModels(await endpoint(listener), key);
    expect(list).toEqual({ ids: [], problem: expect.stringContaining(reason) });
  },
);
