/** Converts a form to the protocol's `elicitation/create`, and the client's response to answers. Pure. */
import type {
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk';
import type { FieldAnswer, Form, FormField } from '../protocol/forms.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import { visibleText } from '../protocol/text/visible.ts';

/** Maximum characters of a typed answer. */
const MAX_ANSWER = 10_000;

const nameOf = (index: number): string => `q${index + 1}`;

export function formSchema({ fields }: Form): ElicitationSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field, index) => [nameOf(index), propertyOf(field)])),
    required: fields.flatMap(({ isRequired }, index) => (isRequired === true ? [nameOf(index)] : [])),
  };
}

export function formMessage({ message, link, fields }: Form): string {
  const lines = [message, link, ...(message === undefined ? fields.map(({ question }) => question) : [])];
  return visibleText(lines.filter((line) => line !== undefined).join('\n'));
}

function propertyOf(field: FormField): ElicitationPropertySchema {
  const head = { title: visibleText(field.header), description: visibleText(field.question) };
  if (field.type === 'text') {
    const { minimum, maximum, minLength, maxLength } = field;
    if (field.holds !== 'text')
      return {
        ...{ ...head, type: field.holds },
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
      };
    return {
      ...{ ...head, type: 'string' },
      ...(minLength === undefined ? {} : { minLength }),
      ...(maxLength === undefined ? {} : { maxLength }),
    };
  }
  const options = field.options.map(({ label, description }) => ({
    const: label,
    title: visibleText(label),
    ...(description === undefined ? {} : { description: visibleText(description) }),
  }));
  return field.isMultiple
    ? { ...head, type: 'array', items: { anyOf: options } }
    : { ...head, type: 'string', oneOf: options };
}

/** The answers; a form that is declined or dismissed is denied, as in the terminal. */
export function formAnswer(response: CreateElicitationResponse, form: Form): PermissionAnswer {
  if (response.action !== 'accept') return { behavior: 'deny' };
  const given = 'content' in response && isRecord(response.content) ? response.content : {};
  return {
    behavior: 'allow',
    answers: form.fields.map((field, index) => answerTo(field, given[nameOf(index)])),
    ...choiceThatSends(form),
  };
}

const choiceThatSends = ({ review }: Form): { choice?: string } => {
  const name = review?.find(({ sends }) => sends)?.name;
  return name === undefined ? {} : { choice: name };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function answerTo(field: FormField, value: unknown): FieldAnswer {
  const words = (Array.isArray(value) ? value : [value]).flatMap((one) =>
    one === undefined || one === null ? [] : [String(one).slice(0, MAX_ANSWER)],
  );
  if (field.type === 'text') return { chosen: [], ...(words[0] ? { text: words[0] } : {}) };
  const chosen = field.options.flatMap(({ label }, index) => (words.includes(label) ? [index] : []));
  // A client shows only the options: anything else does not answer the question.
  return { chosen: field.isMultiple ? chosen : chosen.slice(0, 1) };
}
