import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createModelChoice, listModels } from '../../src/cli/models.ts';
import { settingsSchema } from '../../src/config/schema.ts';
import { DEMO_MODEL } from '../../src/model/demo.ts';

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
  ['hangs up', undefined, (request) => request.destroy(), 'cannot be reached'],
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
