/**
 * Converts a form to the protocol's `elicitation/create`, and the client's responses to an answer. The client shows these
 * texts as the program's own, so what an MCP server says is marked as a quotation. Pure.
 */
import type {
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk';
import { type FieldAnswer, type Form, type FormField, isOfServer } from '../protocol/forms.ts';
import { isRecord } from '../protocol/json.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import { reveal } from '../protocol/text/reveal.ts';
import { visibleText } from '../protocol/text/visible.ts';

/** Maximum characters of a typed answer. */
const MAX_ANSWER = 10_000;

interface FormRequest {
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
}

interface AskedForm {
  readonly form: Form;
  /** Who asks, as a sentence without its period; absent for the model. */
  readonly asker?: string | undefined;
}

const nameOf = (index: number): string => `q${index + 1}`;

/**
 * Asks what to do first: whether a page is opened, or whether all later forms of the server are declined. Undefined if
 * accepting and declining the fields is all there is to choose.
 */
export function choiceRequest(asked: AskedForm): FormRequest | undefined {
  const { fields, link, review = [] } = asked.form;
  const refusals = review.filter(({ sends }) => !sends);
  if (link === undefined && refusals.length < 2) return undefined;
  const options = review.map(({ label, sends }, index) => ({
    const: nameOf(index),
    title: visibleText(sends && fields.length > 0 ? 'Answer' : label),
  }));
  return {
    message: messageOf(asked, 'Nothing is sent or opened unless you choose it below.'),
    requestedSchema: {
      type: 'object',
      properties: { choice: { type: 'string', title: 'What to do', oneOf: options } },
      required: ['choice'],
    },
  };
}

/** Asks for the fields. */
export function fieldsRequest(asked: AskedForm): FormRequest {
  const { form, asker } = asked;
  const accepting =
    form.fields.length === 0
      ? 'If you accept, the server is told that you do.'
      : 'If you accept, your answers are sent to the server.';
  return {
    message: messageOf(asked, accepting),
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(
        form.fields.map((field, index) => [nameOf(index), propertyOf(field, asker)]),
      ),
      required: form.fields.flatMap(({ isRequired }, index) => (isRequired === true ? [nameOf(index)] : [])),
    },
  };
}

/** Who asks, what accepting does, and the text of the form. */
function messageOf({ form, asker }: AskedForm, accepting: string): string {
  const { message, link, fields } = form;
  if (!isOfServer(form)) return visibleText(message ?? fields.map(({ question }) => question).join('\n'));
  return [
    ...(asker === undefined ? [] : [`${visibleText(asker)}.`]),
    ...(link === undefined ? [] : [`It wants you to open a page on ${new URL(link).host}:`, link]),
    accepting,
    ...(message === undefined ? [] : [reveal(message).trim().replace(/^/gm, '> ')]),
  ].join('\n');
}

function propertyOf(field: FormField, asker: string | undefined): ElicitationPropertySchema {
  const description = asker === undefined ? field.question : `${asker}: ${field.question}`;
  const head = { title: visibleText(field.header), description: visibleText(description) };
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

/** The chosen one of the form's choices, to be asked first; its answer if nothing else is to be asked. */
export function chosenAnswer(
  response: CreateElicitationResponse,
  form: Form,
): { readonly choice?: string; readonly answer?: PermissionAnswer } {
  if (response.action !== 'accept') return { answer: refused(response, form) };
  const given = contentOf(response).choice;
  const chosen = form.review?.find((_, index) => nameOf(index) === given);
  // Without a choice, nothing is opened and nothing sent.
  if (chosen === undefined) return { answer: { behavior: 'deny' } };
  const named = chosen.name === undefined ? {} : { choice: chosen.name };
  if (!chosen.sends) return { answer: { behavior: 'deny', ...named } };
  return form.fields.length > 0 ? named : { answer: { behavior: 'allow', answers: [], ...named } };
}

/** The answers to the fields; a form that is declined or dismissed is denied, as in the terminal. */
export function formAnswer(response: CreateElicitationResponse, form: Form): PermissionAnswer {
  if (response.action !== 'accept') return refused(response, form);
  const given = contentOf(response);
  return {
    behavior: 'allow',
    answers: form.fields.map((field, index) => answerTo(field, given[nameOf(index)])),
  };
}

/** A server is told whether the user has declined or closed the form. */
function refused({ action }: CreateElicitationResponse, { review = [] }: Form): PermissionAnswer {
  const decline = action === 'decline' ? review.find(({ sends }) => !sends)?.name : undefined;
  return { behavior: 'deny', ...(decline !== undefined && { choice: decline }) };
}

const contentOf = (response: CreateElicitationResponse): Readonly<Record<string, unknown>> =>
  'content' in response && isRecord(response.content) ? response.content : {};

function answerTo(field: FormField, value: unknown): FieldAnswer {
  const words = (Array.isArray(value) ? value : [value]).flatMap((one) =>
    one === undefined || one === null ? [] : [String(one).slice(0, MAX_ANSWER)],
  );
  if (field.type === 'text') return { chosen: [], ...(words[0] ? { text: words[0] } : {}) };
  const chosen = field.options.flatMap(({ label }, index) => (words.includes(label) ? [index] : []));
  // A client shows only the options: anything else does not answer the question.
  return { chosen: field.isMultiple ? chosen : chosen.slice(0, 1) };
}
