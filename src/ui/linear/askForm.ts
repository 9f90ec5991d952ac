/** The questions of a form in lines, one at a time: answered by numbers, a label, or in the user's own words. */
import { answerWords, type FieldAnswer, type Form, type FormField } from '../../protocol/forms.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { previewNotice } from '../dialog/permission.ts';
import { reveal, sanitizeLine } from '../print/sanitize.ts';
import { type Dialogue, UNHEARD } from './askDialog.ts';

interface FormPorts {
  /** Asks the next question. */
  readonly ask: (dialogue: Dialogue) => void;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

const declined: PermissionAnswer = { behavior: 'deny' };

/** Asks one question of a form; `answers` are those to the questions before it. */
export function askForm(
  form: Form,
  title: string,
  ports: FormPorts,
  answers: readonly FieldAnswer[] = [],
): Dialogue {
  const { fields } = form;
  const field = fields[answers.length];
  if (field === undefined) return askReview(form, title, ports, answers);
  const place = fields.length > 1 ? ` ${answers.length + 1} of ${fields.length}` : '';
  const notice = previewNotice({ type: 'form', fields: [field] });
  const isFirst = answers.length === 0;
  return {
    tell: [
      ...(isFirst ? [`${inLine(title)}.`] : []),
      `Question${place}: ${reveal(field.question).trim()}`,
      ...(notice === undefined ? [] : [notice]),
      ...field.options.flatMap(optionWords),
      `Answer with ${field.isMultiple ? 'numbers, such as 1, 2' : `a number, 1 to ${field.options.length}`}, or in your own words.` +
        `${isFirst ? '' : ' "back" goes to the question before.'} An empty line declines to answer.`,
    ],
    answer(text, isHeard = true) {
      if (!isHeard) return UNHEARD;
      if (text === '') ports.onAnswer(declined);
      else if (text.toLowerCase() === 'back' && !isFirst)
        ports.ask(askForm(form, title, ports, answers.slice(0, -1)));
      else {
        const answer = answerIn(field, text);
        if (typeof answer === 'string') return answer;
        const all = [...answers, answer];
        if (fields.length === 1) ports.onAnswer({ behavior: 'allow', answers: all });
        else ports.ask(askForm(form, title, ports, all));
      }
      return undefined;
    },
    cancel: () => ports.onAnswer(declined),
  };
}

function askReview(form: Form, title: string, ports: FormPorts, answers: readonly FieldAnswer[]): Dialogue {
  return {
    tell: [
      'Your answers:',
      ...form.fields.map(
        (field, index) => `- ${inLine(field.question)} ${inLine(answerWords(field, answers[index]))}`,
      ),
      'Send them? y or n; "back" goes to the last question.',
    ],
    answer(text, isHeard = true) {
      if (!isHeard) return UNHEARD;
      const word = text.toLowerCase();
      if (word === 'back') ports.ask(askForm(form, title, ports, answers.slice(0, -1)));
      else if (word === 'y' || word === 'yes') ports.onAnswer({ behavior: 'allow', answers });
      else if (word === 'n' || word === 'no') ports.onAnswer(declined);
      else return 'Answer y, n or back.';
      return undefined;
    },
    cancel: () => ports.onAnswer(declined),
  };
}

function optionWords({ label, description, preview }: FormField['options'][number], index: number): string[] {
  const more = description === undefined || description.trim() === '' ? '' : ` (${inLine(description)})`;
  const sketch = preview === undefined || preview.trim() === '' ? [] : [reveal(preview).trimEnd()];
  return [`${index + 1}: ${inLine(label)}${more}`, ...sketch];
}

/** Numbers choose, a label chooses its option, anything else is the user's own answer. */
function answerIn({ options, isMultiple }: FormField, text: string): FieldAnswer | string {
  const named = options.findIndex(({ label }) => label.toLowerCase() === text.toLowerCase());
  if (named !== -1) return { chosen: [named] };
  if (!/^[\d\s,.;)]+$/.test(text)) return { chosen: [], text };
  const numbers = [...new Set((text.match(/\d+/g) ?? []).map(Number))].toSorted((a, b) => a - b);
  const isKnown = numbers.every((number) => number >= 1 && number <= options.length);
  if (numbers.length === 0 || !isKnown || (!isMultiple && numbers.length > 1))
    return `${JSON.stringify(sanitizeLine(text))} is not one of the choices. Answer with ${isMultiple ? 'numbers' : 'a number'}, 1 to ${options.length}, or in words.`;
  return { chosen: numbers.map((number) => number - 1) };
}

const inLine = (text: string): string => sanitizeLine(reveal(text));
