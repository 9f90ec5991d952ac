import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputLines, parseDriverLine } from '../../../src/headless/driver/driverMessages.ts';

const parse = (value: unknown) =>
  parseDriverLine({ type: 'line', text: typeof value === 'string' ? value : JSON.stringify(value) });
const user = (content: unknown, more: object = {}) =>
  parse({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
const promptOf = (message: ReturnType<typeof parse>) => {
  if (message.type !== 'prompt') throw new Error(`not a prompt: ${JSON.stringify(message)}`);
  return message.prompt;
};

describe('prompts', () => {
  test('a string, or text blocks', () => {
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

  test('an image’s type follows from its bytes, and an image alone has a label as text', () => {
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
  ])('content that cannot be sent has a reason', (content, reason) => {
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
])('%j is invalid', (line, problem) => {
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

test('unknown types are ignored with a notice, keep-alives without one', () => {
  expect(parse({ type: 'keep_alive' })).toEqual({ type: 'ignored' });
  expect(parse({ type: 'new\u001b[31m' })).toMatchObject({
    type: 'ignored',
    notice: expect.stringContaining('type'),
  });
});

test('a line that is too long ends the conversation', () => {
  expect(parseDriverLine({ type: 'too_long' })).toMatchObject({ type: 'malformed' });
});

async function read(chunks: readonly Uint8Array[], maxBytes?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of inputLines(
    (async function* () {
      yield* chunks;
    })(),
    maxBytes,
  ))
    lines.push(line.type === 'line' ? line.text : '<too long>');
  return lines;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('lines are the same however they are split into chunks', async () => {
  const whole = bytes('{"a":"ü"}\r\n\n  \n{"b":2}\n{"c":"\u{1f600}"}');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const chunks = at.slice(1).map((end, index) => whole.subarray(at[index], end));
      expect(await read(chunks)).toEqual(['{"a":"ü"}', '{"b":2}', '{"c":"\u{1f600}"}']);
    }),
  );
});

test('a byte order mark is not part of the first line', async () => {
  expect(await read([bytes('\uFEFF{}\n')])).toEqual(['{}']);
});

test('nothing is read after a line that is too long', async () => {
  expect(await read([bytes('short\n'), bytes('too '), bytes('long\nnext\n')], 7)).toEqual([
    'short',
    '<too long>',
  ]);
  expect(await read([bytes('exactly\n')], 7)).toEqual(['exactly']);
});
