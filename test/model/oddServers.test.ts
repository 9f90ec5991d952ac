/** Servers that differ from the standard, through the client that conversations use. */
import { afterEach, describe, expect, test } from 'vitest';
import { createOpenAIClient } from '../../src/model/wires/chat/client.ts';
import type { ModelClientOptions } from '../../src/model/wires/exchange.ts';
import type { Message } from '../../src/protocol/messages.ts';
import type { ModelEvent, ModelRequest } from '../../src/protocol/models/model.ts';
import { type Answer, end, event, plain, say, sse, startSseServer, stop } from './sseServer.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

async function served(answers: readonly Answer[], options: Partial<ModelClientOptions> = {}) {
  const server = await startSseServer(answers);
  closing.push(server.close);
  const client = createOpenAIClient({ apiKey: undefined, baseUrl: server.baseUrl, ...options });
  const ask = async (given: Partial<ModelRequest> = {}): Promise<ModelEvent[]> => {
    const events: ModelEvent[] = [];
    const request = {
      model: 'm',
      messages: [{ role: 'user', content: 'go' }],
      tools,
      ...given,
    } as ModelRequest;
    for await (const one of client.stream(request, new AbortController().signal)) events.push(one);
    return events;
  };
  return { server, ask };
}

const tools = [
  {
    name: 'Read',
    description: 'Reads.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
];
const written = '<tool_call>\n{"name": "Read", "arguments": {"path": "a.ts"}}\n</tool_call>';
const textsOf = (events: readonly ModelEvent[]): string =>
  events.flatMap((one) => (one.type === 'text_delta' ? [one.text] : [])).join('');
const doneWith = (message: object, finishReason = 'tool_calls') => ({
  type: 'done',
  reply: expect.objectContaining({ message: expect.objectContaining(message), finishReason }),
});
const readCall = expect.objectContaining({
  name: 'Read',
  arguments: expect.stringMatching(/"path": ?"a\.ts"/),
  id: expect.stringMatching(/./),
});

describe('a reply that is only JSON in a fence', () => {
  const fenced = '```json\n{"name": "Read", "arguments": {"path": "a.ts"}}\n```';
  const shown = sse([say(fenced), stop(), end]);
  const real = sse([
    event({
      delta: {
        tool_calls: [{ index: 0, id: 'r1', function: { name: 'Read', arguments: '{"path":"b.ts"}' } }],
      },
    }),
    stop('tool_calls'),
    end,
  ]);

  test('is a call if the model has never made one in the standard form', async () => {
    const { ask } = await served([shown]);
    expect((await ask()).at(-1)).toEqual(doneWith({ content: '', toolCalls: [readCall] }));
  });

  test('is shown and not run once the model has', async () => {
    const { ask } = await served([shown, real, shown, shown]);
    expect((await ask()).at(-1)).toEqual(doneWith({ toolCalls: [readCall] }));
    await ask();
    const events = await ask();
    expect(events.at(-1)).toEqual(doneWith({ content: fenced, toolCalls: [] }, 'stop'));
    expect(textsOf(events)).toBe(fenced);
    // Another model on the same server does not teach that.
    expect((await ask({ model: 'other' })).at(-1)).toEqual(doneWith({ toolCalls: [readCall] }));
  });

  test('is never a call for a model served only by its provider, and always text without tools', async () => {
    const { ask } = await served([shown, plain(400, 'unknown field: tools'), shown]);
    expect((await ask({ model: 'gpt-4.1' })).at(-1)).toEqual(doneWith({ toolCalls: [] }, 'stop'));
    expect((await ask({ model: 'gpt-4.1' })).at(-1)).toEqual(doneWith({ toolCalls: [readCall] }));
  });
});

describe('calls as text', () => {
  test('are calls, and none of their text is shown', async () => {
    const { ask } = await served([
      sse([say('I look.\n'), ...[...written].map((char) => say(char)), stop(), end]),
    ]);
    const events = await ask();
    expect(textsOf(events)).toBe('I look.\n');
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call_delta', name: 'Read' }));
    expect(events.at(-1)).toEqual(doneWith({ content: 'I look.', toolCalls: [readCall] }));
    expect(events.at(-1)).toMatchObject({ reply: { callsAsText: true } });
  });

  test('are text if no tool was offered or allowed, and next to real calls', async () => {
    const real = event({
      delta: {
        tool_calls: [{ index: 0, id: 'c', function: { name: 'Read', arguments: '{"path":"a.ts"}' } }],
      },
    });
    const plainText = sse([say(written), stop()]);
    const { ask } = await served([plainText, plainText, sse([say(written), real, stop()])]);
    expect(textsOf(await ask({ tools: [] }))).toBe(written);
    expect(textsOf(await ask({ toolChoice: 'none' }))).toBe(written);
    const both = await ask();
    expect(textsOf(both)).toBe(written);
    expect(both.at(-1)).toEqual(doneWith({ content: written, toolCalls: [readCall] }));
  });

  test('that are cut off by the length limit are shown and not run', async () => {
    const half = written.slice(0, 40);
    const { ask } = await served([sse([say(half), stop('length')])]);
    const events = await ask();
    expect(textsOf(events)).toBe(half);
    expect(events.at(-1)).toEqual(doneWith({ content: half, toolCalls: [] }, 'length'));
  });

  test('text that was held back is shown if the stream breaks off', async () => {
    const { ask } = await served([sse([say('Look: <tool_call>{"na')], 'cut')]);
    const events = await ask();
    expect(textsOf(events)).toBe('Look: <tool_call>{"na');
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'cut' } });
  });
});

describe('an endpoint without tool support', () => {
  const refusal = plain(400, '{"error":{"message":"registry.ollama.ai/library/m does not support tools"}}');

  test('works for a whole turn, and is reported once', async () => {
    const { server, ask } = await served([refusal, sse([say(written), stop()]), sse([say('Done.'), stop()])]);
    const first = await ask();
    expect(first[0]).toMatchObject({
      type: 'notice',
      text: expect.stringContaining('does not support tools'),
    });
    expect(first.at(-1)).toEqual(doneWith({ content: '', toolCalls: [readCall] }));
    const last = first.at(-1);
    if (last?.type !== 'done') throw new Error('no reply');
    const { message } = last.reply;
    const messages: readonly Message[] = [
      { role: 'user', content: 'go' },
      message,
      {
        role: 'tool',
        toolCallId: message.toolCalls[0]?.id ?? '',
        name: 'Read',
        content: 'the text',
        isError: false,
      },
    ];
    const second = await ask({ messages });
    expect(second.map(({ type }) => type)).toEqual(['text_delta', 'done']);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.body).not.toHaveProperty('tools');
    expect(server.requests[2]?.body.messages).toMatchObject([
      { role: 'system', content: expect.stringContaining('"name":"Read"') },
      { role: 'user', content: 'go' },
      { role: 'assistant', content: written.replace('"path": "a.ts"', '"path":"a.ts"') },
      { role: 'user', content: '<tool_response name="Read">\nthe text\n</tool_response>' },
    ]);
  });

  test('that is already known is not tried with tools first', async () => {
    const { server, ask } = await served([sse([say('hi'), stop()])], {
      factsOf: () => ({ callsTools: false }),
    });
    expect((await ask({ tools: [] })).map(({ type }) => type)).toEqual(['text_delta', 'done']);
    expect((await ask()).map(({ type }) => type)).toEqual(['notice', 'text_delta', 'done']);
    expect(server.requests).toHaveLength(2);
  });

  test('that rejects one field after another is adapted to each time', async () => {
    const { server, ask } = await served([
      plain(400, 'unknown field: stream_options'),
      plain(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      plain(400, "'temperature' is not supported with this model"),
      plain(500, 'Conversation roles must alternate user/assistant/user/assistant/...'),
      refusal,
      sse([say('hi'), stop()]),
    ]);
    expect((await ask({ maxOutputTokens: 9, temperature: 0 })).at(-1)).toEqual(
      doneWith({ content: 'hi' }, 'stop'),
    );
    const { body } = server.requests.at(-1) ?? { body: {} };
    expect(Object.keys(body).sort()).toEqual(['max_completion_tokens', 'messages', 'model', 'stream']);
  });
});

describe('unusual streams', () => {
  const fragment = (call: object): string => event({ delta: { tool_calls: [call] } });
  const fn = (name: string, args: unknown) => ({ function: { name, arguments: args } });
  const cases: readonly (readonly [string, readonly string[], object])[] = [
    [
      'data: without a space',
      [say('hi').replace('data: ', 'data:'), stop()],
      { content: 'hi', toolCalls: [] },
    ],
    ['no [DONE]', [say('hi'), stop()], { content: 'hi', toolCalls: [] }],
    [
      'empty choices in between',
      ['data: {"choices":[]}\n\n', say('hi'), 'data: {"choices":[]}\n\n', stop()],
      { content: 'hi' },
    ],
    [
      'a null finish reason in every chunk',
      [event({ delta: { content: 'hi' }, finish_reason: null }), stop()],
      { content: 'hi' },
    ],
    [
      'arguments as an object',
      [fragment({ index: 0, id: 'a', ...fn('Read', { path: 'a.ts' }) }), stop()],
      { toolCalls: [readCall] },
    ],
    [
      'neither id nor index',
      [fragment(fn('Read', '{"path":')), fragment({ function: { arguments: '"a.ts"}' } }), stop()],
      { toolCalls: [readCall] },
    ],
    [
      'the same id twice',
      [
        fragment({ index: 0, id: 'a', ...fn('Read', '{"path":"a.ts"}') }),
        fragment({ index: 1, id: 'a', ...fn('Read', '{"path":"a.ts"}') }),
        stop(),
      ],
      { toolCalls: [readCall, readCall] },
    ],
    [
      'the older function_call',
      [
        event({ delta: { function_call: { name: 'Read', arguments: '{"path":"a.ts"}' } } }),
        stop('function_call'),
      ],
      { toolCalls: [readCall] },
    ],
    ['keep-alives first', [': wait\n\n', ': wait\n\n', say('hi'), stop()], { content: 'hi' }],
    [
      'content as parts',
      [event({ delta: { content: [{ type: 'text', text: 'hi' }] } }), stop()],
      { content: 'hi' },
    ],
  ];
  test.each(cases)('%s', async (_name, pieces, message) => {
    const { ask } = await served([sse(pieces)]);
    expect((await ask()).at(-1)).toEqual({
      type: 'done',
      reply: expect.objectContaining({ message: expect.objectContaining(message) }),
    });
  });

  test('a server that never sends a finish reason is retried once, and then understood', async () => {
    const { ask } = await served([sse([say('hi'), end])]);
    expect((await ask()).at(-1)).toMatchObject({ type: 'failed', error: { kind: 'cut', retryable: true } });
    expect((await ask()).at(-1)).toEqual(doneWith({ content: 'hi' }, 'stop'));
    const cut = await served([sse([say('hi')])]);
    for (let turn = 0; turn < 3; turn++) expect((await cut.ask()).at(-1)).toMatchObject({ type: 'failed' });
  });

  test('usage in every chunk is counted once, with its last value', async () => {
    const withUsage = (text: string, output: number): string =>
      event({ delta: { content: text } }, { usage: { prompt_tokens: 7, completion_tokens: output } });
    const { ask } = await served([sse([withUsage('a', 1), withUsage('b', 2), stop()])]);
    expect((await ask()).at(-1)).toMatchObject({ reply: { usage: { inputTokens: 7, outputTokens: 2 } } });
  });
});

test('an error longer than any real message is retried at most once', async () => {
  const { ask } = await served([
    plain(500, `{"error":{"message":"${'x'.repeat(100_000)}"}}`),
    plain(429, '['.repeat(200_000), { 'retry-after': '3600' }),
    plain(500, 'short'),
  ]);
  expect(await ask()).toMatchObject([{ type: 'failed', error: { retryable: true, isExcessive: true } }]);
  const [limited] = await ask();
  expect(limited).toMatchObject({ error: { kind: 'rate_limit', isExcessive: true } });
  expect(JSON.stringify(limited)).toContain('more than 64 KB');
  const [short] = await ask();
  expect(short).toMatchObject({ error: { retryable: true } });
  expect(short).not.toMatchObject({ error: { isExcessive: true } });
});
