import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CheckPorts, checkAccess } from '../../../src/cli/onboarding/checkAccess.ts';
import { createSetupPort } from '../../../src/cli/onboarding/onboarding.ts';
import { readAppPaths } from '../../../src/cli/process/appPaths.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import type { ModelError } from '../../../src/protocol/models/model.ts';
import type { Access, AccessOutcome } from '../../../src/ui/onboarding/SetupPort.ts';
import {
  type Asked,
  ollama,
  type Route,
  type Routes,
  saying,
  sendJson,
  startLocalServer,
} from '../../e2e/support/localServers.ts';
import { serve } from '../../e2e/support/onboarding.ts';

const KEY = 'sk-very-secret-key';

async function check(
  access: Partial<Access> & { baseUrl: string },
  signal?: AbortSignal,
  env: Readonly<Record<string, string>> = {},
): Promise<AccessOutcome> {
  const place = { ...readAppPaths(), env, dataRoot: '/nonexistent/data' };
  const loaded = await loadSettings({ ...place, root: '/nonexistent', flags: {}, trusted: false });
  const setup = createSetupPort(place, loaded);
  return setup.check({ apiKey: '', model: '', ...access }, signal ?? new AbortController().signal);
}

const list = (...ids: string[]): object => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model' })),
});
const refuse =
  (status: number, message: string): Route =>
  (response) =>
    sendJson(response, { error: { message } }, status);
/** Only with the key. */
const withKey =
  (route: Route): Route =>
  (response, asked: Asked) => {
    if (asked.headers.authorization !== `Bearer ${KEY}`)
      sendJson(response, { error: { message: 'bad key' } }, 401);
    else if (typeof route === 'function') route(response, asked);
    else sendJson(response, route);
  };

describe('without a model', () => {
  test('returns the list, best first, with the address to save', async () => {
    const server = await serve(
      ollama([
        { name: 'llava:7b', maxContext: 4096, capabilities: ['completion'] },
        { name: 'qwen3:8b', maxContext: 40_960 },
      ]),
    );
    expect(await check({ baseUrl: server.origin })).toMatchObject({
      type: 'models',
      baseUrl: server.baseUrl,
      models: [{ id: 'qwen3:8b' }, { id: 'llava:7b' }],
      isProven: true,
    });
  });

  test('an endpoint without a list requires a model name, and nothing else is requested', async () => {
    const server = await serve({ '/v1/chat/completions': saying('hi') });
    expect(await check({ baseUrl: server.baseUrl, apiKey: KEY })).toMatchObject({
      type: 'refused',
      field: 'model',
    });
    expect(server.asked.map(({ path }) => path)).not.toContain('/v1/chat/completions');
  });
});

describe('a rejection names the field to fix', () => {
  test.each<[string, Routes, Partial<Access>, string, RegExp]>([
    [
      'a wrong key',
      { '/v1/models': withKey(list('m')) },
      { apiKey: 'sk-wrong-wrong' },
      'apiKey',
      /rejected the API key/,
    ],
    ['no key', { '/v1/models': withKey(list('m')) }, {}, 'apiKey', /needs an API key/],
    [
      'a web page',
      { '/v1/models': (response) => response.end('<html>') },
      {},
      'baseUrl',
      /does not answer like/,
    ],
    [
      'an unknown model',
      {
        '/v1/models': withKey(list('a', 'b')),
        '/v1/chat/completions': refuse(404, 'The model `x` does not exist'),
      },
      { apiKey: KEY, model: 'x' },
      'model',
      /x was not found .* It has a, b\./,
    ],
    [
      'an unknown model, without a list',
      { '/v1/chat/completions': refuse(404, 'model "x" not found') },
      { model: 'x' },
      'model',
      /x was not found/,
    ],
    ['a broken server', { '/v1/models': refuse(500, 'out of memory') }, {}, 'baseUrl', /out of memory/],
  ])('%s', async (_, routes, given, field, message) => {
    const { baseUrl } = await serve(routes);
    const outcome = await check({ baseUrl, ...given });
    expect(outcome).toMatchObject({ type: 'refused', field, message: expect.stringMatching(message) });
    expect(JSON.stringify(outcome)).not.toContain('sk-');
  });

  test('no server', async () => {
    const server = await startLocalServer({});
    await server.close();
    expect(await check({ baseUrl: server.baseUrl })).toMatchObject({
      type: 'refused',
      field: 'baseUrl',
      message: expect.stringContaining('connection refused'),
    });
  });
});

describe('with a model', () => {
  test('a model in a list that needs the key is accepted without a prompt', async () => {
    const server = await serve({ '/v1/models': withKey(list('m')) });
    expect(await check({ baseUrl: server.baseUrl, apiKey: KEY, model: 'm' })).toEqual({
      type: 'accepted',
      access: { baseUrl: server.baseUrl, apiKey: KEY, model: 'm' },
    });
  });

  test('without a list, one tiny prompt proves it', async () => {
    const server = await serve({ '/v1/chat/completions': withKey(saying('hi')) });
    expect(await check({ baseUrl: server.baseUrl, apiKey: KEY, model: 'm' })).toMatchObject({
      type: 'accepted',
    });
    const prompts = server.asked.filter(({ path }) => path === '/v1/chat/completions');
    expect(prompts).toHaveLength(1);
    expect(JSON.stringify(prompts[0]?.body).length).toBeLessThan(300);
  });

  test('a rate limit does not mean a wrong key', async () => {
    const server = await serve({ '/v1/chat/completions': refuse(429, 'slow down') });
    expect(await check({ baseUrl: server.baseUrl, apiKey: KEY, model: 'm' })).toMatchObject({
      type: 'accepted',
    });
  });
});

describe('if the list is public', () => {
  const facts = { kind: 'other', baseUrl: 'https://broker.example/v1', models: [{ id: 'm' }] } as const;
  const access = { baseUrl: 'https://broker.example/v1', apiKey: KEY, model: '' };
  const asked: (string | undefined)[] = [];
  const ports = (error?: ModelError): CheckPorts => ({
    async ask({ apiKey }) {
      asked.push(apiKey);
      return { type: 'server', facts };
    },
    tryModel: async () => error,
  });
  const signal = new AbortController().signal;

  test('the list proves nothing, so a prompt is sent', async () => {
    const wrong: ModelError = { kind: 'auth', message: 'It refused the key.', retryable: false };
    expect(await checkAccess(access, ports(), signal)).toMatchObject({ type: 'models', isProven: false });
    expect(new Set(asked)).toEqual(new Set([KEY, undefined]));
    const chosen = { ...access, model: 'm' };
    expect(await checkAccess(chosen, ports(), signal)).toMatchObject({ type: 'accepted' });
    expect(await checkAccess(chosen, ports(wrong), signal)).toEqual({
      type: 'refused',
      field: 'apiKey',
      message: 'It refused the key.',
    });
  });
});

describe('a public list on this machine', () => {
  test('does not prove a gateway’s key: the prompt does', async () => {
    const server = await serve({
      '/v1/models': list('m'),
      '/v1/chat/completions': withKey(saying('ok')),
    });
    const { baseUrl } = server;
    expect(await check({ baseUrl, apiKey: 'wrong', model: 'm' })).toMatchObject({
      type: 'refused',
      field: 'apiKey',
    });
    expect(await check({ baseUrl, apiKey: KEY, model: 'm' })).toMatchObject({ type: 'accepted' });
  });

  test('is enough from a known local server: no model is loaded for a prompt', async () => {
    const server = await serve(ollama([{ name: 'qwen3:8b', maxContext: 40_960 }]));
    const { baseUrl } = server;
    expect(await check({ baseUrl, apiKey: 'whatever', model: 'qwen3:8b' })).toMatchObject({
      type: 'accepted',
    });
    expect(server.asked.filter(({ path }) => path.includes('chat'))).toEqual([]);
  });
});

test('the check stops immediately on abort', async () => {
  const server = await serve({ '/v1/models': () => {} });
  const controller = new AbortController();
  const checking = check({ baseUrl: server.baseUrl }, controller.signal);
  setTimeout(() => controller.abort(), 50);
  const startedAt = performance.now();
  expect(await checking).toMatchObject({ type: 'refused' });
  // On its own it gives up after ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(9000);
});

test('a key is tested through the environment’s proxy', async () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(list('behind-the-proxy')));
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  const baseUrl = 'http://llm.example.invalid/v1';
  const outcome = await check({ baseUrl }, undefined, { HTTP_PROXY: `http://127.0.0.1:${port}` });
  expect(outcome).toMatchObject({ type: 'models', models: [{ id: 'behind-the-proxy' }] });
  expect(seen[0]).toContain('llm.example.invalid/v1/models');
});
