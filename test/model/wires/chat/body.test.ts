import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bodyHash,
  createBodyWriter,
  type Dialect,
  firstDialect,
  toBody,
} from '../../../../src/model/wires/chat/body.ts';
import type { Message } from '../../../../src/protocol/messages.ts';
import type { ModelRequest } from '../../../../src/protocol/models/model.ts';
import { anyText } from '../../../anyText.ts';

const text = fc.oneof(anyText(), fc.constantFrom('', 'a "quoted" word', '漢字\n', '\ud83d', ' '));
const call = fc.record({
  id: text,
  name: fc.constantFrom('Read', 'Bash'),
  arguments: fc.constantFrom('{}', '{"a":"\\ud83d"}', '{"path":"x"}'),
});
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({ role: fc.constant('user' as const), content: text }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text' as const), text }),
        fc.constant({ type: 'image' as const, mediaType: 'image/png', data: 'AAAA' }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    reasoning: fc.record({ field: fc.constant('reasoning_content' as const), text }),
    toolCalls: fc.array(call, { maxLength: 2 }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    toolCallId: text,
    name: fc.constant('Read'),
    content: text,
    isError: fc.boolean(),
  }),
);
const tools = [{ name: 'Read', description: 'Reads.', parameters: { type: 'object' } }];

/** Changes of a conversation from one request to the next. */
const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('grow' as const), add: fc.array(message, { maxLength: 3 }) }),
  },
  fc.record({ type: fc.constant('replace' as const), at: fc.nat(8), by: message }),
  fc.record({ type: fc.constant('cut' as const), to: fc.nat(8) }),
  fc.record({
    type: fc.constant('dialect' as const),
    returnReasoning: fc.boolean(),
    streamOptions: fc.boolean(),
  }),
  fc.record({ type: fc.constant('adapt' as const) }),
  fc.record({ type: fc.constant('tools' as const), offered: fc.boolean() }),
  fc.record({ type: fc.constant('again' as const) }),
);

test('incremental bodies and hashes equal those computed at once, whatever happens in a conversation', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      const write = createBodyWriter();
      let dialect: Dialect = firstDialect('http://127.0.0.1/v1', 'm', false);
      let request: ModelRequest = { model: 'a "model"', messages: [], tools, maxOutputTokens: 100 };
      for (const one of changes) {
        const { messages } = request;
        if (one.type === 'grow') request = { ...request, messages: [...messages, ...one.add] };
        if (one.type === 'replace')
          request = { ...request, messages: messages.map((old, index) => (index === one.at ? one.by : old)) };
        if (one.type === 'cut') request = { ...request, messages: messages.slice(0, one.to) };
        if (one.type === 'dialect') dialect = { ...dialect, ...one, adaptations: [] };
        if (one.type === 'adapt') dialect = { ...dialect, adaptations: ['alternate'] };
        if (one.type === 'tools') request = { ...request, tools: one.offered ? tools : [] };
        const whole = JSON.stringify(toBody(request, dialect));
        const { bytes, hash } = write(request, dialect);
        expect(new TextDecoder().decode(bytes)).toBe(whole);
        expect(hash).toBe(bodyHash(whole));
      }
    }),
  );
});
