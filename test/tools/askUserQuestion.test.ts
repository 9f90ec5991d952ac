/** The tool with a real agent: its question is sent as an event, and the answers return as its result. */
import { expect, test } from 'vitest';
import type { PermissionAnswer, PermissionDecision } from '../../src/protocol/permissions.ts';
import { askUserQuestionTool } from '../../src/tools/askUserQuestion.ts';
import { calls, says } from '../agent/scriptedModel.ts';
import { startAgent } from '../agent/testAgent.ts';

const questions = [
  {
    question: 'Which library?',
    header: 'Library',
    options: [{ label: 'zod', description: 'Known.' }, { label: 'valibot' }],
  },
  { question: 'Which parts?', header: 'Parts', options: [{ label: 'A' }, { label: 'B' }], multiSelect: true },
];
const asking: PermissionDecision = { behavior: 'ask', reason: 'The model asks for your decision.' };

async function asked(answer: PermissionAnswer, input: object = { questions }) {
  const { agent, ask, model, lines, context } = await startAgent({
    tools: [askUserQuestionTool()],
    decide: async () => asking,
    answers: [calls(['q', 'AskUserQuestion', input]), ...(answer.behavior === 'deny' ? [] : [says('Good.')])],
  });
  const previews: unknown[] = [];
  agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    previews.push(event.question.preview);
    agent.submit({ type: 'answer', id: event.question.id, answer });
  });
  await ask('Go');
  const result = context.entries().find(({ type }) => type === 'tool_result')?.toolResult;
  return { previews, result, lines: lines(), requests: model.requests };
}

test('answers reach the model as the result, and the screen one by one', async () => {
  const { previews, result, requests } = await asked({
    behavior: 'allow',
    answers: [{ chosen: [1] }, { chosen: [0, 1], text: 'and C' }],
  });
  expect(previews).toEqual([
    {
      type: 'form',
      fields: [
        {
          type: 'choice',
          hasOwnAnswer: true,
          header: 'Library',
          question: 'Which library?',
          options: questions[0]?.options,
          isMultiple: false,
        },
        {
          type: 'choice',
          hasOwnAnswer: true,
          header: 'Parts',
          question: 'Which parts?',
          options: questions[1]?.options,
          isMultiple: true,
        },
      ],
    },
  ]);
  expect(requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: 'The user answered:\n- Which library?\n  valibot\n- Which parts?\n  A; B; and C',
  });
  expect(result).toMatchObject({
    status: 'ok',
    permission: { basis: 'user' },
    display: {
      title: '2 questions',
      summary: 'answered',
      answers: [
        { question: 'Which library?', answer: 'valibot' },
        { question: 'Which parts?', answer: 'A; B; and C' },
      ],
    },
  });
});

test('a missing answer is reported as missing', async () => {
  const { result } = await asked({ behavior: 'allow', answers: [{ chosen: [] }] });
  expect(result?.output).toContain('- Which library?\n  (not answered)');
  expect(result?.display?.summary).toBe('0 of 2 answered');
});

test('declining ends the turn, as denying a call does', async () => {
  const { result, requests } = await asked({ behavior: 'deny', interrupt: true });
  expect(result).toMatchObject({ status: 'denied', output: 'The user declined to answer.' });
  expect(requests.length).toBe(1);
});

test.each([
  [{ questions: [] }, '`questions`'],
  [{ questions: Array.from({ length: 5 }, () => questions[0]) }, '`questions`'],
  [{ questions: [{ ...questions[0], options: [{ label: 'only' }] }] }, '`questions.0.options`'],
  [{ questions: [{ ...questions[0], question: 'x'.repeat(5000) }] }, '`questions.0.question`'],
])('invalid input is rejected (%#)', async (input, field) => {
  const { result, previews } = await asked({ behavior: 'allow', answers: [] }, input);
  expect(previews).toEqual([]);
  expect(result).toMatchObject({ status: 'error', output: expect.stringContaining(field) });
});
