import { expect, test } from 'vitest';
import type { HttpRequest, HttpSend } from '../../../src/model/http/types.ts';
import { askJson } from '../../../src/model/servers/askHttp.ts';

test('requests to Anthropic have its version and its own key header, others do not', async () => {
  const asked: HttpRequest['headers'][] = [];
  const send: HttpSend = async (_url, { headers }) => {
    asked.push(headers);
    async function* body() {
      yield Buffer.from('{"data":[]}');
    }
    return { status: 200, headers: {}, body: body(), release: () => undefined };
  };
  const question = { apiKey: 'k', send, signal: new AbortController().signal };
  for (const host of ['api.anthropic.com', 'api.example.com', 'anthropic.com.example.com'])
    expect(await askJson(`https://${host}/v1/models`, question)).toEqual({
      type: 'json',
      value: { data: [] },
    });
  expect(asked.map((headers) => [headers['x-api-key'], typeof headers['anthropic-version']])).toEqual([
    ['k', 'string'],
    [undefined, 'undefined'],
    [undefined, 'undefined'],
  ]);
});
