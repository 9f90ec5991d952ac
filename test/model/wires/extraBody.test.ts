/** The user's own fields in the body of each wire. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { settingsSchema } from '../../../src/config/schema.ts';
import { createModelClient } from '../../../src/model/createModelClient.ts';
import { anthropicBody } from '../../../src/model/wires/anthropic/body.ts';
import {
  bodyHash,
  createBodyWriter,
  firstDialect,
  sentAs,
  toBody,
} from '../../../src/model/wires/chat/body.ts';
import type { SentDetails } from '../../../src/model/wires/createWireClient.ts';
import { fullForm } from '../../../src/model/wires/form.ts';
import { rebuildBody } from '../../../src/model/wires/rebuildBody.ts';
import { responsesBody } from '../../../src/model/wires/responses/body.ts';
import type { ModelRequest } from '../../../src/protocol/models/model.ts';
import { wires } from '../../../src/protocol/models/wires.ts';
import { type Asked, sendJson, startLocalServer } from '../../e2e/support/localServers.ts';

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [] };
const extraBody = {
  top_p: 0.5,
  reasoning: { summary: 'none', extra: { messages: [1] } },
  messages: [],
  input: 'other',
  tools: [{}],
  stream: false,
  model: 'dearer',
};
const details: SentDetails = { origin: 'here', form: fullForm, maxTokens: 1000, extraBody };
const dialect = { ...firstDialect('http://127.0.0.1/v1', 'm', false), extraBody };
const chat = (): object => toBody(request, dialect);

describe.each([
  ['chat', chat, 'messages'],
  ['responses', () => responsesBody(request, details), 'input'],
  ['anthropic', () => anthropicBody(request, details), 'messages'],
] as const)('%s', (_wire, body, conversation) => {
  test('the fields are added; those that the program sets itself stay', () => {
    const sent = body() as Record<string, unknown>;
    expect(sent).toMatchObject({ top_p: 0.5, model: 'm', stream: true });
    expect(sent).toMatchObject({ reasoning: { summary: 'none', extra: { messages: [1] } } });
    expect(sent.tools).toBeUndefined();
    expect(JSON.stringify(sent[conversation])).toContain('hi');
  });
});

test('an object of another type replaces the program’s: their fields differ', () => {
  const sent = (extra: object) =>
    anthropicBody(
      { ...request, effort: 'high', tools: [{ name: 'Read', description: 'Reads.', parameters: {} }] },
      { ...details, maxTokens: 32_000, extraBody: { ...extra } },
    );
  expect(sent({}).thinking).toMatchObject({ type: 'enabled' });
  for (const thinking of [{ type: 'disabled' }, { type: 'enabled', budget_tokens: 2000 }])
    expect(sent({ thinking }).thinking).toEqual(thinking);
});

test('objects are merged with the program’s', () => {
  const form = { ...details, extraBody: { reasoning: { effort: 'high' } } };
  expect(responsesBody(request, form)).toMatchObject({ reasoning: { summary: 'auto', effort: 'high' } });
});

test('the body is written and rebuilt with the fields, byte for byte', () => {
  const { bytes, hash } = createBodyWriter()(request, dialect);
  const whole = JSON.stringify(chat());
  expect(new TextDecoder().decode(bytes)).toBe(whole);
  const logged = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  expect(rebuildBody(request, logged(sentAs(hash, request, dialect)))).toBe(whole);
  const again = { hash: bodyHash(''), wire: 'anthropic', ...details };
  expect(rebuildBody(request, logged(again))).toBe(JSON.stringify(anthropicBody(request, details)));
});

test.each([
  [{ messages: [] }, 'a field that the program sets itself'],
  [{ stream: false }, 'a field that the program sets itself'],
  [{ long: 'x'.repeat(10_000) }, 'more than 10000 characters'],
])('the settings reject %j', (given, expected) => {
  const parsed = settingsSchema.safeParse({ models: { m: { extraBody: given } } });
  expect(JSON.stringify(parsed.error?.issues)).toContain(expected);
});

test.each(wires)('%s: they reach the server, and the longest reply is that in the settings', async (wire) => {
  const asked: Asked[] = [];
  const refuse = (response: Parameters<typeof sendJson>[0], one: Asked): void => {
    asked.push(one);
    sendJson(response, { error: { message: 'no' } }, 403);
  };
  const paths = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];
  const server = await startLocalServer(Object.fromEntries(paths.map((path) => [path, refuse])));
  onTestFinished(server.close);
  const client = createModelClient(wire, {
    baseUrl: server.baseUrl,
    apiKey: 'sk-x',
    factsOf: () => ({ extraBody: { top_p: 0.5 }, maxOutputTokens: 3000 }),
  });
  const limited = { ...request, maxOutputTokens: 3000 };
  for await (const _ of client.stream(limited, new AbortController().signal));
  const body = asked[0]?.body ?? {};
  expect(body.top_p).toBe(0.5);
  expect(body.max_tokens ?? body.max_output_tokens).toBe(3000);
});
