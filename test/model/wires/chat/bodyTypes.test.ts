/** Bodies of chat completions match the SDK's types, in every form that servers accept. */
import fc from 'fast-check';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions/completions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Adaptation } from '../../../../src/model/wires/chat/adaptMessages.ts';
import { type Dialect, firstDialect, toBody } from '../../../../src/model/wires/chat/body.ts';
import type { Message } from '../../../../src/protocol/messages.ts';
import type { ModelRequest } from '../../../../src/protocol/models/model.ts';
import { anyText } from '../../../anyText.ts';

const part = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().startsWith('data:image/') }),
  }),
]);
const call = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
});
const message = z.union([
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(part)]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(call).min(1).exactOptional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);

/** Every field that this program sends; another one fails a body, and a wrong one does not compile. */
const bodySchema = z.strictObject({
  model: z.string(),
  messages: z.array(message),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      }),
    )
    .min(1)
    .exactOptional(),
  tool_choice: z.enum(['auto', 'none']).exactOptional(),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).exactOptional(),
  max_tokens: z.int().min(1).exactOptional(),
  max_completion_tokens: z.int().min(1).exactOptional(),
  temperature: z.number().exactOptional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).exactOptional(),
}) satisfies z.ZodType<ChatCompletionCreateParamsStreaming>;

const words = anyText({ maxLength: 12 });
const calls = fc.array(fc.record({ id: words, name: words, arguments: fc.json() }), { maxLength: 2 });
const messages: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: words }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.oneof(
      words,
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('text' as const), text: words }),
          fc.record({
            type: fc.constant('image' as const),
            mediaType: fc.constant('image/png' as const),
            data: fc.constant('AAAA'),
          }),
        ),
        { minLength: 1, maxLength: 2 },
      ),
    ),
  }),
  fc.record({ role: fc.constant('assistant' as const), content: words, toolCalls: calls }),
  fc.record({
    role: fc.constant('tool' as const),
    toolCallId: words,
    name: words,
    content: words,
    isError: fc.boolean(),
  }),
) as fc.Arbitrary<Message>;

const requests = fc.record(
  {
    model: fc.constantFrom('gpt-5', 'qwen3'),
    messages: fc.array(messages, { maxLength: 6 }),
    tools: fc.array(
      fc.record({
        name: fc.constant('Read'),
        description: words,
        parameters: fc.constant({ type: 'object' }),
      }),
      { maxLength: 2 },
    ),
    toolChoice: fc.constantFrom('auto' as const, 'none' as const),
    maxOutputTokens: fc.integer({ min: 1, max: 9999 }),
    temperature: fc.constant(0),
    effort: fc.constantFrom('low' as const, 'max' as const),
    thinkingBudget: fc.constantFrom(0, 5000, 'adaptive' as const),
    thinkingDisplay: fc.constant('omitted' as const),
    stableMessages: fc.constant(1),
  },
  { requiredKeys: ['model', 'messages', 'tools'] },
) as fc.Arbitrary<ModelRequest>;

const adaptations: readonly Adaptation[] = [
  'text_tools',
  'no_tool_choice',
  'alternate',
  'no_system',
  'assistant_after_tool',
  'plain_content',
  'null_content',
];
const dialects: fc.Arbitrary<Partial<Dialect>> = fc.record({
  streamOptions: fc.boolean(),
  temperature: fc.boolean(),
  effort: fc.boolean(),
  adaptations: fc.subarray([...adaptations]),
});

test('with any options, a body has the fields and types of the SDK', () => {
  fc.assert(
    fc.property(requests, dialects, (request, learned) => {
      const dialect = { ...firstDialect('https://api.openai.com/v1', request.model, false), ...learned };
      const body: unknown = JSON.parse(JSON.stringify(toBody(request, dialect)));
      const checked = bodySchema.safeParse(body);
      expect(checked.success ? '' : z.prettifyError(checked.error)).toBe('');
    }),
  );
});
