/** The form that asks for a key, an endpoint and a model: its fields, and what is wrong with them. Pure. */
import { OFFICIAL_URL } from '../../protocol/modelDefaults.ts';
import { fieldText } from '../dialog/field.ts';
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { providerNamed, providerOfKey } from './providers.ts';
import type { Access, AccessField } from './SetupPort.ts';

/** In the order on screen. */
export const fieldNames = ['apiKey', 'baseUrl', 'model'] as const satisfies readonly AccessField[];

export interface Form {
  readonly fields: Readonly<Record<AccessField, TextBuffer>>;
  readonly active: number;
  /** What has to be put right before it can be sent. */
  readonly problem: string | undefined;
  /** Whether the endpoint is what somebody typed, or what the key's beginning says. */
  readonly isUrlTyped: boolean;
}

type FormResult =
  | { readonly type: 'ok'; readonly access: Access }
  | { readonly type: 'problem'; readonly field: AccessField; readonly message: string };

/** Starts at the key; the endpoint is the official one until a key or a person says otherwise. */
export function createForm({ baseUrl, apiKey = '', model = '' }: Partial<Access> = {}): Form {
  const form: Form = {
    fields: {
      apiKey: createBuffer(),
      baseUrl: createBuffer(baseUrl ?? OFFICIAL_URL),
      model: createBuffer(model),
    },
    active: 0,
    problem: undefined,
    isUrlTyped: baseUrl !== undefined && baseUrl !== OFFICIAL_URL,
  };
  return apiKey === '' ? form : withField(form, 'apiKey', createBuffer(apiKey));
}

/**
 * With another text in a field; a key that says whose it is brings its endpoint along. A key in a field that is shown
 * moves to its own.
 */
export function withField(form: Form, name: AccessField, buffer: TextBuffer): Form {
  const stray = name === 'apiKey' ? undefined : strayKey(fieldText(buffer));
  if (stray !== undefined) return withMovedKey(withText(form, name, createBuffer(stray.before)), stray.key);
  return withText(form, name, buffer);
}

/** The form after an insertion into a field: what is nothing but a key goes into the field of the key, wherever it was put. */
export function withInsertion(form: Form, name: AccessField, text: string, buffer: TextBuffer): Form {
  return name === 'baseUrl' && isKey(text) ? withMovedKey(form, text) : withField(form, name, buffer);
}

/** An endpoint that is left empty is the one of the key. */
function withMovedKey(form: Form, key: string): Form {
  const isUrlTyped = form.isUrlTyped && fieldText(form.fields.baseUrl).trim() !== '';
  const moved = withText({ ...form, isUrlTyped }, 'apiKey', createBuffer(key));
  return { ...moved, active: fieldNames.indexOf('apiKey'), problem: MOVED };
}

/** Also what is said in lines, where somebody answers with a key. */
export const MOVED = 'That looks like a key, so it was entered as the key.';

function withText(form: Form, name: AccessField, buffer: TextBuffer): Form {
  const changed = { ...form, fields: { ...form.fields, [name]: buffer }, problem: undefined };
  if (name === 'baseUrl') return { ...changed, isUrlTyped: true };
  if (name !== 'apiKey' || form.isUrlTyped) return changed;
  const baseUrl = providerOfKey(fieldText(buffer).trim())?.baseUrl ?? OFFICIAL_URL;
  return { ...changed, fields: { ...changed.fields, baseUrl: createBuffer(baseUrl) } };
}

/** The character of a field from which on it is not shown: all of a key, and of another field what begins like one. */
export function secretFrom({ fields }: Form, name: AccessField): number | undefined {
  if (name === 'apiKey') return 0;
  const text = fieldText(fields[name]);
  const start = secretStart(text);
  return start === undefined ? undefined : createBuffer(text.slice(0, start)).units.length;
}

/** What was pasted as a key: also the line of a shell or of an .env file that sets one. */
export function pastedText(text: string): string {
  const line = text.trim();
  const [, , value] =
    /^(?:export\s+|set\s+|\$env:)?[A-Za-z_]\w*\s*=\s*(["']?)([^\s=]\S*?)\1;?$/.exec(line) ?? [];
  return value ?? line.replace(/^Bearer\s+/i, '').replace(/^(["'])(\S+)\1$/, '$2');
}

/** The key that a line is or ends in: such a line is not said again, and not brought back. */
export function keyIn(line: string): string | undefined {
  const pasted = pastedText(line);
  return isKey(pasted) ? pasted : strayKey(pasted)?.key;
}

/** Another field is typed into. */
export function stepForm(form: Form, by: number): Form {
  return { ...form, active: (form.active + by + fieldNames.length) % fieldNames.length };
}

/** What to know about the field that is typed into; an empty string where it speaks for itself. */
export function adviceOf(form: Form): string {
  const { fields, active, isUrlTyped } = form;
  const name = fieldNames[active] ?? 'model';
  if (name !== 'apiKey' && secretFrom(form, name) !== undefined)
    return 'This looks like a key, so it is hidden. If it is one, enter it as the key.';
  const key = fieldText(fields.apiKey).trim();
  if (name === 'model') return 'Leave the model empty to choose from a list.';
  if (name === 'apiKey' && key === '') return 'Paste a key. Local servers usually need none.';
  const provider = providerOfKey(key);
  if (provider !== undefined && !isUrlTyped)
    return `A key that begins like this is of ${provider.name}, so that is the endpoint.`;
  if (key !== '' && !isUrlTyped)
    return 'Not an OpenAI key? Enter your provider’s endpoint or name: deepseek, mistral, …';
  return name === 'baseUrl' ? 'An address, or a name: openrouter, ollama, lmstudio, …' : '';
}

/** The values, or the first thing that is wrong with them. */
export function checkForm({ fields }: Form): FormResult {
  const apiKey = fieldText(fields.apiKey).trim();
  const model = fieldText(fields.model).trim();
  if (/\s/.test(apiKey))
    return {
      type: 'problem',
      field: 'apiKey',
      message: 'A key has no spaces. Did you paste more than the key?',
    };
  if (/[^\x21-\x7e]/.test(apiKey))
    return {
      type: 'problem',
      field: 'apiKey',
      message: 'A key has only plain letters and digits. Paste it again.',
    };
  const baseUrl = readAddress(fieldText(fields.baseUrl));
  if (baseUrl === undefined)
    return {
      type: 'problem',
      field: 'baseUrl',
      message: `The endpoint is an address such as ${OFFICIAL_URL}.`,
    };
  // Local servers mostly want no key; the official endpoint always does.
  if (apiKey === '' && new URL(baseUrl).host === new URL(OFFICIAL_URL).host)
    return { type: 'problem', field: 'apiKey', message: 'This endpoint needs a key.' };
  if (/\s/.test(model)) return { type: 'problem', field: 'model', message: 'A model id has no spaces.' };
  return { type: 'ok', access: { baseUrl, apiKey, model } };
}

/** An address as people write it: with or without `http://`, or a provider's name. */
export function readAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return providerNamed(text)?.baseUrl;
  const named = providerNamed(text);
  if (named !== undefined) return named.baseUrl;
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? text : undefined;
  // `localhost:8080` reads as a URL with a scheme of its own.
  const [, host = '', port, rest = ''] = /^([a-z\d.-]+|\[[\da-f:]+\])(:\d+)?(\/.*)?$/i.exec(text) ?? [];
  const isNear = /^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(host);
  if (!isNear && port === undefined && !host.includes('.')) return undefined;
  const url = `${isNear || port !== undefined ? 'http' : 'https'}://${host}${port ?? ''}${rest === '' ? '/v1' : rest}`;
  return host !== '' && URL.canParse(url) ? url : undefined;
}

// Finds a key that was put where an address or a model belongs: those fields are shown as they are typed. Pure.

/** Whether this is nothing but a key, as somebody pastes one. */
export function isKey(text: string): boolean {
  return beginsAsKey(text) || isOpaque(text);
}

/** The key that a text ends in, and what stands before it: `https://llm.example/v1sk-…`. */
export function strayKey(text: string): { readonly before: string; readonly key: string } | undefined {
  const at = BEGINNING.exec(text)?.index ?? -1;
  if (at === -1) return undefined;
  const key = text.slice(at);
  return beginsAsKey(key) ? { before: text.slice(0, at), key } : undefined;
}

/** Where what may become a key begins, in UTF-16 units: from its first signs on it is not shown. */
export function secretStart(text: string): number | undefined {
  return BEGUN.exec(text)?.index;
}

/** Keys are longer; names of hosts and models that begin like one are mostly not. */
const SHORTEST = 20;

/** The beginnings of keys; in the midst of a word they are none (`task-…`). */
const BEGINNING = /(?<![a-z])(?:sk-|gsk_|xai-|csk-|fw_|nvapi-|hf_|ghp_|github_pat_|AIza)/;

/** Nothing that a key has not follows: a dot, a slash or a colon make it part of an address. */
const BEGUN = new RegExp(`${BEGINNING.source}[\\w-]*$`);

function beginsAsKey(text: string): boolean {
  const isOfSomebody = text.startsWith('sk-') || providerOfKey(text) !== undefined;
  return isOfSomebody && text.length >= SHORTEST && /^[\w-]+$/.test(text) && /\d/.test(text);
}

/**
 * Letters and digits without a word's shape, as providers without a sign of their own give out; with a second part
 * behind a dot (Z.ai), as three of them (a JSON Web Token), or as a UUID. A host of one such label would need a port.
 */
function isOpaque(text: string): boolean {
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return true;
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return true;
  const [, first = ''] = /^([A-Za-z\d_]{20,})(?:\.[A-Za-z\d]{10,})?$/.exec(text) ?? [];
  return /\d/.test(first) && /[A-Za-z]/.test(first);
}
