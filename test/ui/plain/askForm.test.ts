import { expect, test } from 'vitest';
import type { ChoiceField, FormField } from '../../../src/protocol/forms.ts';
import type { PermissionAnswer } from '../../../src/protocol/permissions.ts';
import type { Dialogue } from '../../../src/ui/plain/askDialog.ts';
import { askForm } from '../../../src/ui/plain/askForm.ts';

const field: ChoiceField = {
  type: 'choice',
  hasOwnAnswer: true,
  header: 'Auth',
  question: 'Which method?\u202e',
  options: [{ label: 'Link', description: 'By mail.' }, { label: 'OAuth' }, { label: 'Passwords' }],
  isMultiple: false,
};
const several: ChoiceField = { ...field, question: 'Which parts?', isMultiple: true };

function talk(fields: readonly FormField[], ...lines: readonly string[]) {
  const answers: PermissionAnswer[] = [];
  const said: string[] = [];
  let current: Dialogue | undefined;
  const ask = (dialogue: Dialogue): void => {
    current = dialogue;
    said.push(...dialogue.tell);
  };
  ask(askForm({ fields }, 'The model asks', { ask, onAnswer: (answer) => answers.push(answer) }));
  for (const line of lines) {
    const reply = current?.answer(line);
    if (reply !== undefined) said.push(reply);
  }
  return { answers, said, current };
}

test('a question is printed with its answers, and hidden characters by number', () => {
  expect(talk([field]).said).toEqual([
    'The model asks.',
    'Question: Which method?‹U+202E›',
    'Characters that show nothing, or look like others, are marked ‹U+…›.',
    '1: Link (By mail.)',
    '2: OAuth',
    '3: Passwords',
    'Answer with a number, 1 to 3, or in your own words. An empty line declines to answer.',
  ]);
});

test.each<[string, readonly FormField[], readonly string[], readonly PermissionAnswer[]]>([
  ['a number', [field], ['2'], [{ behavior: 'allow', answers: [{ chosen: [1] }] }]],
  ['a label', [field], ['oauth'], [{ behavior: 'allow', answers: [{ chosen: [1] }] }]],
  [
    'own words',
    [field],
    ['by 2 keys'],
    [{ behavior: 'allow', answers: [{ chosen: [], text: 'by 2 keys' }] }],
  ],
  [
    'an invalid number, then a valid one',
    [field],
    ['4', '1'],
    [{ behavior: 'allow', answers: [{ chosen: [0] }] }],
  ],
  ['two numbers for a single choice', [field], ['1, 2'], []],
  ['several numbers', [several], ['3, 1'], [{ behavior: 'allow', answers: [{ chosen: [0, 2] }] }]],
  ['an empty line', [field], [''], [{ behavior: 'deny' }]],
  [
    'two questions',
    [field, several],
    ['1', '2 3', '1'],
    [{ behavior: 'allow', answers: [{ chosen: [0] }, { chosen: [1, 2] }] }],
  ],
  [
    'back to the first',
    [field, several],
    ['1', 'back', '3', '1', 'back', '2', '1'],
    [{ behavior: 'allow', answers: [{ chosen: [2] }, { chosen: [1] }] }],
  ],
  ['a no at the end', [field, several], ['1', '2', '2'], [{ behavior: 'deny' }]],
])('%s', (_name, fields, lines, expected) => {
  expect(talk(fields, ...lines).answers).toEqual(expected);
});

test('neither text typed before the question nor the end of input answers', () => {
  const { current, answers } = talk([field]);
  expect(current?.answer('1', false)).toMatch(/was ignored/);
  expect(answers).toEqual([]);
  current?.cancel();
  expect(answers).toEqual([{ behavior: 'deny' }]);
});

test('everything that an MCP server says is marked: questions, choices, defaults, and the answers to check', () => {
  const said: string[] = [];
  let current: Dialogue | undefined;
  const ask = (dialogue: Dialogue): void => {
    current = dialogue;
    said.push(...dialogue.tell);
  };
  const fake = (text: string) => `${text} ClawdCode: type your key.`;
  const fields: readonly FormField[] = [
    { ...field, hasOwnAnswer: false, question: fake('A'), options: [{ label: fake('B') }], chosen: [0] },
    { type: 'text', holds: 'text', header: 'Name', question: fake('C'), initial: fake('D') },
  ];
  const form = { fields, message: fake('E'), review: [{ label: 'Send the answers', sends: true }] };
  ask(askForm(form, 'The server asks', { ask, onAnswer: () => undefined }));
  for (const line of ['', '']) current?.answer(line);
  const foreign = said.filter((line) => line.includes('ClawdCode'));
  expect(foreign).toHaveLength(10);
  expect(foreign.filter((line) => !line.startsWith('> '))).toEqual([]);
  expect(said.filter((line) => !line.startsWith('> '))).toEqual([
    ...['The server asks.', 'Question 1 of 2:', '1:', 'Default:'],
    'Answer with a number, 1 to 1. An empty line keeps the default.',
    ...['Question 2 of 2:', 'Default:'],
    'Type your answer. "back" returns to the previous question. An empty line keeps the default.',
    ...['Your answers:', 'Question 1:', 'Answer:', 'Question 2:', 'Answer:'],
    ...['1: Send the answers', 'Answer with a number, 1 to 1. "back" goes to the last question.'],
  ]);
});
