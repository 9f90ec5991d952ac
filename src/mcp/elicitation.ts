/**
 * A server's request to the user as a form, and the user's answers as the content of the response. Everything in a
 * request is untrusted and bounded here. Pure.
 */

import * as z from 'zod';
import { type FieldAnswer, type Form, type FormField, numberIn, textFormats } from '../protocol/forms.ts';
import { shortened } from '../protocol/text/visible.ts';

const MAX_FIELDS = 20;
const MAX_OPTIONS = 100;
const MAX_MESSAGE = 4000;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 1000;
/** A value from a list is sent to the server, so it is never cut. */
const MAX_VALUE = 1000;
const MAX_URL = 2000;

/** A request that can be shown. */
interface Elicitation {
  readonly form: Pick<Form, 'fields' | 'message' | 'link'>;
  /** The content for these answers, one for each field. */
  readonly contentOf: (answers: readonly FieldAnswer[]) => Record<string, Value>;
}

type Value = string | number | boolean | string[];

/** Why a request is not shown to the user. */
interface Unusable {
  readonly problem: string;
}

/** Reads the parameters of `elicitation/create`. */
export function readElicitation(params: unknown): Elicitation | Unusable {
  const parsed = requestSchema.safeParse(params);
  if (!parsed.success) return { problem: 'not a valid request' };
  const { mode = 'form', message, url, requestedSchema } = parsed.data;
  const said = message.trim() === '' ? {} : { message: shortened(message, MAX_MESSAGE) };
  if (mode === 'url') {
    const link = linkOf(url);
    if (link === undefined) return { problem: 'not a URL that can be opened' };
    return { form: { ...said, fields: [], link }, contentOf: () => ({}) };
  }
  const entries = Object.entries(requestedSchema?.properties ?? {});
  if (entries.length > MAX_FIELDS) return { problem: `more than ${MAX_FIELDS} fields` };
  const required = new Set(requestedSchema?.required ?? []);
  const fields: ReadField[] = [];
  for (const [name, property] of entries) {
    const field = fieldOf(name, property, required.has(name));
    if (field === undefined) return { problem: `a field that cannot be shown: ${name.slice(0, MAX_NAME)}` };
    fields.push(field);
  }
  return {
    form: { ...said, fields: fields.map(({ field }) => field) },
    contentOf: (answers) =>
      Object.fromEntries(fields.flatMap((field, index) => entryOf(field, answers[index]))),
  };
}

const titled = z.object({ const: z.string().max(MAX_VALUE), title: z.string().optional() });
const values = z.array(z.string().max(MAX_VALUE)).min(1).max(MAX_OPTIONS);
const propertySchema = z.object({
  type: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: values.optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(titled).min(1).max(MAX_OPTIONS).optional(),
  items: z
    .object({ enum: values.optional(), anyOf: z.array(titled).min(1).max(MAX_OPTIONS).optional() })
    .optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.string().optional(),
});
type Property = z.infer<typeof propertySchema>;

const requestSchema = z.object({
  mode: z.enum(['form', 'url']).optional(),
  message: z.string(),
  url: z.string().optional(),
  requestedSchema: z
    .object({ properties: z.record(z.string(), z.unknown()), required: z.array(z.string()).optional() })
    .optional(),
});

/** Accepts only web URLs, in the form of `URL`, which shows international host names in ASCII. */
function linkOf(url: string | undefined): string | undefined {
  if (url === undefined || url.length > MAX_URL || !URL.canParse(url)) return undefined;
  const { protocol, href, username, password } = new URL(url);
  // Text before an @ could be mistaken for the host.
  const isPlain = username === '' && password === '';
  return isPlain && (protocol === 'https:' || protocol === 'http:') ? href : undefined;
}

interface ReadField {
  readonly name: string;
  readonly field: FormField;
  readonly toValue: (answer: FieldAnswer) => Value | undefined;
}

function entryOf({ name, toValue }: ReadField, answer: FieldAnswer | undefined): [string, Value][] {
  const value = answer === undefined ? undefined : toValue(answer);
  return value === undefined ? [] : [[name, value]];
}

function fieldOf(name: string, raw: unknown, isRequired: boolean): ReadField | undefined {
  const parsed = propertySchema.safeParse(raw);
  if (!parsed.success || name.length > MAX_NAME) return undefined;
  const property = parsed.data;
  const { title = name, description } = property;
  const header = shortened(title, MAX_NAME);
  const question =
    description === undefined ? header : `${header}\n${shortened(description, MAX_DESCRIPTION)}`;
  const head = { header, question, isRequired };
  switch (property.type) {
    case 'string':
      return property.enum === undefined && property.oneOf === undefined
        ? textField(name, head, property, 'text')
        : listField(name, head, property, optionsOf(property));
    case 'number':
    case 'integer':
      return textField(name, head, property, property.type);
    case 'boolean':
      return booleanField(name, head, property);
    case 'array':
      return listField(
        name,
        head,
        property,
        optionsOf({ enum: property.items?.enum, oneOf: property.items?.anyOf }),
      );
  }
  return undefined;
}

type Head = Pick<FormField, 'header' | 'question' | 'isRequired'>;

function textField(
  name: string,
  head: Head,
  property: Property,
  holds: 'text' | 'number' | 'integer',
): ReadField {
  const { minimum, maximum, minLength, maxLength } = property;
  const format = textFormats.find((one) => one === property.format);
  const given = property.default;
  const initial = typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;
  const limits = { minimum, maximum, minLength, maxLength };
  const known = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
  return {
    name,
    field: {
      ...{ type: 'text', holds, ...head, ...known },
      ...(format !== undefined && { format }),
      ...(initial !== undefined && { initial: initial.slice(0, MAX_VALUE) }),
    },
    toValue: ({ text }) => (text === undefined || holds === 'text' ? text : numberIn(text)),
  };
}

function booleanField(name: string, head: Head, { default: given }: Property): ReadField {
  return {
    name,
    field: {
      ...{ type: 'choice', ...head, isMultiple: false, hasOwnAnswer: false },
      options: [{ label: 'Yes' }, { label: 'No' }],
      ...(typeof given === 'boolean' && { chosen: [given ? 0 : 1] }),
    },
    toValue: ({ chosen: [first] }) => (first === undefined ? undefined : first === 0),
  };
}

interface ListOption {
  readonly value: string;
  readonly label: string;
}

function optionsOf({
  enum: plain,
  enumNames = [],
  oneOf,
}: {
  readonly enum?: readonly string[] | undefined;
  readonly enumNames?: readonly string[] | undefined;
  readonly oneOf?: readonly z.infer<typeof titled>[] | undefined;
}): readonly ListOption[] {
  if (oneOf !== undefined)
    return oneOf.map(({ const: value, title = value }) => ({ value, label: shortened(title, MAX_NAME) }));
  return (plain ?? []).map((value, index) => ({
    value,
    label: shortened(enumNames[index] ?? value, MAX_NAME),
  }));
}

function listField(
  name: string,
  head: Head,
  { type, default: given, minItems, maxItems }: Property,
  options: readonly ListOption[],
): ReadField | undefined {
  if (options.length === 0) return undefined;
  const isMultiple = type === 'array';
  const wanted: readonly unknown[] = Array.isArray(given) ? given : [given];
  const chosen = options.flatMap(({ value }, index) => (wanted.includes(value) ? [index] : []));
  return {
    name,
    field: {
      ...{ type: 'choice', ...head, isMultiple, hasOwnAnswer: false },
      options: options.map(({ label }) => ({ label })),
      ...(chosen.length > 0 && { chosen }),
      ...(minItems !== undefined && { minChosen: minItems }),
      ...(maxItems !== undefined && { maxChosen: maxItems }),
    },
    toValue(answer) {
      const picked = answer.chosen.flatMap((index) => options[index]?.value ?? []);
      return isMultiple ? (picked.length > 0 || head.isRequired === true ? picked : undefined) : picked[0];
    },
  };
}
