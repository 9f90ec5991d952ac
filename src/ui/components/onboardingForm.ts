/** The form that asks for an endpoint: its fields, and what is wrong with them. Pure. */
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { fieldText } from './field.ts';

export const fieldNames = ['baseUrl', 'apiKey', 'model'] as const;
export type FieldName = (typeof fieldNames)[number];

export interface OnboardingDefaults {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly model?: string;
}

export interface Form {
  readonly fields: Readonly<Record<FieldName, TextBuffer>>;
  readonly active: number;
  /** What has to be put right before it can be sent. */
  readonly problem: string | undefined;
}

export type FormResult =
  | { readonly type: 'ok'; readonly baseUrl: string; readonly apiKey: string; readonly model: string }
  | { readonly type: 'problem'; readonly field: FieldName; readonly message: string };

const officialUrl = 'https://api.openai.com/v1';

/** Starts at the endpoint, which has the official one to begin with. */
export function createForm({ baseUrl = officialUrl, apiKey = '', model = '' }: OnboardingDefaults): Form {
  return {
    fields: { baseUrl: createBuffer(baseUrl), apiKey: createBuffer(apiKey), model: createBuffer(model) },
    active: 0,
    problem: undefined,
  };
}

/** The values, or the first thing that is wrong with them. */
export function checkForm({ fields }: Form): FormResult {
  const baseUrl = fieldText(fields.baseUrl).trim();
  const apiKey = fieldText(fields.apiKey).trim();
  const model = fieldText(fields.model).trim();
  const url = parseUrl(baseUrl);
  if (url === undefined)
    return { type: 'problem', field: 'baseUrl', message: `The endpoint is a URL such as ${officialUrl}.` };
  // Local servers mostly want no key; the official endpoint always does.
  if (apiKey === '' && url.host === new URL(officialUrl).host)
    return { type: 'problem', field: 'apiKey', message: 'This endpoint needs a key.' };
  if (/\s/.test(apiKey))
    return {
      type: 'problem',
      field: 'apiKey',
      message: 'A key holds no spaces: was more than the key pasted?',
    };
  // Without a model's name the program takes one itself, where the endpoint says what it has.
  return { type: 'ok', baseUrl, apiKey, model };
}

function parseUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
