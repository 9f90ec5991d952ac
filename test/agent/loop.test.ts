import { expect, test } from 'vitest';
import type { PermissionAnswer } from '../../src/protocol/permissions.ts';
import { calls, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { startAgent } from './testAgent.ts';

const same = (id: string) => calls([id, 'Read', { file: 'a' }]);
const tools = [smallTool('Read')];
const nudge =
  'You have made the same call (Read) 3 times in a row with the same result. Do not repeat it: try a different approach, or say what is missing.';

test('the model is warned at the third repetition and stops', async () => {
  const { ask, model, lines } = await startAgent({
    tools,
    answers: [same('1'), same('2'), same('3'), says('I stop.')],
  });
  await ask('Go');
  const last = model.requests.map((request) => request.messages.at(-1)?.content);
  expect(last).toEqual(['Go', 'Read ran', 'Read ran', `<system-note>\n${nudge}\n</system-note>`]);
  expect(lines().at(-1)).toBe('turn_ended done after 4');
});

test('without a user, the turn ends at the fourth repetition', async () => {
  const { ask, lines } = await startAgent({
    tools,
    interactive: false,
    answers: [same('1'), same('2'), same('3'), same('4')],
  });
  await ask('Go');
  expect(lines().slice(-3)).toEqual([
    'entry tool_result 4 ok: Read ran',
    'entry turn_end: loop',
    'turn_ended loop after 4',
  ]);
});

test.each<[string, PermissionAnswer | 'interrupt', string]>([
  ['continues, which resets the count', { behavior: 'allow' }, 'turn_ended done after 6'],
  ['declines', { behavior: 'deny' }, 'turn_ended loop after 4'],
  ['stops', 'interrupt', 'turn_ended interrupted after 4'],
])('at the fourth repetition the user is asked and %s', async (_, answer, end) => {
  const { agent, ask, lines } = await startAgent({
    tools,
    answers: [
      same('1'),
      same('2'),
      same('3'),
      same('4'),
      ...(end.includes('done') ? [same('5'), says('Enough.')] : []),
    ],
  });
  agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    expect(event.question).toEqual({
      id: expect.any(String),
      agentId: 'main',
      title: 'The model is repeating itself',
      headline: 'The model is repeating itself. Continue?',
      preview: {
        type: 'text',
        text: 'The same call (Read) keeps giving the same result. Let it continue?',
      },
      reason: 'the model was told about it and repeated the call',
    });
    agent.submit(
      answer === 'interrupt' ? { type: 'interrupt' } : { type: 'answer', id: event.question.id, answer },
    );
  });
  await ask('Go');
  expect(lines().at(-1)).toBe(end);
  expect(lines().filter((line) => line.startsWith('question'))).toHaveLength(1);
});

test('the same call with a different result counts as progress', async () => {
  let count = 0;
  const poll = smallTool('Read', { run: () => ok(`line ${++count}`) });
  const answers = ['1', '2', '3', '4', '5'].map(same);
  const { ask, lines } = await startAgent({ tools: [poll], answers: [...answers, says('Done.')] });
  await ask('Go');
  expect(lines().some((line) => line.includes('nudge') || line.startsWith('question'))).toBe(false);
  expect(lines().at(-1)).toBe('turn_ended done after 6');
});
