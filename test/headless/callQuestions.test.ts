import { expect, test } from 'vitest';
import { createCallQuestions } from '../../src/headless/callQuestions.ts';
import type { DriverAnswer } from '../../src/headless/driver/driverLink.ts';
import type { CallQuestion, PermissionAnswer } from '../../src/protocol/permissions.ts';
import { question } from './events.ts';

/** Asks one question; returns the answer to the agent and the warnings. */
async function put(given: DriverAnswer, more: Partial<CallQuestion> = {}) {
  const warnings: string[] = [];
  const answer = await new Promise<PermissionAnswer>((resolve) => {
    const questions = createCallQuestions({
      ask: async () => given,
      answer: (_, read) => resolve(read),
      warn: (text) => warnings.push(text),
    });
    questions.put({ ...question, ...more } as CallQuestion);
  });
  return { answer, warnings };
}

const form: CallQuestion['preview'] = { type: 'form', fields: [] };
const malformed = { ok: true, value: { behavior: 'perhaps' } } as const;
const neither = 'the answer is neither {"behavior": "allow"} nor {"behavior": "deny"}.';

test.each<[string, DriverAnswer, Partial<CallQuestion>, string]>([
  ['throws', { ok: false, error: 'boom' }, {}, 'The question about it could not be answered: boom'],
  ['returns nonsense', malformed, {}, `The question about it could not be answered: ${neither}`],
  [
    'throws when asked the model’s question',
    { ok: false, error: 'boom' },
    { preview: form },
    'Your question could not be answered: boom Use your best judgement, and say what you assumed.',
  ],
])('a host that %s is not mistaken for a user who declines', async (_, given, more, comment) => {
  const { answer, warnings } = await put(given, more);
  expect(answer).toEqual({ behavior: 'deny', comment, unasked: true });
  expect(warnings).toEqual([expect.stringContaining('was denied')]);
});

test('a denial by the host counts as the user’s', async () => {
  const { answer, warnings } = await put({ ok: true, value: { behavior: 'deny', message: 'Not now.' } });
  expect(answer).toEqual({ behavior: 'deny', comment: 'Not now.' });
  expect(warnings).toEqual([]);
});
