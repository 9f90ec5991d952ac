/** A form in plain mode: one question at a time, answered with numbers, a label, or in the user's own words. */
import {
  answerText,
  type ChoiceField,
  type FieldAnswer,
  type Form,
  type FormField,
  type FormOption,
  isAnswered,
  isOfServer,
  problemWith,
} from '../../protocol/forms.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { reveal } from '../../protocol/text/reveal.ts';
import { previewNotice } from '../dialog/permission.ts';
import { fieldHint, hasReview, reviewOf } from '../form/formState.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';
import { type Dialogue, TYPED_TOO_EARLY } from './askDialog.ts';
import { quoted } from './foreignText.ts';

interface FormPorts {
  /** Asks the next question. */
  readonly ask: (dialogue: Dialogue) => void;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

const dismissed: PermissionAnswer = { behavior: 'deny' };

/** Asks one question of a form; `answers` are those to the questions before it. */
export function askForm(
  form: Form,
  title: string,
  ports: FormPorts,
  answers: readonly FieldAnswer[] = [],
): Dialogue {
  const field = form.fields[answers.length];
  if (field === undefined) return askReview(form, title, ports, answers);
  const isFirst = answers.length === 0;
  // The model's questions need an answer; an MCP server's fields have defaults.
  const canSkip = form.review !== undefined;
  const next = (answer: FieldAnswer): void => {
    const all = [...answers, answer];
    if (all.length === form.fields.length && !hasReview(form))
      ports.onAnswer({ behavior: 'allow', answers: all });
    else ports.ask(askForm(form, title, ports, all));
  };
  return {
    tell: [...(isFirst ? openingWords(form, title) : []), ...questionWords(form, field, answers.length)],
    answer(text, isHeard = true) {
      if (!isHeard) return TYPED_TOO_EARLY;
      if (text === '' && !canSkip) {
        ports.onAnswer(dismissed);
        return undefined;
      }
      if (text.toLowerCase() === 'back' && !isFirst) {
        ports.ask(askForm(form, title, ports, answers.slice(0, -1)));
        return undefined;
      }
      const answer = text === '' ? givenAnswer(field) : answerIn(field, text);
      const problem = typeof answer === 'string' ? answer : problemWith(field, answer);
      if (problem !== undefined) return problem;
      if (typeof answer !== 'string') next(answer);
      return undefined;
    },
    cancel: () => ports.onAnswer(dismissed),
  };
}

function openingWords(form: Form, title: string): readonly string[] {
  const { message, link } = form;
  return [
    `${shownLine(title)}.`,
    ...(link === undefined
      ? []
      : [`It wants you to open a page on ${new URL(link).host}.`, `Address: ${link}`]),
    ...(message === undefined ? [] : quotedText(message)),
  ];
}

const quotedText = (text: string): readonly string[] => quoted(reveal(text).trim());

function questionWords(form: Form, field: FormField, index: number): readonly string[] {
  const place = form.fields.length > 1 ? ` ${index + 1} of ${form.fields.length}` : '';
  const notice = previewNotice({ type: 'form', fields: [field] });
  const hint = fieldHint(field);
  const given = answerText(field, givenAnswer(field));
  const empty =
    form.review === undefined
      ? ' An empty line declines to answer.'
      : given === ''
        ? ' An empty line skips the question.'
        : isOfServer(form)
          ? ' An empty line keeps the default.'
          : ` An empty line keeps ${shownLine(given)}.`;
  return [
    ...(isOfServer(form)
      ? [`Question${place}:`, ...quotedText(field.question)]
      : [`Question${place}: ${reveal(field.question).trim()}`]),
    ...(hint === '' ? [] : [hint]),
    ...(notice === undefined ? [] : [notice]),
    ...(field.type === 'choice'
      ? field.options.flatMap((option, at) => optionWords(option, at, isOfServer(form)))
      : []),
    ...(isOfServer(form) && given !== '' ? ['Default:', ...quoted(shownLine(given))] : []),
    `${howToAnswer(field)}${index === 0 ? '' : ' "back" returns to the previous question.'}${empty}`,
  ];
}

function howToAnswer(field: FormField): string {
  if (field.type === 'text') return 'Type your answer.';
  const numbers = field.isMultiple ? 'numbers, such as 1, 2' : `a number, 1 to ${field.options.length}`;
  return `Answer with ${numbers}${field.hasOwnAnswer ? ', or in your own words' : ''}.`;
}

/** The form's default answer. */
function givenAnswer(field: FormField): FieldAnswer {
  if (field.type === 'choice') return { chosen: field.chosen ?? [] };
  return { chosen: [], ...(field.initial !== undefined && { text: field.initial }) };
}

function askReview(form: Form, title: string, ports: FormPorts, answers: readonly FieldAnswer[]): Dialogue {
  const { fields } = form;
  const choices = reviewOf(form);
  return {
    tell: [
      ...(fields.length === 0 ? openingWords(form, title) : ['Your answers:']),
      ...fields.flatMap((field, index) => {
        const answer = answers[index];
        const given = isAnswered(answer) ? shownLine(answerText(field, answer)) : undefined;
        if (!isOfServer(form)) return [`- ${shownLine(field.question)} ${given ?? 'not answered'}`];
        const words = given === undefined ? ['Not answered.'] : ['Answer:', ...quoted(given)];
        return [`Question ${index + 1}:`, ...quoted(shownLine(field.question)), ...words];
      }),
      ...choices.map(({ label }, index) => `${index + 1}: ${label}`),
      `Answer with a number, 1 to ${choices.length}.${fields.length === 0 ? '' : ' "back" goes to the last question.'}`,
    ],
    answer(text, isHeard = true) {
      if (!isHeard) return TYPED_TOO_EARLY;
      if (text.toLowerCase() === 'back' && fields.length > 0) {
        ports.ask(askForm(form, title, ports, answers.slice(0, -1)));
        return undefined;
      }
      const choice = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
      if (choice === undefined) return `Answer with a number, 1 to ${choices.length}.`;
      const named = choice.name === undefined ? {} : { choice: choice.name };
      ports.onAnswer(
        choice.sends ? { behavior: 'allow', answers, ...named } : { behavior: 'deny', ...named },
      );
      return undefined;
    },
    cancel: () => ports.onAnswer(dismissed),
  };
}

/** `isForeign`: an MCP server wrote the option. */
function optionWords(
  { label, description, preview }: FormOption,
  index: number,
  isForeign: boolean,
): string[] {
  const more = description === undefined || description.trim() === '' ? '' : ` (${shownLine(description)})`;
  const sketch = preview === undefined || preview.trim() === '' ? [] : quoted(reveal(preview).trimEnd());
  const text = `${shownLine(label)}${more}`;
  return [...(isForeign ? [`${index + 1}:`, ...quoted(text)] : [`${index + 1}: ${text}`]), ...sketch];
}

function answerIn(field: FormField, text: string): FieldAnswer | string {
  return field.type === 'text' ? { chosen: [], text } : chosenIn(field, text);
}

/** Numbers and labels choose options; anything else is the user's own answer if the field accepts one. */
function chosenIn({ options, isMultiple, hasOwnAnswer }: ChoiceField, text: string): FieldAnswer | string {
  const named = options.findIndex(({ label }) => label.toLowerCase() === text.toLowerCase());
  if (named !== -1) return { chosen: [named] };
  const isNumbers = /^[\d\s,.;)]+$/.test(text);
  if (!isNumbers && hasOwnAnswer) return { chosen: [], text };
  const numbers = [...new Set((text.match(/\d+/g) ?? []).map(Number))].toSorted((a, b) => a - b);
  const isKnown = numbers.every((number) => number >= 1 && number <= options.length);
  if (!isNumbers || numbers.length === 0 || !isKnown || (!isMultiple && numbers.length > 1))
    return `${JSON.stringify(sanitizeLine(text))} is not one of the choices. Answer with ${isMultiple ? 'numbers' : 'a number'}, 1 to ${options.length}${hasOwnAnswer ? ', or in words' : ''}.`;
  return { chosen: numbers.map((number) => number - 1) };
}
