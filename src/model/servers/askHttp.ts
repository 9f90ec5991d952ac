/**
 * Sends short queries to an untrusted server: limited in bytes and time; failures are returned, never thrown. Redirects
 * are followed on the same host only, since the key is sent along.
 */
import { endpointFacts } from '../endpoint.ts';
import { RAW_BODY } from '../failure.ts';
import { environmentSend } from '../http/environmentSend.ts';
import { stayOnHost } from '../http/sameHost.ts';
import type { HttpSend } from '../http/types.ts';
import { isJsonBomb } from '../json.ts';
import { grouped, tooLarge } from '../replyBounds.ts';

export interface HttpQuestion {
  readonly apiKey: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the request; default: a direct connection. */
  readonly send?: HttpSend;
  readonly signal: AbortSignal;
}

/** `refused` holds the input of `toModelError`: a status and the body, or the thrown value. */
export type HttpAnswer =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'refused'; readonly error: unknown; readonly status?: number };

/**
 * Bytes of one answer. The longest known list (a gateway's with some hundred models) has half a million; up to ten
 * answers are read at a time.
 */
const MAX_BYTES = 4_000_000;
/** JSON values in one answer: thousands of models, of which a gateway lists some forty values each. */
const MAX_VALUES = 100_000;

/** Requests JSON; uses POST if there is a `body`. */
export async function askJson(url: string, question: HttpQuestion, body?: object): Promise<HttpAnswer> {
  try {
    const { status, headers, body: bytes } = await send(url, question, body);
    const text = await readBounded(bytes);
    if (status < 200 || status > 299) {
      return { type: 'refused', status, error: { status, headers, error: { [RAW_BODY]: text } } };
    }
    if (isJsonBomb(text, MAX_VALUES)) throw tooLarge('more values than a list of models has');
    return { type: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { type: 'refused', error };
  }
}

const straight = environmentSend();

function send(url: string, question: HttpQuestion, body: object | undefined) {
  const { apiKey, headers, signal } = question;
  return stayOnHost(question.send ?? straight)(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(endpointFacts(url).provider === 'anthropic' ? anthropicHeaders(apiKey) : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    signal,
  });
}

/** Anthropic's API requires a version (that of its SDK), and reads the key from a header of its own. */
export function anthropicHeaders(apiKey: string | undefined): Readonly<Record<string, string>> {
  return { 'anthropic-version': '2026-10-21', ...(apiKey ? { 'x-api-key': apiKey } : {}) };
}

/** The body as text; throws if it exceeds the bound. */
async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge(`more than ${grouped(MAX_BYTES)} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
