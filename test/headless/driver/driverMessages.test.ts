import { describe, expect, test } from 'vitest';
import { parseDriverLine } from '../../../src/headless/driver/driverMessages.ts';

const parse = (value: unknown) =>
  parseDriverLine({ type: 'line', text: typeof value === 'string' ? value : JSON.stringify(value) });
const user = (content: unknown, more: object = {}) =>
  parse({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
const promptOf = (message: ReturnType<typeof parse>) => {
  if (message.type !== 'prompt') throw new Error(`not a prompt: ${JSON.stringify(message)}`);
  return message.prompt;
};

describe('prompts', () => {
  test('a string, or blocks of text', () => {
    expect(promptOf(user('hello', { uuid: 'u1', session_id: '' }))).toMatchObject({
      text: 'hello',
      uuid: 'u1',
    });
    const blocks = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    expect(promptOf(user(blocks))).toMatchObject({ text: 'one\ntwo', images: [] });
  });

  test('an image is what its bytes are, and alone it has a label as text', () => {
    const data = 'R0lGODlhAQABAAAAACw=';
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    expect(promptOf(user([block]))).toMatchObject({
      text: '[Image #1]',
      images: [{ type: 'image', mediaType: 'image/gif', data }],
    });
  });

  test.each([
    ['', /is empty/],
    [[{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }], /PNG, JPEG/],
    [[{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }], /"image" are not supp/],
    [[{ type: 'tool_result', tool_use_id: 'x' }], /"tool_result" are not supported/],
    ['x'.repeat(10 * 1024 * 1024 + 1), /longer than 10 MB/],
  ])('what cannot be sent has a reason', (content, reason) => {
    expect(promptOf(user(content)).problem).toMatch(reason);
  });

  test('client_composed is sent as it is', () => {
    expect(promptOf(user('/compact', { client_composed: true })).isVerbatim).toBe(true);
  });
});

test.each([
  ['{', /not JSON/],
  ['[]', /not an object/],
  [{ message: {} }, /not an object with a "type"/],
  [{ type: 'user' }, /invalid at "message"/],
  [{ type: 'user', message: { role: 'assistant', content: 'x' } }, /message\.role must be "user"/],
  [{ type: 'user', message: { role: 'user', content: 7 } }, /must be a string or a list/],
  [{ type: 'control_request', request: { subtype: 'x' } }, /invalid at "request_id"/],
  [{ type: 'control_response', response: { subtype: 'maybe' } }, /invalid at "response/],
])('%j cannot be understood', (line, problem) => {
  expect(parse(line)).toEqual({ type: 'malformed', problem: expect.stringMatching(problem) });
});

test('requests and responses', () => {
  expect(parse({ type: 'control_request', request_id: '1', request: { subtype: 'a', b: 2 } })).toEqual({
    type: 'request',
    request: { id: '1', subtype: 'a', fields: { subtype: 'a', b: 2 } },
  });
  const success = { subtype: 'success', request_id: '1', response: { behavior: 'allow' } };
  expect(parse({ type: 'control_response', response: success })).toMatchObject({
    response: { id: '1', result: { ok: true, value: { behavior: 'allow' } } },
  });
  const error = { subtype: 'error', request_id: '1', error: 'no' };
  expect(parse({ type: 'control_response', response: error })).toMatchObject({
    response: { id: '1', result: { ok: false, error: 'no' } },
  });
});

test('unknown types are ignored with a notice, signs of life without', () => {
  expect(parse({ type: 'keep_alive' })).toEqual({ type: 'ignored' });
  expect(parse({ type: 'new\u001b[31m' })).toMatchObject({
    type: 'ignored',
    notice: expect.stringContaining('type'),
  });
});

test('a line that is too long ends the conversation', () => {
  expect(parseDriverLine({ type: 'too_long' })).toMatchObject({ type: 'malformed' });
});
