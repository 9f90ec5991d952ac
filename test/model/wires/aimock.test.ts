/** The three wire formats with a third-party mock server, which reads and writes each API with its own code. */
import { LLMock } from '@copilotkit/aimock';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModelClient } from '../../../src/model/createModelClient.ts';
import type { AssistantMessage, Message } from '../../../src/protocol/messages.ts';
import type { ModelEvent, ModelRequest } from '../../../src/protocol/models/model.ts';

const tools: ModelRequest['tools'] = [
  {
    name: 'Read',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
];

async function serve(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

describe.each(['chat', 'responses', 'anthropic'] as const)('the wire format %s', (wire) => {
  async function ask(mock: LLMock, messages: readonly Message[]): Promise<ModelEvent[]> {
    const client = createModelClient(wire, { baseUrl: `${mock.url}/v1`, apiKey: 'sk-test' });
    const request = { model: 'm-1', messages, tools };
    const events: ModelEvent[] = [];
    for await (const event of client.stream(request, new AbortController().signal)) events.push(event);
    return events;
  }

  test('a call, its result and the reply', async () => {
    const mock = await serve();
    const calls = ['a.ts', 'b.ts'].map((path) => ({ name: 'Read', arguments: JSON.stringify({ path }) }));
    mock.addFixture({
      match: { predicate: ({ messages }) => messages.some(({ role }) => role === 'tool') },
      response: ({ messages }) => ({
        content: `Read: ${messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : [])).join(', ')}`,
        usage: { prompt_tokens: 30, completion_tokens: 5, input_tokens: 30, output_tokens: 5 },
      }),
    });
    mock.addFixture({
      match: { userMessage: 'Read both' },
      response: { content: 'I’ll read them.', toolCalls: calls },
    });
    const system: Message = { role: 'system', content: 'You read files.' };
    const prompt: Message = { role: 'user', content: 'Read both' };
    const first = (await ask(mock, [system, prompt])).at(-1);
    if (first?.type !== 'done') throw new Error(JSON.stringify(first));
    const { message, finishReason } = first.reply;
    expect(finishReason).toBe('tool_calls');
    expect(message).toMatchObject({ content: 'I’ll read them.', toolCalls: calls });
    const results = message.toolCalls.map(
      ({ id, name }, index): Message => ({
        ...{ role: 'tool', toolCallId: id, name, content: `file ${index}`, isError: false },
      }),
    );
    const events = await ask(mock, [system, prompt, message as AssistantMessage, ...results]);
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      reply: {
        finishReason: 'stop',
        message: { content: 'Read: file 0, file 1' },
        usage: { inputTokens: 30, outputTokens: 5 },
      },
    });
    const said = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
    expect(said).toBe('Read: file 0, file 1');
  });

  test('reasoning arrives before the text', async () => {
    const mock = await serve();
    mock.addFixture({
      match: { userMessage: 'Why' },
      response: { content: 'Because.', reasoning: 'Let me think.' },
    });
    const events = await ask(mock, [{ role: 'user', content: 'Why' }]);
    const thought = events
      .flatMap((event) => (event.type === 'reasoning_delta' ? [event.text] : []))
      .join('');
    expect(thought).toBe('Let me think.');
    expect(events.at(-1)).toMatchObject({ type: 'done', reply: { message: { content: 'Because.' } } });
  });

  test('an error, and a stream that breaks off', async () => {
    const mock = await serve();
    mock.addFixture({
      match: { userMessage: 'busy' },
      response: { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 3 },
    });
    mock.addFixture({
      match: { userMessage: 'long' },
      response: { content: 'a b c d e f g h' },
      ...{ chunkSize: 2, truncateAfterChunks: 4 },
    });
    expect(await ask(mock, [{ role: 'user', content: 'busy' }])).toMatchObject([
      { type: 'failed', error: { kind: 'rate_limit', retryable: true, retryAfterMs: 3000 } },
    ]);
    expect((await ask(mock, [{ role: 'user', content: 'long' }])).at(-1)).toMatchObject({
      type: 'failed',
      // The connection may end before the first chunk has arrived.
      error: { kind: expect.stringMatching(/^(?:cut|network)$/), retryable: true },
    });
  });
});
