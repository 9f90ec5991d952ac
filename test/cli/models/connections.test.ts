import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConnections, withNearestModels } from '../../../src/cli/models/connections.ts';
import { createEndpoints } from '../../../src/cli/models/endpoints.ts';
import { listAllModels } from '../../../src/cli/models/listAllModels.ts';
import { modelAdvice } from '../../../src/commands/model.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import { environmentSend } from '../../../src/model/http/environmentSend.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/protocol/models/model.ts';
import {
  type Asked,
  type Route,
  saying,
  sendJson,
  startLocalServer,
} from '../../e2e/support/localServers.ts';

interface Setup {
  readonly providers: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that accepts only one key, and names the requested model. */
async function startKeyed(accepted: () => string) {
  const chat: Route = (response, asked) => {
    if (asked.headers.authorization !== `Bearer ${accepted()}`)
      return sendJson(response, { error: { message: `no: ${asked.headers.authorization}` } }, 401);
    const answer = saying(`I am ${String(asked.body.model)}.`);
    if (typeof answer === 'function') answer(response, asked);
  };
  const server = await startLocalServer({
    '/v1/chat/completions': chat,
    '/v1/models': { object: 'list', data: [{ id: 'm' }, { id: 'vendor/n' }] },
  });
  onTestFinished(server.close);
  return server;
}

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'clawdcode-connections-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

async function open(
  { providers, env = {} }: Setup,
  standard = 'http://127.0.0.1:9/v1',
  home: string | undefined = undefined,
) {
  home ??= await newHome();
  const settings = settingsSchema.parse({ baseUrl: standard, apiKey: 'sk-standard', providers });
  const PATH = process.env.PATH ?? '';
  const endpoints = createEndpoints({
    ...{ settings, env: { PATH, ...env }, home, root: home },
    invalidProviders: ['broken'],
  });
  const send = environmentSend({});
  const lines: string[] = [];
  const connections = createConnections({
    ...{ endpoints, dataRoot: home, send, now: Date.now, userAgent: 'test', account: {} },
    debug: (line) => lines.push(line),
    onError: () => {},
  });
  const ask = async (
    model: string,
    tools: ModelRequest['tools'] = [],
    content = 'hi',
  ): Promise<ModelEvent[]> => {
    const request = { model, messages: [{ role: 'user', content } as const], tools };
    const events: ModelEvent[] = [];
    for await (const event of connections.client.stream(request, new AbortController().signal))
      events.push(event);
    return events;
  };
  return { home, endpoints, send, connections, lines, ask };
}

const keysOf = (asked: readonly Asked[]) => [...new Set(asked.map(({ headers }) => headers.authorization))];

test('each endpoint gets its own key and its own model name', async () => {
  const [standard, work, other] = await Promise.all([
    startKeyed(() => 'sk-standard'),
    startKeyed(() => 'sk-work'),
    startKeyed(() => 'sk-other'),
  ]);
  const { ask, endpoints, send } = await open(
    {
      providers: {
        work: { baseUrl: work.baseUrl, apiKey: 'sk-work' },
        other: { baseUrl: other.baseUrl, apiKeyEnv: 'OTHER_KEY' },
      },
      env: { OTHER_KEY: 'sk-other' },
    },
    standard.baseUrl,
  );
  for (const model of ['m', 'work/m', 'other/vendor/n', 'default/work/m']) {
    const id = model.replace(/^(?:work|other|default)\//, '');
    const last = (await ask(model)).at(-1);
    expect(last).toMatchObject({ type: 'done', reply: { message: { content: `I am ${id}.` } } });
  }
  const { ids } = await listAllModels(endpoints, send);
  expect(ids).toEqual(['m', 'vendor/n', 'work/m', 'work/vendor/n', 'other/m', 'other/vendor/n']);
  expect(keysOf(standard.asked)).toEqual(['Bearer sk-standard']);
  expect(keysOf(work.asked)).toEqual(['Bearer sk-work']);
  expect(keysOf(other.asked)).toEqual(['Bearer sk-other']);
});

test('a command that prints the key runs once, and again when the key is rejected', async () => {
  let accepted = 'sk-key-1';
  const server = await startKeyed(() => accepted);
  const { home, ask, lines, endpoints } = await open({
    providers: { work: { baseUrl: server.baseUrl, apiKeyHelper: 'echo run >> runs; cat key' } },
  });
  const runs = async () =>
    (await import('node:fs/promises')).readFile(join(home, 'runs'), 'utf8').then((text) => text.length / 4);
  await writeFile(join(home, 'key'), 'sk-key-1\n');
  await Promise.all([ask('work/m'), ask('work/m')]);
  expect(await runs()).toBe(1);
  accepted = 'sk-key-2';
  await writeFile(join(home, 'key'), 'sk-key-2\n');
  const renewed = await ask('work/m');
  expect(renewed.at(-1)).toMatchObject({ type: 'done' });
  expect(await runs()).toBe(2);
  accepted = 'sk-key-3';
  const rejected = await ask('work/m');
  const message =
    rejected.at(-1)?.type === 'failed' ? JSON.stringify(rejected.at(-1)) : 'the request did not fail';
  expect(message).toContain('rejected the key from apiKeyHelper');
  expect(message + lines.join('\n')).not.toContain('sk-key');
  expect(endpoints.secrets()).toEqual(expect.arrayContaining(['sk-key-1', 'sk-key-2', 'sk-standard']));
});

test('a notice before the request does not prevent renewing the key, and is not repeated', {
  tags: 'long',
}, async () => {
  let accepted = 'sk-key-1';
  const server = await startKeyed(() => accepted);
  const { home, ask } = await open({
    providers: {
      work: { baseUrl: server.baseUrl, apiKeyHelper: 'cat key', models: { m: { tools: false } } },
    },
  });
  const tools = [{ name: 'Read', description: 'Reads.', parameters: {} }];
  const types = async () => (await ask('work/m', tools)).map(({ type }) => type);
  await writeFile(join(home, 'key'), 'sk-key-1\n');
  accepted = 'sk-key-2';
  const first = ask('work/m', tools);
  expect((await first).map(({ type }) => type)).toEqual(['notice', 'failed']);
  await writeFile(join(home, 'key'), 'sk-key-2\n');
  const renewed = await types();
  expect(renewed).not.toContain('notice');
  expect(renewed.at(-1)).toBe('done');
});

test("a provider's rejection quotes the server; a key that cannot be sent was not rejected", async () => {
  const server = await startKeyed(() => 'other');
  const { ask } = await open({
    providers: {
      work: { baseUrl: server.baseUrl, apiKey: 'sk-wrong-key' },
      odd: { baseUrl: server.baseUrl, apiKey: 'sk-a\nb' },
      own: { baseUrl: server.baseUrl, headers: { Authorization: 'Token sk-own-key' } },
    },
  });
  const own = JSON.stringify(await ask('own/m'));
  expect(own).toContain('rejected the key from its Authorization header.');
  expect(own).not.toContain('sk-own-key');
  const said = JSON.stringify(await ask('work/m'));
  expect(said).toMatch(/rejected the key from providers\.work\.apiKey\. It said: /);
  expect(said).not.toContain('sk-wrong-key');
  const asked = server.asked.length;
  const odd = JSON.stringify(await ask('odd/m'));
  expect(odd).toContain('contains characters that no key has');
  expect(odd).toContain('providers.odd.apiKey');
  expect(server.asked).toHaveLength(asked);
});

test('the model of an invalid provider is never sent to the default endpoint', async () => {
  const server = await startKeyed(() => 'sk-standard');
  const { ask, endpoints } = await open({ providers: {} }, server.baseUrl);
  const [event] = await ask('broken/m');
  expect(JSON.stringify(event)).toContain('The provider \\"broken\\" is invalid');
  expect(server.asked).toEqual([]);
  expect((await ask(endpoints.nameOf(endpoints.find('m').endpoint, 'broken/m'))).at(-1)?.type).toBe('done');
});

test.each([
  [{ apiKeyHelper: 'echo secret-text >&2; exit 3' }, 'failed: it ended with exit code 3'],
  [{ apiKeyHelper: 'echo two words' }, 'it must print only the key'],
  [{ apiKeyHelper: 'true' }, 'it printed nothing'],
  [{ apiKeyEnv: 'NOT_SET' }, 'takes its key from NOT_SET, which is not set'],
])('without a key nothing is sent: %o', async (given, expected) => {
  const server = await startKeyed(() => 'x');
  const { ask } = await open({ providers: { work: { baseUrl: server.baseUrl, ...given } } });
  const [event, ...more] = await ask('work/m');
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: 'failed', error: { kind: 'auth' } });
  expect(JSON.stringify(event)).toContain(expected);
  expect(JSON.stringify(event)).not.toContain('secret-text');
  expect(server.asked).toEqual([]);
});

test.each([
  { typed: 'gpt-4.2', ids: ['gpt-4.1', 'o3'], advice: ' Did you mean "gpt-4.1"?' },
  { typed: 'qwen3', ids: ['llama3:8b', 'qwen3:8b'], advice: ' Did you mean "qwen3:8b"?' },
  { typed: 'GPT-4.1', ids: ['openai/gpt-4.1', 'openai/gpt-4'], advice: ' Did you mean "openai/gpt-4.1"?' },
  { typed: 'claude', ids: ['a1', 'b2'], advice: ' It has a1, b2.' },
  {
    typed: 'nothing-like-it',
    ids: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    advice: ' It has a, b, c, d, e and 2 more.',
  },
  { typed: 'x', ids: [], advice: '' },
  {
    typed: 'x',
    ids: ['x', 'y'],
    advice: ' The server lists it, so your account or region may not have access to it.',
  },
])('$typed among $ids:$advice', ({ typed, ids, advice }) => {
  expect(modelAdvice(typed, ids)).toBe(advice);
});

const request = { model: 'mock-1', messages: [], tools: [] } as unknown as ModelRequest;
const failing = (kind: 'model_not_found' | 'auth'): ModelClient => ({
  async *stream() {
    yield { type: 'failed', error: { kind, retryable: false, message: 'No.' } };
  },
});

async function eventsOf(client: ModelClient): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

test('an unknown model leads to the nearest names, and only then is the list requested', async () => {
  let asked = 0;
  const list = async () => {
    asked += 1;
    return { ids: ['mock-2'] };
  };
  expect(await eventsOf(withNearestModels(failing('model_not_found'), list))).toMatchObject([
    { type: 'failed', error: { message: 'No. Did you mean "mock-2"?' } },
  ]);
  expect(await eventsOf(withNearestModels(failing('auth'), list))).toMatchObject([
    { error: { message: 'No.' } },
  ]);
  expect(asked).toBe(1);
});

test("Anthropic's servers are used through their own API unless the settings say otherwise", () => {
  const wiresOf = (wire: 'chat' | null): string[] => {
    const at = { baseUrl: 'https://api.anthropic.com/v1', wire };
    const settings = settingsSchema.parse({ ...at, providers: { claude: at } });
    return createEndpoints({ settings }).all.map((endpoint) => endpoint.wire);
  };
  expect(wiresOf(null)).toEqual(['anthropic', 'anthropic']);
  expect(wiresOf('chat')).toEqual(['chat', 'chat']);
});

test('the size of a request that a server rejected is remembered in the next session', async () => {
  const server = await startLocalServer({
    '/v1/chat/completions': (response) => sendJson(response, { error: 'Entity too large' }, 413),
  });
  onTestFinished(server.close);
  const home = await newHome();
  const asked = () => server.asked.filter(({ method }) => method === 'POST').length;
  for (const [text, count] of [
    ['A'.repeat(200_000), 1],
    ['A'.repeat(200_000), 1],
    ['A'.repeat(100_000), 2],
  ] as const) {
    const { ask } = await open({ providers: {} }, server.baseUrl, home);
    const last = (await ask('m', [], text)).at(-1);
    expect(last).toMatchObject({ type: 'failed', error: { kind: 'overflow', isByteLimit: true } });
    expect(asked()).toBe(count);
  }
});
