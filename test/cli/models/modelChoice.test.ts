import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createModelChoice, listModels, summaryModel } from '../../../src/cli/models/modelChoice.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import { DEMO_MODEL } from '../../../src/model/demo.ts';
import { createServedModels } from '../../../src/model/servers/servedModels.ts';
import { ollama, startLocalServer } from '../../e2e/support/localServers.ts';

const settings = (given: unknown) => settingsSchema.parse(given);

/** Remembers in memory. */
function rememberedWindows(windows = new Map<string, number>()) {
  const told = new Set<string>();
  return {
    get: (model: string) => windows.get(model),
    isReported: (model: string) => told.has(model),
    reported: async (model: string) => void told.add(model),
  };
}

test.each([
  ['a known model', 'gpt-4.1', {}, { windowTokens: 1_047_576, source: 'catalogue' }],
  ['an unknown model', 'nobody/knows', {}, { windowTokens: 128_000, source: 'assumed' }],
  [
    'an unknown model on this machine',
    'nobody/knows',
    { baseUrl: 'http://localhost:8080/v1' },
    { windowTokens: 32_000, source: 'assumed' },
  ],
  [
    'an unknown model in the local network',
    'nobody/knows',
    { baseUrl: 'http://192.168.1.20:8080/v1' },
    { windowTokens: 32_000, source: 'assumed' },
  ],
  [
    'an unknown model at a remote endpoint',
    'nobody/knows',
    { baseUrl: 'https://models.example.com/v1' },
    { windowTokens: 128_000, source: 'assumed' },
  ],
  [
    'a known model that a local server may have loaded with a smaller window',
    'llama3.1:8b',
    { baseUrl: 'http://localhost:11434/v1' },
    { windowTokens: 32_000, source: 'assumed' },
  ],
  [
    'an unknown model on this machine and another default',
    'nobody/knows',
    { baseUrl: 'http://localhost:8080/v1', context: { unknownWindow: 9000 } },
    { windowTokens: 9000, source: 'assumed' },
  ],
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
    'a model with its own facts in the settings',
    'mine',
    { models: { mine: { contextWindow: 64_000, maxOutputTokens: 2000 } } },
    { windowTokens: 64_000, maxOutputTokens: 2000, source: 'setting' },
  ],
  [
    'a model with its own facts and --context-window',
    'mine',
    { contextWindow: 8000, models: { mine: { contextWindow: 64_000 } } },
    { windowTokens: 8000, source: 'setting' },
  ],
  ['the demo model', DEMO_MODEL, {}, { windowTokens: 32_000, source: 'catalogue' }],
  ['the demo model in a smaller window', DEMO_MODEL, { contextWindow: 8000 }, { windowTokens: 8000 }],
])('facts about %s', (_, id, given, expected) => {
  expect(createModelChoice(id, settings(given)).current()).toMatchObject({ id, ...expected });
});

describe('a server that never answers', () => {
  /** The choice under test, its session opened with a prompt; `asked` lists the server's queries. */
  async function startSilent(given: { contextWindow?: number }) {
    const server = await startLocalServer({ '/v1/models': () => {} });
    onTestFinished(server.close);
    const { baseUrl } = server;
    const served = createServedModels({ baseUrl, apiKey: undefined, now: Date.now, patienceMs: 2 ** 30 });
    const choice = createModelChoice('m', settings({ ...given, baseUrl }), { served, hasPrompt: true });
    return { choice, asked: () => server.asked.map(({ path }) => path) };
  }

  test('does not delay a prompt that does not need its answer', async () => {
    const { choice, asked } = await startSilent({ contextWindow: 9000 });
    expect(await choice.waitForFacts(new AbortController().signal)).toEqual([]);
    expect(asked()).toEqual([]);
  });

  test('delays a prompt that fits any window only briefly', async () => {
    const { choice, asked } = await startSilent({});
    expect(await choice.waitForFacts(new AbortController().signal, () => 4096)).toEqual([]);
    await expect.poll(asked).toEqual(['/v1/models']);
  });
});

test('a server window smaller than the settings claim is reported before any turn', async () => {
  const server = await startLocalServer(ollama([{ name: 'm', maxContext: 131_072, running: 4096 }]));
  onTestFinished(server.close);
  const served = createServedModels({ baseUrl: server.baseUrl, apiKey: undefined, now: Date.now });
  const choice = createModelChoice('m', settings({ baseUrl: server.baseUrl, contextWindow: 9000 }), {
    served,
  });
  const told: string[] = [];
  choice.onAssumed((text) => told.push(text));
  await expect.poll(() => told).toEqual([expect.stringContaining('9,000')]);
  expect(await choice.waitForFacts(new AbortController().signal)).toEqual([]);
});

test('facts reported between turns are passed on once, and only if they are new', async () => {
  const server = await startLocalServer(ollama([{ name: 'm', maxContext: 131_072, running: 65_536 }]));
  onTestFinished(server.close);
  const served = createServedModels({ baseUrl: server.baseUrl, apiKey: undefined, now: Date.now });
  const learned = vi.fn();
  const choice = createModelChoice('m', settings({ baseUrl: server.baseUrl }), {
    served,
    onLearned: learned,
  });
  await expect.poll(() => learned.mock.calls.length).toBe(1);
  expect(choice.current()).toMatchObject({ windowTokens: 65_536, source: 'server' });
  choice.select('m');
  await served.ask('m');
  expect(learned).toHaveBeenCalledOnce();
});

describe('an assumed window is reported', () => {
  /** A server that lists its models and reports no window. */
  const silent = () =>
    endpoint((_, response) => void response.end(JSON.stringify({ data: [{ id: 'm' }, { id: 'n' }] })));
  const servedAt = (baseUrl: string) =>
    createServedModels({ baseUrl, apiKey: undefined, now: Date.now, patienceMs: 5000 });
  const { signal } = new AbortController();

  test('automatically after the query, in one line, and never twice', async () => {
    const baseUrl = await silent();
    const [served, learnedWindows] = [servedAt(baseUrl), rememberedWindows()];
    const told: string[] = [];
    const choose = () => createModelChoice('m', settings({ baseUrl }), { served, learnedWindows });
    const choice = choose();
    choice.onAssumed((text) => told.push(text));
    expect(told).toEqual([]);
    await expect.poll(() => told.length).toBe(1);
    expect(told).toEqual([
      'Context window unknown for m: assuming 32,000 tokens. Set it if you know it: clawdcode config set contextWindow TOKENS',
    ]);
    await choice.waitForFacts(signal);
    const next = choose();
    next.onAssumed((text) => told.push(text));
    await next.waitForFacts(signal);
    expect(told).toHaveLength(1);
    next.select('n');
    await next.waitForFacts(signal);
    next.select('m');
    await next.waitForFacts(signal);
    expect(told).toEqual([expect.any(String), expect.stringContaining('unknown for n')]);
  });

  test('to later listeners, and not to removed ones', async () => {
    const baseUrl = await silent();
    const choice = createModelChoice('m', settings({ baseUrl }), { served: servedAt(baseUrl) });
    const gone = vi.fn();
    choice.onAssumed(gone)();
    await choice.waitForFacts(signal);
    const late = vi.fn();
    choice.onAssumed(late);
    expect([gone.mock.calls.length, late.mock.calls.length]).toEqual([0, 1]);
  });

  test('not if the window is known', async () => {
    const baseUrl = await silent();
    const served = servedAt(baseUrl);
    const told = vi.fn();
    const given = [
      createModelChoice('m', settings({ baseUrl, contextWindow: 9000 }), { served }),
      createModelChoice('m', settings({ baseUrl }), {
        ...{ served, learnedWindows: rememberedWindows(new Map([['m', 20_000]])) },
      }),
      createModelChoice('m', settings({ baseUrl }), { served, isLearnedInSession: () => true }),
      createModelChoice('gpt-oss-20b', settings({ baseUrl }), { served }),
    ];
    for (const choice of given) {
      choice.onAssumed(told);
      await choice.waitForFacts(signal);
    }
    expect(told).not.toHaveBeenCalled();
  });

  test('not before Ollama has loaded the model and reports it', async () => {
    const server = await startLocalServer(
      ollama([{ name: 'm', maxContext: 131_072 }], { defaultContext: 16_384 }),
    );
    onTestFinished(server.close);
    const served = servedAt(server.baseUrl);
    const choice = createModelChoice('m', settings({ baseUrl: server.baseUrl }), { served });
    const told = vi.fn();
    choice.onAssumed(told);
    await served.ask('m');
    expect(served.awaitsLoad('m')).toBe(true);
    // Automatic queries have ended as well.
    await expect.poll(() => server.asked.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(told).not.toHaveBeenCalled();
    await choice.waitForFacts(signal);
    expect(choice.current()).toMatchObject({ windowTokens: 16_384, source: 'server' });
    expect(told).not.toHaveBeenCalled();
  });
});

test('a window learned during the session applies at once', () => {
  const learned = new Map<string, number>();
  const choice = createModelChoice('m', settings({}), { learnedWindows: rememberedWindows(learned) });
  expect(choice.current()).toMatchObject({ windowTokens: 128_000, source: 'assumed' });
  learned.set('m', 20_000);
  expect(choice.current()).toMatchObject({ windowTokens: 20_000, source: 'learned' });
  expect(choice.current()).toBe(choice.current());
  expect(choice.select('n')).toMatchObject({ source: 'assumed' });
});

test('the server overrides the catalogue, and the settings override the server', async () => {
  const server = await startLocalServer(
    ollama([
      { name: 'gpt-oss-20b', maxContext: 131_072, running: 4096, capabilities: ['completion', 'vision'] },
    ]),
  );
  onTestFinished(server.close);
  const served = () =>
    createServedModels({ baseUrl: server.baseUrl, apiKey: undefined, now: Date.now, patienceMs: 5000 });
  const signal = new AbortController().signal;
  const choice = createModelChoice('gpt-oss-20b', settings({ baseUrl: server.baseUrl }), {
    served: served(),
  });
  expect(choice.current().source).toBe('catalogue');
  expect(await choice.waitForFacts(signal)).toEqual([expect.stringContaining('OLLAMA_CONTEXT_LENGTH')]);
  expect(choice.current()).toMatchObject({
    windowTokens: 4096,
    maxOutputTokens: 1024,
    source: 'server',
    seesImages: true,
    callsTools: false,
    provider: 'local',
  });
  expect(choice.current()).toBe(choice.current());
  expect(await choice.waitForFacts(signal)).toEqual([]);

  const asked = served();
  const own = createModelChoice(
    'gpt-oss-20b',
    settings({ baseUrl: server.baseUrl, models: { 'gpt-*': { contextWindow: 3000, tools: true } } }),
    { served: asked },
  );
  await asked.ask('gpt-oss-20b');
  expect(await own.waitForFacts(signal)).toEqual([]);
  expect(own.current()).toMatchObject({
    windowTokens: 3000,
    source: 'setting',
    callsTools: true,
    seesImages: true,
  });
});

test('if only the provider serves a model, no server is queried, so the first request does not wait', async () => {
  const asked: string[] = [];
  const baseUrl = await endpoint((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  });
  const choice = createModelChoice('gpt-4.1', settings({ baseUrl }), {
    served: createServedModels({ baseUrl, apiKey: undefined, now: Date.now }),
  });
  expect(await choice.waitForFacts(new AbortController().signal)).toEqual([]);
  choice.select('claude-sonnet-4-6');
  expect(asked).toEqual([]);
  choice.select('llama3.2');
  await choice.waitForFacts(new AbortController().signal);
  expect(asked).not.toEqual([]);
});

test("a user's own prices apply", () => {
  const models = { 'mine/*': { price: { input: 2, output: 4 } } };
  const choice = createModelChoice('x', settings({ models }));
  const usage = { inputTokens: 1_000_000, outputTokens: 500_000, cachedTokens: 300_000 };
  expect(choice.costUsd('mine/model', usage)).toBeCloseTo(4);
  expect(choice.costUsd('gpt-4.1', usage)).toBeCloseTo(0.7 * 2 + 0.3 * 0.5 + 4);
});

test('a switch changes the current model', () => {
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

test('the models of an endpoint are listed by name, using the key', async () => {
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
  ['says no', undefined, (_: unknown, response) => response.writeHead(404).end('none'), 'does not list'],
  [
    'replies in another format',
    undefined,
    (_: unknown, response) => response.end('{"models":[]}'),
    'not list',
  ],
  ['replies with nothing', undefined, (_: unknown, response) => response.end('null'), 'does not list'],
  ['has none', undefined, (_: unknown, response) => response.end('{"data":[]}'), 'does not list'],
  ['hangs up', undefined, (request) => request.destroy(), 'broke. Check the server'],
  [
    'redirects to another host',
    undefined,
    (_: unknown, response) =>
      response.writeHead(302, { location: 'http://elsewhere.example/v1/models' }).end(),
    'redirects to http://elsewhere.example',
  ],
  ['fails', undefined, (_: unknown, response) => response.writeHead(502).end('bad gateway'), 'HTTP 502'],
  ['wants a key', undefined, (_: unknown, response) => response.writeHead(401).end('{}'), 'none is set'],
  [
    'rejects the key',
    'bad',
    (_: unknown, response) => response.writeHead(403).end('{}'),
    'rejected the API key',
  ],
] satisfies [string, string | undefined, RequestListener, string][])(
  'an endpoint that %s has no list, and that is the reason given',
  async (_, key, listener, reason) => {
    const list = await listModels(await endpoint(listener), key);
    expect(list).toEqual({ ids: [], problem: expect.stringContaining(reason) });
  },
);

test.each<[object, 'low' | 'max' | undefined, string | undefined]>([
  [{}, undefined, undefined],
  [{ effort: 'high' }, undefined, 'high'],
  [{ effort: 'high', models: { m: { effort: 'medium' } } }, undefined, 'medium'],
  [{ effort: 'high', models: { m: { effort: 'medium' } } }, 'low', 'low'],
  [{}, 'max', 'high'],
  [{ models: { m: { efforts: ['low', 'max'] } } }, 'max', 'max'],
  [{ effort: 'medium', models: { m: { efforts: ['high', 'max'] } } }, undefined, 'high'],
])('the effort that is sent: %o, chosen for the session: %s', (given, effort, expected) => {
  const choice = createModelChoice('m', settings(given), { effort });
  expect(choice.current().effort).toBe(expected);
  expect(choice.setEffort(undefined).effort).toBeUndefined();
});

test('an unsupported effort level is reported once', async () => {
  const choice = createModelChoice('m', settings({}), { effort: 'max' });
  const { signal } = new AbortController();
  expect(await choice.waitForFacts(signal)).toEqual(['m has no effort "max"; using high.']);
  expect(await choice.waitForFacts(signal)).toEqual([]);
});

test.each([
  [{}, undefined],
  [{ smallModel: 'tiny' }, undefined],
  [{ context: { summaryModel: 'small' } }, undefined],
  [{ smallModel: 'tiny', context: { summaryModel: 'small' } }, 'tiny'],
])('a different model writes summaries only if the settings say so: %o', (given, expected) => {
  const { infoOf } = createModelChoice('m', settings(given));
  expect(summaryModel(settings(given), infoOf)?.id).toBe(expected);
});

test('a change of thinking keeps the options that it does not name, and can be undone', () => {
  const thinking = { thinkingBudget: 8000, thinkingDisplay: 'omitted' } as const;
  const choice = createModelChoice('m', settings({}), { thinking });
  expect(choice.current()).toMatchObject(thinking);
  expect(choice.setThinking({ budget: 0 })).toMatchObject({ thinkingBudget: 0, thinkingDisplay: 'omitted' });
  expect(choice.setThinking({ display: 'summarized' })).toMatchObject({
    thinkingBudget: 0,
    thinkingDisplay: 'summarized',
  });
  expect(choice.select('n')).toMatchObject({ thinkingBudget: 0, thinkingDisplay: 'summarized' });
  expect(choice.setThinking({ budget: 'default', display: 'default' })).toMatchObject(thinking);
});
