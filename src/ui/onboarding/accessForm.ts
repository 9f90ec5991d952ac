/** The form for a key, an endpoint and a model: its fields and their validation. Pure. */
import { OFFICIAL_URL } from '../../protocol/models/modelNames.ts';
import { fieldText } from '../dialog/field.ts';
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { providerNamed, providerOfKey } from './providers.ts';
import type { Access, AccessField } from './SetupPort.ts';

/** In display order. */
export const fieldNames = ['apiKey', 'baseUrl', 'model'] as const satisfies readonly AccessField[];

export interface Form {
  readonly fields: Readonly<Record<AccessField, TextBuffer>>;
  readonly active: number;
  /** The problem to fix before the form can be submitted. */
  readonly problem: string | undefined;
  /** False if the endpoint was derived from the key's prefix. */
  readonly isUrlTyped: boolean;
}

type FormResult =
  | { readonly type: 'ok'; readonly access: Access }
  | { readonly type: 'problem'; readonly field: AccessField; readonly message: string };

/** Starts at the key. The endpoint is OpenAI's until the key or the user says otherwise. */
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
 * Sets a field. A key with a known prefix also sets the endpoint; a key at the end of a visible field moves to the key
 * field.
 */
export function withField(form: Form, name: AccessField, buffer: TextBuffer): Form {
  const stray = name === 'apiKey' ? undefined : splitTrailingKey(fieldText(buffer));
  if (stray !== undefined) return withMovedKey(withText(form, name, createBuffer(stray.before)), stray.key);
  return withText(form, name, buffer);
}

/** Applies an insertion; text that is nothing but a key goes to the key field, and an address to the endpoint. */
export function withInsertion(form: Form, name: AccessField, text: string, buffer: TextBuffer): Form {
  if (name === 'apiKey' && isAddress(text)) return withMovedAddress(form, text);
  return name === 'baseUrl' && isKey(text) ? withMovedKey(form, text) : withField(form, name, buffer);
}

/** Moves a key to its field. An empty endpoint is then set from the key. */
function withMovedKey(form: Form, key: string): Form {
  const isUrlTyped = form.isUrlTyped && fieldText(form.fields.baseUrl).trim() !== '';
  const moved = withText({ ...form, isUrlTyped }, 'apiKey', createBuffer(key));
  return { ...moved, active: fieldNames.indexOf('apiKey'), problem: MOVED };
}

/** Also used in plain mode, when a key is given as an answer. */
export const MOVED = 'That looks like a key, so it was entered as the key.';

/** Moves an address to the endpoint. */
function withMovedAddress(form: Form, url: string): Form {
  const emptied = withText(form, 'apiKey', createBuffer());
  const moved = withText(emptied, 'baseUrl', createBuffer(url));
  return { ...moved, active: fieldNames.indexOf('baseUrl'), problem: MOVED_ADDRESS };
}

/** Also used in plain mode. */
export const MOVED_ADDRESS = 'That is an address, not a key, so it was entered as the endpoint.';

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** Goes from the key to the endpoint; an address that was typed as the key goes with it. */
export function leaveKey(form: Form): Form {
  const key = fieldText(form.fields.apiKey).trim();
  return isAddress(key) ? withMovedAddress(form, key) : stepForm(form, 1);
}

function withText(form: Form, name: AccessField, buffer: TextBuffer): Form {
  const changed = { ...form, fields: { ...form.fields, [name]: buffer }, problem: undefined };
  if (name === 'baseUrl') return { ...changed, isUrlTyped: true };
  if (name !== 'apiKey' || form.isUrlTyped) return changed;
  const baseUrl = providerOfKey(fieldText(buffer).trim())?.baseUrl ?? OFFICIAL_URL;
  return { ...changed, fields: { ...changed.fields, baseUrl: createBuffer(baseUrl) } };
}

/**
 * The position from which a field is hidden: all of the key, and in other fields what looks like the start of a key.
 */
export function secretFrom({ fields }: Form, name: AccessField): number | undefined {
  if (name === 'apiKey') return 0;
  const text = fieldText(fields[name]);
  const start = secretStart(text);
  return start === undefined ? undefined : createBuffer(text.slice(0, start)).units.length;
}

/** Extracts a pasted value, also from a shell or .env line that sets a variable. */
export function pastedText(text: string): string {
  const line = text.trim();
  const [, , value] =
    /^(?:export\s+|set\s+|\$env:)?[A-Za-z_]\w*\s*=\s*(["']?)([^\s=]\S*?)\1;?$/.exec(line) ?? [];
  return value ?? line.replace(/^Bearer\s+/i, '').replace(/^(["'])(\S+)\1$/, '$2');
}

/** The key that a line consists of or ends with; such a line is not echoed and not kept in the history. */
export function keyIn(line: string): string | undefined {
  const pasted = pastedText(line);
  return isKey(pasted) ? pasted : splitTrailingKey(pasted)?.key;
}

/** Moves the focus. */
export function stepForm(form: Form, by: number): Form {
  return { ...form, active: (form.active + by + fieldNames.length) % fieldNames.length };
}

/** The hint for the focused field; empty if it needs none. */
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
    return `This looks like a key for ${provider.name}, so its endpoint is used.`;
  if (key !== '' && !isUrlTyped)
    return 'Not an OpenAI key? Enter your provider’s endpoint or name: deepseek, mistral, …';
  return name === 'baseUrl' ? 'An address, or a name: openrouter, ollama, lmstudio, …' : '';
}

/** Returns the values, or the first problem. */
export function checkForm({ fields }: Form): FormResult {
  const apiKey = fieldText(fields.apiKey).trim();
  const model = fieldText(fields.model).trim();
  if (isAddress(apiKey))
    return {
      type: 'problem',
      field: 'apiKey',
      message: 'That is an address, not a key. Enter it as the endpoint.',
    };
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
  // Most local servers need no key; the official endpoint always does.
  if (apiKey === '' && new URL(baseUrl).host === new URL(OFFICIAL_URL).host)
    return { type: 'problem', field: 'apiKey', message: 'This endpoint needs a key.' };
  if (/\s/.test(model)) return { type: 'problem', field: 'model', message: 'A model id has no spaces.' };
  return { type: 'ok', access: { baseUrl, apiKey, model } };
}

/** Parses an address as users write it, with or without `http://`, or a provider's name. */
function readAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return providerNamed(text)?.baseUrl;
  const named = providerNamed(text);
  if (named !== undefined) return named.baseUrl;
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? text : undefined;
  // `localhost:8080` would parse as a URL with the scheme `localhost`.
  const [, host = '', port, rest = ''] = /^([a-z\d.-]+|\[[\da-f:]+\])(:\d+)?(\/.*)?$/i.exec(text) ?? [];
  const isNear = /^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(host);
  if (!isNear && port === undefined && !host.includes('.')) return undefined;
  const url = `${isNear || port !== undefined ? 'http' : 'https'}://${host}${port ?? ''}${rest === '' ? '/v1' : rest}`;
  return host !== '' && URL.canParse(url) ? url : undefined;
}

// Finds keys typed into the address or model field, whose text is visible. Pure.

/** True if the text is nothing but a key. */
function isKey(text: string): boolean {
  return beginsAsKey(text) || isOpaque(text);
}

/** The key at the end of a text, and the text before it: `https://llm.example/v1sk-…`. */
function splitTrailingKey(text: string): { readonly before: string; readonly key: string } | undefined {
  const at = BEGINNING.exec(text)?.index ?? -1;
  if (at === -1) return undefined;
  const key = text.slice(at);
  return beginsAsKey(key) ? { before: text.slice(0, at), key } : undefined;
}

/** The position, in UTF-16 units, where a possible key starts: hidden from its first characters on. */
function secretStart(text: string): number | undefined {
  return BEGUN.exec(text)?.index;
}

/** Minimum length of a key; host and model names that start like one are usually shorter. */
const SHORTEST = 20;

/** Prefixes of keys; not within a word (`task-…`). */
const BEGINNING = /(?<![a-z])(?:sk-|gsk_|xai-|csk-|fw_|nvapi-|hf_|ghp_|github_pat_|AIza)/;

/** A dot, slash or colon after the prefix makes it part of an address. */
const BEGUN = new RegExp(`${BEGINNING.source}[\\w-]*$`);

function beginsAsKey(text: string): boolean {
  const isOfSomebody = text.startsWith('sk-') || providerOfKey(text) !== undefined;
  return isOfSomebody && text.length >= SHORTEST && /^[\w-]+$/.test(text) && /\d/.test(text);
}

/**
 * Random letters and digits, as issued by providers without a prefix; also with a second part after a dot (Z.ai), with
 * three parts (a JSON Web Token), or as a UUID. A host name of this shape would need a port.
 */
function isOpaque(text: string): boolean {
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return true;
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return true;
  const [, first = ''] = /^([A-Za-z\d_]{20,})(?:\.[A-Za-z\d]{10,})?$/.exec(text) ?? [];
  return /\d/.test(first) && /[A-Za-z]/.test(first);
}
