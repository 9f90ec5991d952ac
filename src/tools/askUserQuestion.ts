import * as z from 'zod';
import { answerText, type FieldAnswer, type FormField } from '../protocol/forms.ts';
import { count } from '../protocol/text/numbers.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';

/** Characters: a screen or two. */
const MAX_QUESTION = 4000;
const MAX_LABEL = 200;
const MAX_DESCRIPTION = 1000;
const MAX_PREVIEW = 8000;
/** A model with a smaller context window does not get this tool. */
const MIN_WINDOW = 16_000;

const input = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().trim().min(1).max(MAX_QUESTION),
        // Longer headers are truncated on screen.
        header: z.string().max(MAX_LABEL).describe('At most 12 characters'),
        options: z
          .array(
            z.object({
              label: z.string().trim().min(1).max(MAX_LABEL),
              description: z.string().max(MAX_DESCRIPTION).optional(),
              preview: z.string().max(MAX_PREVIEW).optional().describe('Mockup or code to compare'),
            }),
          )
          .min(2)
          .max(4),
        multiSelect: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(4),
});

type Questions = z.infer<typeof input>['questions'];

/** Creates the tool with which the model asks the user to decide. It runs only once the user has answered. */
export function askUserQuestionTool(): Tool {
  const tool = defineTool({
    name: toolNames.askUserQuestion,
    description:
      'Ask the user to decide what you cannot find out or sensibly assume. They can always answer in their own words; do not offer "Other". Put the option you recommend first.',
    input,
    title: ({ questions }) => titleOf(questions),
    access: () => ({ type: 'question' }),
    preview: async ({ questions }) => ({ type: 'form', fields: questions.map(fieldOf) }),
    run: async ({ questions }, _context, _grant, answers) => {
      const replies = questions.map((question, index) => answered(question, answers[index]));
      const answeredCount = replies.filter(({ answer }) => answer !== '').length;
      return {
        status: 'ok',
        text: `The user answered:\n${replies.map(lineOf).join('\n')}`,
        kind: 'text',
        display: {
          title: titleOf(questions),
          summary:
            answeredCount === replies.length ? 'answered' : `${answeredCount} of ${replies.length} answered`,
          answers: replies,
        },
        response: () => ({
          questions: questions.map(withDefaults),
          answers: Object.fromEntries(replies.map(({ question, answer }) => [question, answer])),
        }),
      };
    },
  });
  return { ...tool, minWindowTokens: MIN_WINDOW };
}

/** A question with the fields that Claude Code always has. */
const withDefaults = ({ options, multiSelect = false, ...question }: Questions[number]): object => ({
  ...question,
  options: options.map(({ description = '', ...option }) => ({ ...option, description })),
  multiSelect,
});

const titleOf = (questions: Questions): string =>
  questions.length === 1 ? (questions[0]?.header ?? '') : count(questions.length, 'question');

function fieldOf({ header, question, options, multiSelect }: Questions[number]): FormField {
  return {
    type: 'choice',
    header,
    question,
    hasOwnAnswer: true,
    options: options.map(({ label, description, preview }) => ({
      label,
      ...(description !== undefined && { description }),
      ...(preview !== undefined && { preview }),
    })),
    isMultiple: multiSelect === true,
  };
}

function answered(
  question: Questions[number],
  answer: FieldAnswer | undefined,
): { readonly question: string; readonly answer: string } {
  return { question: question.question, answer: answerText(fieldOf(question), answer) };
}

function lineOf({ question, answer }: { question: string; answer: string }): string {
  return `- ${question.replace(/\s+/g, ' ')}\n  ${answer === '' ? '(not answered)' : answer}`;
}
