/** Reasoning between texts and calls is sent back in its place; both APIs reject another order. */
import { expect, test } from 'vitest';
import { anthropicBody, isThinking } from '../../../src/model/wires/anthropic/body.ts';
import { createAnthropicTranslator } from '../../../src/model/wires/anthropic/events.ts';
import type { SentDetails } from '../../../src/model/wires/createWireClient.ts';
import { fullForm } from '../../../src/model/wires/form.ts';
import { createItemAccumulator, type EventTranslator } from '../../../src/model/wires/itemAccumulator.ts';
import { responsesBody } from '../../../src/model/wires/responses/body.ts';
import { createResponsesTranslator } from '../../../src/model/wires/responses/events.ts';
import type { AssistantMessage, Message } from '../../../src/protocol/messages.ts';
import type { ModelRequest } from '../../../src/protocol/models/model.ts';

const origin = 'here';
const details: SentDetails = { origin, form: fullForm, maxTokens: 1000 };

async function replyTo(translator: EventTranslator, events: readonly object[]): Promise<AssistantMessage> {
  const isReasoning = (item: Readonly<Record<string, unknown>>): boolean =>
    item.type === 'reasoning' || isThinking(item);
  const accumulator = createItemAccumulator({ tools: [], translator, field: 'f', origin }, isReasoning);
  for (const event of events) accumulator.push(event);
  const reply = await accumulator.reply();
  if (reply === undefined) throw new Error('no reply');
  return reply.message;
}

function requestAfter(reply: AssistantMessage): ModelRequest {
  const results = reply.toolCalls.map(
    ({ id, name }): Message => ({ role: 'tool', toolCallId: id, name, content: 'r', isError: false }),
  );
  return { model: 'm', tools: [], messages: [{ role: 'user', content: 'u' }, reply, ...results] };
}

const outputs = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AAA=' },
  { type: 'message', phase: 'commentary', content: [{ type: 'output_text', text: 'First. ' }] },
  { type: 'function_call', call_id: 'c1', name: 'Read', arguments: '{"a":1}' },
  { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'BBB=' },
  { type: 'function_call', call_id: 'c2', name: 'Read', arguments: '{"a":2}' },
  { type: 'message', content: [{ type: 'output_text', text: 'Last.' }] },
];

test('Responses: items are sent back in the order of the output, each text in its place', async () => {
  const message = await replyTo(createResponsesTranslator(), [
    ...outputs.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { output: outputs } },
  ]);
  expect(message).toMatchObject({ content: 'First. Last.', toolCalls: [{ id: 'c1' }, { id: 'c2' }] });
  const { input } = responsesBody(requestAfter(message), details);
  expect(input?.slice(1, 7)).toEqual([
    outputs[0],
    { role: 'assistant', content: 'First. ', phase: 'commentary' },
    outputs[2],
    outputs[3],
    outputs[4],
    { role: 'assistant', content: 'Last.' },
  ]);
});

test('Anthropic: blocks are sent back in order, redacted thinking included', async () => {
  const blocks = [
    { type: 'thinking', thinking: 'Hm.', signature: 'AAA=' },
    { type: 'text', text: 'First. ' },
    { type: 'tool_use', id: 't1', name: 'Read', input: { a: 1 } },
    { type: 'redacted_thinking', data: 'BBB=' },
    { type: 'tool_use', id: 't2', name: 'Read', input: { a: 2 } },
  ];
  const message = await replyTo(createAnthropicTranslator(), [
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
  ]);
  const { messages } = anthropicBody(requestAfter(message), details);
  expect(messages[1]).toEqual({ role: 'assistant', content: blocks });
});

test('thinking without its signature is not kept: the reply was cut off', async () => {
  const message = await replyTo(createAnthropicTranslator(), [
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: {} },
  ]);
  expect(message.reasoning).toEqual({ field: 'f', text: 'Hm.' });
});

test('Anthropic: fields that a server adds to thinking count, since they are kept and sent back', async () => {
  const thinking = { type: 'thinking', thinking: '', signature: 's', extra: 'x'.repeat(600_000) };
  const blocks = [0, 1, 2, 3].flatMap((index) => [
    { type: 'content_block_start', index, content_block: thinking },
    { type: 'content_block_stop', index },
  ]);
  await expect(replyTo(createAnthropicTranslator(), blocks)).rejects.toThrow('2,000,000 characters');
});

test('a text that has since changed keeps the calls and the reasoning', async () => {
  const message = await replyTo(createResponsesTranslator(), [
    { type: 'response.completed', response: { output: outputs } },
  ]);
  const { input } = responsesBody(requestAfter({ ...message, content: 'Another text.' }), details);
  expect(input?.slice(1, 6)).toEqual([
    outputs[0],
    { role: 'assistant', content: 'Another text.', phase: 'commentary' },
    outputs[2],
    outputs[3],
    outputs[4],
  ]);
});

test('Anthropic: a summary request has the thinking and tools of its conversation, a title request does not', () => {
  const facts: SentDetails = { ...details, maxTokens: 64_000, thinking: 'budget' };
  const tools = [{ name: 'Read', description: 'Reads.', parameters: {} }];
  const messages: readonly Message[] = [{ role: 'user', content: 'u' }];
  const turn = anthropicBody({ model: 'm', tools, messages, effort: 'high' }, facts);
  const asked = {
    model: 'm',
    tools,
    messages,
    effort: 'high',
    toolChoice: 'none',
    maxOutputTokens: 3000,
  } as const;
  const summary = anthropicBody(asked, facts);
  expect(turn).toMatchObject({ max_tokens: 64_000, thinking: { type: 'enabled', budget_tokens: 16_384 } });
  expect(summary).toEqual({ ...turn, max_tokens: 16_384 + 3000 });
  const title = anthropicBody({ ...asked, tools: [], maxOutputTokens: 500 }, facts);
  expect(title).not.toHaveProperty('thinking');
  expect(title.max_tokens).toBe(500);
});
