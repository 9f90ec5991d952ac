import { expect, test } from 'vitest';
import { lookupModel } from '../../../src/model/catalogue.ts';
import { firstDialect, learnDialect, toBody } from '../../../src/model/wires/chat/body.ts';
import {
  acceptedEffort,
  anthropicThinking,
  chatEffort,
  responsesReasoning,
} from '../../../src/model/wires/effort.ts';
import type { Effort, ReasoningOptions } from '../../../src/protocol/models/wires.ts';
import { suiteRequest } from '../clientSuite.ts';

test.each<readonly [Effort, readonly string[] | undefined, string | undefined]>([
  ['high', ['low', 'medium', 'high'], 'high'],
  ['max', ['low', 'medium', 'high'], 'high'],
  ['xhigh', ['low', 'high', 'max'], 'high'],
  ['low', ['minimal', 'medium', 'high'], 'medium'],
  ['max', undefined, 'high'],
  ['max', ['none', 'low', 'xhigh'], 'xhigh'],
  ['low', [], undefined],
  ['low', ['odd', 'words'], undefined],
])('%s for a model that accepts %j is %s', (effort, accepted, expected) => {
  expect(acceptedEffort(effort, accepted)).toBe(expected);
});

test('each wire format has its own fields for an effort, and none without one', () => {
  const o3 = lookupModel('o3', { unknownWindow: 1000 });
  expect(chatEffort({ effort: 'max' }, o3)).toEqual({ reasoning_effort: 'high' });
  expect(chatEffort({}, o3)).toEqual({});
  expect(responsesReasoning({ effort: 'low' }, o3)).toEqual({ summary: 'auto', effort: 'low' });
  expect(responsesReasoning({}, o3)).toEqual({ summary: 'auto' });
});

test.each<readonly [string, Effort | undefined, number, object]>([
  ['claude-opus-5', 'xhigh', 128_000, { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }],
  ['claude-opus-5', undefined, 128_000, { thinking: { type: 'adaptive' } }],
  ['claude-opus-4-6', 'xhigh', 128_000, { output_config: { effort: 'high' } }],
  ['claude-opus-4-8', 'max', 128_000, { output_config: { effort: 'max' } }],
  [
    'claude-opus-4-5',
    'max',
    64_000,
    { thinking: { budget_tokens: 31_999 }, output_config: { effort: 'high' } },
  ],
  ['claude-haiku-4-5', 'low', 64_000, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
  ['claude-haiku-4-5', 'max', 8192, { thinking: { budget_tokens: 7168 } }],
  ['another-model', 'medium', 32_000, { thinking: { type: 'enabled', budget_tokens: 8192 } }],
])('%s with effort %s and %i tokens thinks as %j', (id, effort, maxTokens, expected) => {
  const options = effort === undefined ? {} : { effort };
  expect(anthropicThinking(options, lookupModel(id, { unknownWindow: 1000 }), maxTokens)).toMatchObject(
    expected,
  );
});

test.each<readonly [string, ReasoningOptions, object]>([
  ['claude-haiku-4-5', { thinkingBudget: 5000 }, { thinking: { type: 'enabled', budget_tokens: 5000 } }],
  ['claude-haiku-4-5', { thinkingBudget: 5000, effort: 'max' }, { thinking: { budget_tokens: 5000 } }],
  ['claude-haiku-4-5', { thinkingBudget: 90_000 }, { thinking: { budget_tokens: 62_976 } }],
  ['claude-haiku-4-5', { thinkingBudget: 'adaptive' }, { thinking: { budget_tokens: 16_384 } }],
  [
    'claude-haiku-4-5',
    { thinkingBudget: 2000, thinkingDisplay: 'omitted' },
    { thinking: { display: 'omitted' } },
  ],
  ['claude-opus-5', { thinkingBudget: 5000 }, { thinking: { type: 'adaptive', display: 'summarized' } }],
  [
    'claude-opus-5',
    { thinkingBudget: 'adaptive', thinkingDisplay: 'omitted' },
    { thinking: { type: 'adaptive', display: 'omitted' } },
  ],
  ['claude-opus-5', { thinkingBudget: 0 }, { thinking: { type: 'disabled' } }],
])('%s with %j thinks as %j', (id, options, expected) => {
  const known = lookupModel(id, { unknownWindow: 1000 });
  expect(anthropicThinking(options, known, 64_000)).toMatchObject(expected);
});

test.each<readonly [ReasoningOptions, readonly string[] | undefined, string | undefined]>([
  [{ thinkingBudget: 0 }, ['none', 'low', 'high'], 'none'],
  [{ thinkingBudget: 0 }, ['minimal', 'low'], 'minimal'],
  [{ thinkingBudget: 0, effort: 'high' }, undefined, 'low'],
  [{ thinkingBudget: 0 }, [], undefined],
  [{ thinkingBudget: 500 }, undefined, 'low'],
  [{ thinkingBudget: 10_000 }, undefined, 'medium'],
  [{ thinkingBudget: 10_000, effort: 'low' }, undefined, 'low'],
  [{ thinkingBudget: 10_000, effort: 'max' }, undefined, 'medium'],
  [{ thinkingBudget: 100_000 }, ['low', 'high', 'xhigh', 'max'], 'high'],
  [{ thinkingBudget: 'adaptive' }, undefined, undefined],
  [{ thinkingBudget: 'adaptive', effort: 'high' }, undefined, 'high'],
])('on the wires of OpenAI, %j is an effort that stays within it (%j: %s)', (options, efforts, expected) => {
  const facts = efforts === undefined ? {} : { efforts };
  expect(chatEffort(options, facts).reasoning_effort).toBe(expected);
  expect(responsesReasoning(options, facts).effort).toBe(expected);
  expect(responsesReasoning({ ...options, thinkingDisplay: 'omitted' }, facts)).not.toHaveProperty('summary');
});

test.each([
  ['claude-haiku-4-5', undefined, 64_000],
  ['claude-haiku-4-5', 'max', 2000],
] as const)('%s with effort %s and %i tokens does not think', (id, effort, maxTokens) => {
  const options = effort === undefined ? {} : { effort };
  expect(anthropicThinking(options, lookupModel(id, { unknownWindow: 1000 }), maxTokens)).toEqual({});
});

test.each([0, 1023])('%i tokens are too few for a model with a thinking budget', (thinkingBudget) => {
  const known = lookupModel('claude-haiku-4-5', { unknownWindow: 1000 });
  expect(anthropicThinking({ thinkingBudget }, known, 64_000)).toEqual({});
});

test('an effort that a chat server rejects is omitted from then on', () => {
  const request = { ...suiteRequest(), effort: 'high' as const };
  const first = firstDialect('http://127.0.0.1/v1', 'm', false, ['low', 'medium']);
  expect(toBody(request, first)).toMatchObject({ reasoning_effort: 'medium' });
  const next = learnDialect(first, "Unrecognized request argument supplied: 'reasoning_effort'");
  expect(next && toBody(request, next)).not.toHaveProperty('reasoning_effort');
  expect(
    next && learnDialect(next, "Unrecognized request argument supplied: 'reasoning_effort'"),
  ).toBeUndefined();
});
